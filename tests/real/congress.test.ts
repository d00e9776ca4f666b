import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineOntology, openMemory, type Memory, type OpenOptions } from '../../lib/index.js';
import { fixture } from '../support/fixtures.js';
import { temporaryFolder } from '../support/folder.js';
import { isInstalled } from '../support/installed.js';
import { generator } from '../support/random.js';

/**
 * The real history of a public roster, with its late corrections: who held which seat when, and what the
 * roster said of it at the time.
 */

const ProbeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('seat_at'),
    seat: z.string(),
    valid_at: z.string(),
    known_at: z.string(),
    expect: z.array(z.string()),
  }),
  z.object({
    kind: z.literal('terms_known'),
    subject: z.string(),
    known_at: z.string(),
    expect: z.array(z.tuple([z.string(), z.string(), z.string().nullable()])),
  }),
  z.object({
    kind: z.literal('value_known'),
    subject: z.string(),
    predicate: z.string(),
    known_at: z.string(),
    expect: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('valid_to_history'),
    key: z.string(),
    expect: z.array(z.tuple([z.string(), z.string().nullable()])),
  }),
]);
type Probe = z.output<typeof ProbeSchema>;

const folder = fixture('congress');
const EventSchema = z.looseObject({ tx: z.string(), op: z.string(), key: z.string() });
type Event = z.output<typeof EventSchema>;

const lines =
  folder === null
    ? []
    : readFileSync(join(folder, 'events.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '');
const events = lines.map((line) => EventSchema.parse(JSON.parse(line)));
const probes =
  folder === null
    ? []
    : z.array(ProbeSchema).parse(JSON.parse(readFileSync(join(folder, 'probes.json'), 'utf8')));

const ONE = ['name', 'office', 'phone', 'url'] as const;
const ontology = defineOntology({
  predicates: {
    holds_seat: { cardinality: 'many' },
    name: { cardinality: 'one' },
    office: { cardinality: 'one' },
    phone: { cardinality: 'one' },
    url: { cardinality: 'one' },
  },
});
const SCOPE = { org: 'roster' };

/** The day of an instant, as the probes write it. */
const day = (iso: string | null): string | null => iso?.slice(0, 10) ?? null;
const second = (iso: string): string => iso.replace('.000Z', 'Z');

async function answer(memory: Memory<typeof ontology>, probe: Probe): Promise<unknown> {
  const roster = memory.in(SCOPE);
  switch (probe.kind) {
    case 'seat_at': {
      const held = await roster
        .asOf({ valid: probe.valid_at, known: probe.known_at })
        .facts({ predicate: 'holds_seat', object: probe.seat });
      return [...new Set(held.map((fact) => fact.subject.name))].sort();
    }
    case 'terms_known': {
      const terms = await roster.facts({
        subject: probe.subject,
        predicate: 'holds_seat',
        during: {},
        knownAt: probe.known_at,
      });
      return terms.map((t) => [t.object, day(t.validFrom), day(t.validTo)]).sort(byText);
    }
    case 'value_known': {
      const [fact] = await roster
        .asOf({ valid: probe.known_at, known: probe.known_at })
        .facts({ subject: probe.subject, predicate: probe.predicate });
      return fact?.object ?? null;
    }
    case 'valid_to_history': {
      const [subject = ''] = probe.key.split('|');
      const { facts } = await roster.history({ subject, predicate: 'holds_seat' });
      const told: [string, string | null][] = [];
      const say = (at: string, to: string | null): void => {
        if (told.at(-1)?.[1] !== to || told.length === 0) told.push([second(at), to]);
      };
      const own = facts.filter((fact) => fact.instance === probe.key);
      for (const fact of own) say(fact.knownFrom.at, day(fact.validTo));
      const last = own.at(-1);
      if (last?.closedAs === 'withdrawn' && last.knownTo !== null) say(last.knownTo.at, null);
      return told;
    }
  }
}

const byText = (a: readonly unknown[], b: readonly unknown[]): number =>
  JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;

const expected = (probe: Probe): unknown => {
  if (probe.kind === 'terms_known') return [...probe.expect].sort(byText);
  return probe.kind === 'seat_at' ? [...probe.expect].sort() : probe.expect;
};

async function expectAll(memory: Memory<typeof ontology>, asked: readonly Probe[]): Promise<void> {
  const wrong: unknown[] = [];
  for (const probe of asked) {
    const got = await answer(memory, probe);
    if (JSON.stringify(got) !== JSON.stringify(expected(probe))) wrong.push({ ...probe, got });
  }
  expect(wrong).toEqual([]);
}

/** Events of equal time in another order, the same for the same seed. */
function shuffled(seed: number, keepSeq: boolean): string[] {
  const random = generator(seed);
  return [...groupByTx(events).values()].flatMap((group) => {
    const order = [...group];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      const swapped = order[i]!;
      order[i] = order[j]!;
      order[j] = swapped;
    }
    return order.map((event) => JSON.stringify(keepSeq ? event : { ...event, seq: undefined }));
  });
}

function groupByTx(all: readonly Event[]): Map<string, Event[]> {
  const groups = new Map<string, Event[]>();
  for (const event of all) groups.set(event.tx, [...(groups.get(event.tx) ?? []), event]);
  return groups;
}

const open = (where: Pick<OpenOptions, 'path' | 'store' | 'graph' | 'resident'>) =>
  openMemory({ ...where, ontology });

const hasKuzu = isInstalled('kuzu');

const onFile = (path: string) => ({ path, graph: 'none' as const });

describe.skipIf(folder === null)('the roster', () => {
  test('has the events and probes that its source counts', () => {
    expect(events).toHaveLength(3507);
    expect(probes).toHaveLength(400);
  });

  test('answers every probe from a store in memory', async () => {
    await using memory = await open({ store: 'memory' });
    const report = await memory.import(lines, { scope: SCOPE });
    expect(report).toMatchObject({
      format: 'events',
      lines: 3507,
      transactions: 140,
      claims: 2471,
    });
    await expectAll(memory, probes);
  });

  test('answers every probe from a folder, also after closing and opening', async () => {
    const path = temporaryFolder();
    {
      await using memory = await open(onFile(path));
      await memory.import(join(folder ?? '', 'events.jsonl'), { scope: SCOPE });
      await expectAll(memory, probes);
    }
    await using again = await open(onFile(path));
    await expectAll(again, probes);
  });

  test.skipIf(!hasKuzu)('answers every probe through the graph engine', async () => {
    const path = temporaryFolder();
    await using memory = await open({ path, graph: 'kuzu', resident: false });
    await memory.import(lines, { scope: SCOPE });
    await expectAll(memory, probes);
  });

  test.each([1, 2, 3, 4])(
    'does not mind in which order events of one time come (seed %i)',
    async (seed) => {
      await using memory = await open({ store: 'memory' });
      await memory.import(shuffled(seed, seed % 2 === 0), { scope: SCOPE });
      await expectAll(memory, probes);
    },
  );

  test('gives the same claims and facts for the same events in another order', async () => {
    const fingerprints = await Promise.all(
      [5, 6].map(async (seed) => {
        await using memory = await open({ store: 'memory' });
        await memory.import(shuffled(seed, true), { scope: SCOPE, source: 'roster' });
        const exported = await memory.export().toArray();
        return exported.slice(3).join('\n');
      }),
    );
    expect(fingerprints[0]).toBe(fingerprints[1]);
  });

  test('exported and imported it answers every probe', async () => {
    const path = temporaryFolder();
    const exported: string[] = [];
    {
      await using memory = await open({ store: 'memory' });
      await memory.import(lines, { scope: SCOPE });
      exported.push(...(await memory.export().toArray()));
    }
    await using copy = await open(onFile(path));
    await copy.import(exported);
    await expectAll(copy, probes);
    expect(await copy.export().toArray()).toEqual(exported);
  });

  test('plain assertions of name, office, phone and address supersede one another by themselves', async () => {
    const plain = events.flatMap((event) => {
      const predicate = event.key.split('|')[1] ?? '';
      if (!ONE.some((one) => one === predicate)) return [];
      return event.op === 'retract' ? [] : [JSON.stringify({ tx: event.tx, fact: event['fact'] })];
    });
    await using memory = await open({ store: 'memory' });
    await memory.import(plain, { scope: SCOPE });
    const asked = probes.filter((probe) => probe.kind === 'value_known');
    expect(asked).toHaveLength(100);
    await expectAll(memory, asked);
  });
});
