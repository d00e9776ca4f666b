import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { FOREVER } from '../../../lib/model/interval.js';
import type { GraphEngine } from '../../../lib/store/graph.js';
import { openGraph } from '../../../lib/store/kuzu/engine.js';
import type { EngineName } from '../../../lib/store/kuzu/module.js';
import type { FactRow } from '../../../lib/store/rows.js';
import { runChild } from '../../support/child.js';
import { MadeUpSource, random } from './source.js';

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : 1;
const EVERYTHING = { valid: null, known: 'ever', polarity: 'both' } as const;

/** One suite for both engines: they must behave alike. */
export function describeGraph(engine: EngineName): void {
  const folders: string[] = [];
  const open_: GraphEngine[] = [];
  const newFolder = async (name = 'graph'): Promise<string> => {
    const parent = await mkdtemp(join(tmpdir(), 'palimpsest-graph-'));
    folders.push(parent);
    return join(parent, name);
  };
  const openOn = async (folder: string, source: MadeUpSource): Promise<GraphEngine> => {
    const graph = await openGraph({ folder, source, engine });
    open_.push(graph);
    return graph;
  };
  afterEach(async () => {
    for (const graph of open_.splice(0)) await graph.close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  const everything = async (graph: GraphEngine, source: MadeUpSource): Promise<FactRow[]> => {
    const scopes = [...new Set([...source.facts.values()].map((f) => f.scope))];
    return [...(await graph.rows({ ...EVERYTHING, scopes }))].sort(byId);
  };
  const expectWhole = async (graph: GraphEngine, source: MadeUpSource): Promise<void> => {
    expect(await everything(graph, source)).toEqual([...source.facts.values()].sort(byId));
    const supports = await graph.supports([...source.facts.keys(), 'no such fact']);
    expect(supports.get('no such fact')).toEqual([]);
    for (const id of source.facts.keys()) {
      const wanted = (source.supports.get(id) ?? []).map((c) => source.claims.get(c));
      expect([...(supports.get(id) ?? [])].sort(byId)).toEqual(
        wanted.sort((a, b) => byId(a ?? { id: '' }, b ?? { id: '' })),
      );
    }
  };

  describe('answers', () => {
    test('are those of the rows, built at once and applied step by step', async () => {
      const source = new MadeUpSource(1).grow(12);
      const graph = await openOn(await newFolder(), source);
      await expectWhole(graph, source);
      for (const step of [1, 3, 1]) {
        source.grow(step);
        await graph.catchUp();
      }
      expect(graph.status()).toEqual({ state: 'ready', engine, appliedTx: 17 });
      await expectWhole(graph, source);
      let found = 0;
      for (let i = 0; i < 150; i++) {
        const query = source.query();
        const rows = [...(await graph.rows(query))].sort(byId);
        expect(rows, JSON.stringify(query)).toEqual(source.expected(query).sort(byId));
        found += rows.length;
      }
      expect(found).toBeGreaterThan(100);
      const [fact] = source.facts.values();
      expect(await graph.factById(fact?.id ?? '')).toEqual(fact);
      expect(await graph.factById('no such fact')).toBeNull();
    });

    test('start from the object as well', async () => {
      const source = new MadeUpSource(2).grow(10);
      const graph = await openOn(await newFolder(), source);
      const scopes = [...new Set([...source.facts.values()].map((f) => f.scope))];
      const objects = [...new Set([...source.facts.values()].map((f) => f.object))];
      for (const object of objects) {
        const query = { ...EVERYTHING, scopes, objects: [object] };
        const ids = (await graph.rows(query)).map((f) => f.id);
        expect(ids.toSorted()).toEqual(
          source
            .expected(query)
            .map((f) => f.id)
            .toSorted(),
        );
      }
    });

    test('of an empty store are empty', async () => {
      const source = new MadeUpSource(3);
      const graph = await openOn(await newFolder(), source);
      expect(await graph.rows({ ...EVERYTHING, scopes: ['org=acme'] })).toEqual([]);
      source.grow(1);
      await expectWhole(graph, source);
    });

    test('are the same after closing, reopening and rebuilding', async () => {
      const source = new MadeUpSource(4).grow(5);
      const folder = await newFolder(`it's [a] "folder" 张*`);
      const first = await openOn(folder, source);
      source.grow(4);
      await first.catchUp();
      await first.close();
      const second = await openOn(folder, source);
      expect(second.status()).toEqual({ state: 'ready', engine, appliedTx: 9 });
      await expectWhole(second, source);
      await second.rebuild({ why: 'a test wants it' });
      expect(second.status()).toEqual({
        state: 'rebuilt',
        engine,
        appliedTx: 9,
        why: 'a test wants it',
      });
      await expectWhole(second, source);
      expect((await readdir(folder)).toSorted()).toEqual(['CURRENT', 'g2']);
    });

    test('keep coming while it is rebuilt', async () => {
      const source = new MadeUpSource(5).grow(10);
      const graph = await openOn(await newFolder(), source);
      const rebuilt = graph.rebuild();
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => everything(graph, source)),
      );
      await rebuilt;
      for (const rows of answers) expect(rows).toHaveLength(source.facts.size);
    });
  });

  describe('a change it cannot take', () => {
    test('fails visibly, and a rebuild from a whole source heals it', async () => {
      const source = new MadeUpSource(6).grow(4);
      const graph = await openOn(await newFolder(), source);
      source.break();
      await expect(graph.catchUp()).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
      expect(graph.status()).toMatchObject({ state: 'failed', engine });
      await expect(graph.factById('f1-0')).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
      source.forgetLast();
      await graph.rebuild();
      await expectWhole(graph, source);
    });
  });

  describe('a damaged graph', () => {
    const closed = async (
      seed: number,
    ): Promise<{ source: MadeUpSource; folder: string; data: string }> => {
      const source = new MadeUpSource(seed).grow(6);
      const folder = await newFolder();
      const graph = await openOn(folder, source);
      source.grow(2);
      await graph.catchUp();
      await graph.close();
      return { source, folder, data: join(folder, 'g1', 'graph.kuzu') };
    };
    const expectRebuilt = async (
      folder: string,
      source: MadeUpSource,
      why: RegExp,
    ): Promise<void> => {
      const graph = await openOn(folder, source);
      expect(graph.status()).toEqual({
        state: 'rebuilt',
        engine,
        appliedTx: source.lastTx,
        why: expect.stringMatching(why),
      });
      await expectWhole(graph, source);
    };
    const flip = async (path: string, at: number): Promise<void> => {
      const file = await open(path, 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, at);
      byte[0] = (byte[0] ?? 0) ^ 1;
      await file.write(byte, 0, 1, at);
      await file.close();
    };

    test('is rebuilt when its file is cut off', async () => {
      const { source, folder, data } = await closed(10);
      await truncate(data, Math.floor((await stat(data)).size / 2));
      await expectRebuilt(folder, source, /size/);
    });
    test('is rebuilt when a bit of it has flipped', async () => {
      const { source, folder, data } = await closed(11);
      await flip(data, Math.floor((await stat(data)).size / 2));
      await expectRebuilt(folder, source, /data file was changed/);
    });
    test('is rebuilt when a bit has flipped after a close that was not orderly', async () => {
      const { source, folder, data } = await closed(11);
      const { atime, mtime } = await stat(data);
      await flip(data, Math.floor((await stat(data)).size / 2));
      await utimes(data, atime, mtime);
      await rm(join(folder, 'g1', 'clean'));
      await expectRebuilt(folder, source, /data file was changed/);
    });
    test('is rebuilt when a bit of its log has flipped', async () => {
      const { source, folder, data } = await closed(12);
      await flip(`${data}.wal`, Math.floor((await stat(`${data}.wal`)).size / 2));
      await expectRebuilt(folder, source, /log was changed/);
    });
    test('is rebuilt when its file is gone, or its log', async () => {
      const { source, folder, data } = await closed(13);
      await rm(data);
      await expectRebuilt(folder, source, /missing/);
      const other = await closed(14);
      await rm(`${other.data}.wal`);
      await expectRebuilt(other.folder, other.source, /log is missing/);
    });
    test('is rebuilt when its file is a foreign one', async () => {
      const { source, folder, data } = await closed(15);
      await writeFile(data, 'this is no database');
      await expectRebuilt(folder, source, /./);
    });
    test('is rebuilt when CURRENT is broken, or of another schema', async () => {
      const { source, folder } = await closed(16);
      const current = join(folder, 'CURRENT');
      const text = await readFile(current, 'utf8');
      await writeFile(current, '{');
      await expectRebuilt(folder, source, /CURRENT/);
      const other = await closed(17);
      await writeFile(join(other.folder, 'CURRENT'), text.replace(/"schema":\d+/, '"schema":0'));
      await expectRebuilt(other.folder, other.source, /schema/);
    });
    test('is rebuilt when the graph is ahead of its store, or of another one', async () => {
      const { source, folder } = await closed(18);
      source.forgetLast();
      const graph = await openOn(folder, source);
      expect(graph.status()).toMatchObject({
        state: 'rebuilt',
        why: 'it was ahead of the journal',
        appliedTx: source.lastTx,
      });
      await graph.close();
      source.storeId = 'another';
      const moved = await openOn(folder, source);
      expect(moved.status()).toMatchObject({ state: 'rebuilt', why: 'it was of another store' });
    });
    test.each(['cannot be read', 'has a flipped bit', 'is gone'])(
      'whose log %s after a crash is whole again, and stays so',
      async (what) => {
        const { source, folder, data } = await closed(19);
        await rm(join(folder, 'g1', 'clean'));
        if (what === 'is gone') await rm(`${data}.wal`);
        else if (what === 'cannot be read')
          await writeFile(`${data}.wal`, Buffer.alloc(5_000, 0xa5));
        else await flip(`${data}.wal`, Math.floor((await stat(`${data}.wal`)).size / 2));
        for (let i = 0; i < 2; i++) {
          const graph = await openOn(folder, source);
          await expectWhole(graph, source);
          expect(graph.status()).toEqual({ state: 'ready', engine, appliedTx: source.lastTx });
          source.grow(1);
          await graph.catchUp();
          await graph.close();
        }
      },
    );
    test('far behind is built anew', async () => {
      const { source, folder } = await closed(21);
      source.grow(60);
      const seen: (readonly [number, number])[] = [];
      const onProgress = (done: number, all: number): number => seen.push([done, all]);
      const graph = await openGraph({ folder, source, engine, onProgress });
      open_.push(graph);
      expect(graph.status()).toMatchObject({ state: 'ready' });
      await expectWhole(graph, source);
      expect(graph.status()).toMatchObject({ state: 'rebuilt', why: 'it was far behind' });
      expect(seen.at(-1)).toEqual([source.factCount, source.factCount]);
    });
  });

  describe('a kill at any moment', () => {
    test.each(['apply', 'rebuild', 'build'] as const)(
      'while it would %s loses nothing',
      async (act) => {
        const below = random(act.length);
        for (let round = 0; round < 3; round++) {
          const seed = 30 + round;
          const folder = await newFolder();
          const victim = runChild(new URL('./victim.ts', import.meta.url), [
            folder,
            engine,
            String(seed),
            act,
          ]);
          await once(victim, 'message');
          setTimeout(() => victim.kill('SIGKILL'), below(act === 'apply' ? 300 : 150));
          await once(victim, 'exit');
          const source = new MadeUpSource(seed).grow(act === 'apply' ? 5 : 40);
          if (act === 'apply') source.grow(40);
          const graph = await openOn(folder, source);
          // A first build that was killed is begun again.
          expect(graph.status().state).toMatch(act === 'build' ? /ready|rebuilt/ : /ready/);
          await graph.catchUp();
          expect(await everything(graph, source)).toEqual([...source.facts.values()].sort(byId));
          expect(await readdir(folder)).toHaveLength(2);
          await graph.close();
        }
      },
    );
  });

  describe('a long log', () => {
    test('is worked into a new data file when the graph is opened', async () => {
      const source = new MadeUpSource(60).grow(30);
      const folder = await newFolder();
      const graph = await openOn(folder, source);
      const log = join(folder, 'g1', 'graph.kuzu.wal');
      do {
        source.grow(5);
        await graph.catchUp();
      } while ((await stat(log)).size <= 16 * 2 ** 20);
      await graph.close();
      const again = await openOn(folder, source);
      expect(again.status()).toEqual({ state: 'ready', engine, appliedTx: source.lastTx });
      expect((await readdir(folder)).toSorted()).toEqual(['CURRENT', 'g2']);
      expect(existsSync(join(folder, 'g2', 'graph.kuzu.wal'))).toBe(false);
      await expectWhole(again, source);
    });
  });

  describe('one process, one graph', () => {
    test('a folder cannot be opened twice', async () => {
      const source = new MadeUpSource(40).grow(1);
      const folder = await newFolder();
      const graph = await openOn(folder, source);
      await expect(openGraph({ folder, source, engine })).rejects.toMatchObject({
        code: 'STORE_LOCKED',
      });
      await graph.close();
      await openOn(folder, source);
    });
    test('the other engine is refused beside this one', async () => {
      await openOn(await newFolder(), new MadeUpSource(41));
      const other = engine === 'kuzu' ? 'ladybug' : 'kuzu';
      await expect(
        openGraph({ folder: await newFolder(), source: new MadeUpSource(41), engine: other }),
      ).rejects.toMatchObject({
        code: 'ENGINE_UNAVAILABLE',
      });
    });
    test('closing waits for the queries that run', async () => {
      const source = new MadeUpSource(42).grow(40);
      const graph = await openOn(await newFolder(), source);
      const slow = graph.cypher('MATCH (a:Fact), (b:Fact), (c:Claim) RETURN count(*) AS n');
      const rows = everything(graph, source);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await Promise.all([graph.close(), graph.close()]);
      expect((await slow)[0]).toEqual({ n: source.facts.size ** 2 * source.claims.size });
      expect(await rows).toHaveLength(source.facts.size);
      await expect(graph.factById('f1-0')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
      await expect(graph.rebuild()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    });
  });

  describe('cypher', () => {
    test('answers over nodes and edges of all kinds', async () => {
      const source = new MadeUpSource(50).grow(6);
      const graph = await openOn(await newFolder(), source);
      source.grow(1);
      const [row] = await graph.cypher('MATCH (f:Fact) RETURN count(*) AS created');
      expect(row).toEqual({ created: source.facts.size });
      const [still] = await graph.cypher(
        'MATCH (f:Fact) WHERE f.knownToAt = $open RETURN count(*) AS n',
        { open: FOREVER },
      );
      expect(still).toEqual({
        n: [...source.facts.values()].filter((f) => f.reason === null).length,
      });
      const path =
        'MATCH (e:Entity)-[:SUBJECT]->(f:Fact)-[:SUPPORTED_BY]->(c:Claim)-[r:FROM_EVENT]->(v:Event) RETURN DISTINCT c.id AS claim, r.n AS n';
      const supported = new Set([...source.supports.values()].flat());
      const cited = [...supported]
        .map((id) => source.claims.get(id)?.evidence.length ?? 0)
        .reduce((a, b) => a + b, 0);
      expect(await graph.cypher(path)).toHaveLength(cited);
      const superseded = await graph.cypher(
        'MATCH (a:Fact)-[s:SUPERSEDES]->(b:Fact) RETURN a.id AS a, b.id AS b, s.kind AS kind',
      );
      expect(superseded).toHaveLength(
        [...source.facts.values()].filter((f) => f.reason !== null).length,
      );
    });
    test('takes the examples of its documentation', async () => {
      const source = new MadeUpSource(53).grow(8);
      const graph = await openOn(await newFolder(), source);
      const page = await readFile(new URL('../../../docs/graph.md', import.meta.url), 'utf8');
      const examples = [...page.matchAll(/```cypher\n([\s\S]*?)```/g)].map(
        ([, text]) => text ?? '',
      );
      expect(examples).toHaveLength(5);
      const closed = [...source.facts.values()].find((f) => f.reason !== null);
      const [event] = await graph.cypher(
        `MATCH (f:Fact)-[:SUPPORTED_BY]->(:Claim)-[:FROM_EVENT]->(v:Event) WHERE f.knownTo = 2147483647 RETURN v.id AS id LIMIT 1`,
      );
      const [winner] = await graph.cypher(
        'MATCH (f:Fact)-[:SUPERSEDES]->(:Fact) RETURN f.id AS id LIMIT 1',
      );
      const supported = [...source.supports].find(([, ids]) =>
        ids.some((id) => (source.claims.get(id)?.evidence.length ?? 0) > 0),
      );
      const at = 20_000 * 86_400_000 + 5_000;
      const open = source
        .expected({ ...EVERYTHING, scopes: [closed?.scope ?? ''] })
        .find((f) => f.reason === null && f.polarity === 'assert');
      const params = [
        { id: open?.subject ?? '', scope: open?.scope ?? '', now: open?.validFrom ?? 0 },
        {
          id:
            [...source.facts.values()].find((f) => f.knownFrom === 5 && f.polarity === 'assert')
              ?.subject ?? '',
          at,
        },
        { id: String(winner?.['id']) },
        { id: supported?.[0] ?? '' },
        { event: String(event?.['id']) },
      ];
      for (const [i, text] of examples.entries())
        expect((await graph.cypher(text, params[i])).length, text).toBeGreaterThan(0);
    });
    test('goes on after a query that fails or takes too long', async () => {
      const source = new MadeUpSource(51).grow(40);
      const graph = await openGraph({
        folder: await newFolder(),
        source,
        engine,
        cypherTimeoutMs: 50,
      });
      open_.push(graph);
      await expect(graph.cypher("RETURN CAST('x' AS INT64) AS n")).rejects.toMatchObject({
        code: 'ENGINE_FAILED',
      });
      await expect(graph.cypher('MATCH (f:Nothing) RETURN f')).rejects.toMatchObject({
        code: 'ENGINE_FAILED',
      });
      await expect(
        graph.cypher(
          'MATCH (a:Fact), (b:Fact), (c:Fact), (d:Fact) RETURN max(a.validFrom + b.validFrom + c.validFrom + d.validFrom) AS n',
        ),
      ).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
      expect(await graph.cypher('RETURN $x AS x', { x: 'é' })).toEqual([{ x: 'é' }]);
      source.grow(1);
      await expectWhole(graph, source);
    });
    test.each([
      "CREATE (:Entity {id: 'x'})",
      "MATCH (f:Fact) SET f.scope = 'x'",
      'MATCH (f:Fact) DETACH DELETE f',
      "COPY (MATCH (f:Fact) RETURN f.id) TO '/tmp/palimpsest-refused.csv'",
      "MATCH (f:Fact) RETURN f.id; CREATE (:Entity {id: 'x'})",
    ])('refuses %s', async (text) => {
      const source = new MadeUpSource(52).grow(1);
      const graph = await openOn(await newFolder(), source);
      await expect(graph.cypher(text)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        field: 'cypher',
      });
      await expectWhole(graph, source);
      expect(existsSync('/tmp/palimpsest-refused.csv')).toBe(false);
    });
  });
}
