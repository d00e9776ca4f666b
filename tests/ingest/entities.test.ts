import { describe, expect, test } from 'vitest';
import { defineOntology, entity } from '../../lib/index.js';
import { objects, opened, refused, SHOP, type Opened } from '../memory/opened.js';
import { candidate, said, scripted } from './scripted.js';

const TEXT =
  'Ana of the sales team leads Atlas. SR-2023-052 and SR-2023-053 are reports. 王芳 works at the shop.';

/** What is extracted from one event. */
async function extract(
  memory: Opened,
  extractor: ReturnType<typeof scripted>,
  seq: number,
  ...candidates: ReturnType<typeof candidate>[]
) {
  extractor.script(candidates.map((c) => ({ ...c, seq })));
  const { receipt } = await (await memory.in(SHOP).ingest([said(seq, TEXT)])).done;
  return receipt?.refused.map((r) => r.code);
}

const leads = (subject: string, subjectType: string | null, object = 'Atlas') =>
  candidate({ subject, subjectType, predicate: 'leads', object, quote: 'leads Atlas' });

async function world() {
  const extractor = scripted();
  const memory = await opened({ ingest: { extractor } });
  return { extractor, memory, shop: memory.in(SHOP) };
}

describe('a type that is guessed', () => {
  test('counts for a name that is new', async () => {
    const { extractor, memory, shop } = await world();
    expect(await extract(memory, extractor, 0, leads('Ana', 'person'))).toEqual([]);
    expect(await shop.entities.resolve('Ana')).toMatchObject([{ name: 'Ana', type: 'person' }]);
  });

  test('makes no second thing of a name that is known', async () => {
    const { extractor, memory, shop } = await world();
    await shop.entities.declare({ name: 'Ana', type: 'employee' });
    for (const [seq, guess] of ['person', null, 'human', 'employee'].entries()) {
      const made = await extract(memory, extractor, seq, leads('ＡNA', guess, `v${seq}`));
      expect(made).toEqual([]);
    }
    expect(await shop.entities.resolve('Ana')).toHaveLength(1);
    expect(objects(await shop.facts({ subject: 'Ana' }))).toEqual(['v0', 'v1', 'v2', 'v3']);
  });

  test('makes no second thing within one extraction either', async () => {
    const { extractor, memory, shop } = await world();
    const by = candidate({
      subject: 'Atlas',
      predicate: 'ledBy',
      object: 'Ana',
      objectKind: 'entity',
      quote: 'leads Atlas',
    });
    const made = await extract(
      memory,
      extractor,
      0,
      by,
      leads('Ana', 'person', 'v1'),
      leads('Ana', 'human', 'v2'),
    );
    expect(made).toEqual([]);
    expect(await shop.entities.resolve('Ana')).toMatchObject([{ type: 'person' }]);
  });

  test('gives way to what the ontology declares', async () => {
    const extractor = scripted();
    const ontology = defineOntology({
      predicates: { owner: { cardinality: 'one', object: entity('person'), inverse: 'owns' } },
    });
    const memory = await opened({ ontology, ingest: { extractor } });
    const shop = memory.in(SHOP);
    const owner = candidate({
      predicate: 'owner',
      object: 'Ana',
      objectKind: 'entity',
      objectType: 'human',
      quote: 'Ana',
    });
    const owns = candidate({
      subject: 'Ana',
      subjectType: 'colleague',
      predicate: 'owns',
      object: 'stall',
      quote: 'Ana',
    });
    extractor.script([
      candidate({ subject: 'Ana', predicate: 'likes', quote: 'Ana' }),
      owner,
      owns,
    ]);
    const { receipt } = await (await shop.ingest([said(0, TEXT)])).done;
    expect(receipt?.refused).toEqual([]);
    expect(await shop.entities.resolve('Ana')).toMatchObject([{ type: 'person' }]);
    expect(await shop.facts({ predicate: 'owner' })).toHaveLength(2);
  });

  test('is looked for in the broader scopes as well', async () => {
    const { extractor, memory, shop } = await world();
    await memory
      .in({ org: 'acme' })
      .assert({ subject: { name: 'Ana', type: 'employee' }, predicate: 'works', object: 'here' });
    await extract(memory, extractor, 0, leads('Ana', 'person'));
    const found = await shop.entities.resolve('Ana');
    expect(found.map((e) => e.type)).toEqual(['employee', 'employee']);
    // Another org's Ana is nobody's business here.
    await memory.in({ org: 'birch' }).entities.declare({ name: 'Ben', type: 'robot' });
    await extract(memory, extractor, 1, leads('Ben', 'person'));
    expect(await shop.entities.resolve('Ben')).toMatchObject([{ type: 'person' }]);
  });
});

describe('two people of one name', () => {
  test('are kept apart, and a claim that could mean either is refused', async () => {
    const { extractor, memory, shop } = await world();
    for (const distinct of ['sales', 'support']) {
      await shop.assert({
        subject: { name: 'Ana', type: 'person', distinct },
        predicate: 'team',
        object: distinct,
      });
    }
    expect(await extract(memory, extractor, 0, leads('Ana', 'person'), leads('Ana', null))).toEqual(
      ['AMBIGUOUS_ENTITY', 'AMBIGUOUS_ENTITY'],
    );
    expect(await shop.entities.resolve('Ana')).toHaveLength(2);
    expect(await shop.facts({ predicate: 'leads' })).toEqual([]);
  });

  test('are told apart by an alias', async () => {
    const { extractor, memory, shop } = await world();
    for (const distinct of ['sales', 'support']) {
      await shop.entities.declare({ name: 'Ana', type: 'person', distinct });
    }
    const [first] = await shop.entities.resolve('Ana');
    await shop.entities.alias({ id: first!.id }, 'Ana of the sales team');
    expect(await extract(memory, extractor, 0, leads('Ana of the sales team', 'person'))).toEqual(
      [],
    );
    expect((await shop.facts({ predicate: 'leads' })).map((f) => f.subject.id)).toEqual([
      first!.id,
    ]);
  });
});

describe('names', () => {
  test('whose digits differ are two things, and no proposal makes them one', async () => {
    const { extractor, memory, shop } = await world();
    const report = (subject: string) =>
      candidate({ subject, predicate: 'is a', object: 'report', quote: 'are reports' });
    const merge = candidate({
      action: 'merge',
      subject: 'SR-2023-052',
      object: 'ＳＲ-2023-053',
      quote: 'are reports',
    });
    expect(
      await extract(memory, extractor, 0, report('SR-2023-052'), report('SR-2023-053'), merge),
    ).toEqual(['DIGITS']);
    expect(await shop.held()).toEqual([]);
    expect(await refused(() => shop.entities.merge('SR-2023-052', 'SR-2023-053'))).toBe(
      'CONFLICT from',
    );
    expect(await shop.entities.resolve('SR-2023-052')).toHaveLength(1);
  });

  test('of one entity already are no proposal', async () => {
    const { extractor, memory, shop } = await world();
    await shop.entities.declare({ name: '王芳' });
    await shop.entities.alias('王芳', 'Fang Wang');
    const merge = candidate({
      action: 'merge',
      subject: '王芳',
      object: 'Fang Wang',
      quote: '王芳',
    });
    expect(await extract(memory, extractor, 0, merge)).toEqual(['SAME']);
  });

  test('of one thing are joined when somebody agrees, and stand apart again when that is undone', async () => {
    const { extractor, memory, shop } = await world();
    const works = candidate({
      subject: '王芳',
      predicate: 'works',
      object: 'here',
      quote: '王芳 works',
    });
    const merge = candidate({ action: 'merge', subject: 'Fang', object: '王芳', quote: '王芳' });
    await extract(memory, extractor, 0, works, leads('Fang', null), merge);
    const [held] = await shop.held();
    expect(held).toMatchObject({
      why: 'Two names of one thing, if somebody agrees.',
      claim: { subject: { name: 'Fang' }, object: { name: '王芳' } },
    });
    const apart = (await memory.stats()).transactions;
    const { tx } = await shop.approve(held?.id ?? '');
    expect(await shop.facts({ subject: 'Fang' })).toHaveLength(2);
    expect(await shop.facts({ subject: 'Fang', knownAt: { tx: apart } })).toHaveLength(1);
    const split = await shop.entities.split('Fang');
    expect(await shop.facts({ subject: 'Fang' })).toHaveLength(1);
    expect(await shop.facts({ subject: 'Fang', knownAt: { tx } })).toHaveLength(2);
    await shop.revert(split.tx);
    expect(await shop.facts({ subject: 'Fang' })).toHaveLength(2);
  });

  test('that a text mentions bring what is believed of them into the request, by alias and in Chinese', async () => {
    const { extractor, memory, shop } = await world();
    await shop.assert({ subject: '王芳', predicate: 'team', object: 'sales' });
    await shop.assert({ subject: 'Anastasia', predicate: 'team', object: 'support' });
    await shop.entities.alias('Anastasia', 'Ana');
    await shop.assert({ subject: 'Oskar', predicate: 'team', object: 'sales' });
    await extract(memory, extractor, 0);
    expect(extractor.requests[0]?.facts.map((f) => f.subject).sort()).toEqual([
      'Anastasia',
      '王芳',
    ]);
  });
});
