import { describe, expect, test } from 'vitest';
import type { ForgetSelector, Handle } from '../../lib/index.js';
import { filesWith } from '../support/files.js';
import { temporaryFolder } from '../support/folder.js';
import { objects, opened, ontology, saying, SHOP, testClock } from '../memory/opened.js';

const CANARY = 'Zanzibar';

type Shop = Handle<typeof ontology>;

/** A canary in every place where text can be, all of one session; and what others say of the same. */
async function plant(shop: Shop) {
  await shop.assert(
    saying('+red', {
      from: '2020',
      to: '∞',
      said: '2020',
      evidence: [{ session: 'other', seq: 1 }],
    }),
  );
  const claim = await shop.assert(
    saying(`+${CANARY} blue`, {
      from: '2022',
      to: '∞',
      said: '2022',
      statement: `It is ${CANARY} blue.`,
      properties: { [`${CANARY} key`]: `${CANARY} value` },
      instance: `${CANARY} instance`,
      extractor: `${CANARY} model`,
      evidence: [{ session: 'secret', seq: 1, quote: `said ${CANARY}` }],
    }),
    { reason: `because of ${CANARY}` },
  );
  const entity = await shop.assert({
    subject: { name: `${CANARY} Smith`, type: `${CANARY} type`, distinct: `${CANARY} mark` },
    predicate: `${CANARY} predicate`,
    object: { entity: `${CANARY} Jones` },
    evidence: [{ session: 'secret', seq: 2 }],
  });
  await shop.entities.alias({ id: entity.opened[0]!.subject.id }, `${CANARY} alias`, {
    reason: CANARY,
  });
  await shop.assert({
    subject: 'it',
    predicate: 'has',
    object: { json: { [CANARY]: [CANARY] } },
    evidence: [{ session: 'secret', seq: 3 }],
  });
  const wrong = await shop.assert({
    subject: 'it',
    predicate: 'has',
    object: 'kept',
    evidence: [{ session: 'other', seq: 3 }],
  });
  await shop.correct({
    was: wrong.claims[0]!,
    object: `${CANARY} correction`,
    evidence: [{ session: 'secret', seq: 4 }],
  });
  const taken = await shop.assert({
    subject: 'it',
    predicate: 'has',
    object: `${CANARY} taken back`,
    evidence: [{ session: 'secret', seq: 5 }],
  });
  await shop.retract(taken.claims[0]!, { reason: `no ${CANARY}` });
  await shop.assert({
    subject: 'it',
    predicate: 'has',
    object: 'shared',
    evidence: [
      { session: 'secret', seq: 6, quote: `${CANARY} quote` },
      { session: 'other', seq: 2 },
    ],
  });
  return { claim, entity };
}

describe('an erasure', () => {
  test('leaves nothing to be read in any file, and the rest as it was', async () => {
    const path = temporaryFolder();
    const clock = testClock();
    const memory = await opened({ path, clock });
    const shop = memory.in(SHOP);
    await plant(shop);
    await memory.close();
    expect(filesWith(path, CANARY).length).toBeGreaterThan(0);

    const second = await opened({ path, clock });
    const receipt = await second.in(SHOP).forget({ session: 'secret' }, { mode: 'erase' });
    expect(receipt).toMatchObject({
      mode: 'erase',
      committed: true,
      claims: 6,
      entities: 2,
      sessions: ['secret'],
      effect: null,
    });
    expect(receipt.facts).toBeGreaterThan(0);
    expect(JSON.stringify(receipt)).not.toContain(CANARY);
    expect(filesWith(path, CANARY)).toEqual([]);
    const answers = async (handle: Shop): Promise<unknown> => ({
      is: objects(await handle.facts({ predicate: 'is' })),
      has: objects(await handle.facts({ predicate: 'has' })),
      ever: (await handle.history({ subject: 'it' })).facts.map((f) => f.object),
      entities: (await handle.entities.list().toArray()).map((e) => e.name),
    });
    const wanted = {
      is: ['red'],
      has: ['kept', 'shared'],
      ever: ['red', 'kept', 'shared'],
      entities: ['it'],
    };
    expect(await answers(second.in(SHOP))).toEqual(wanted);
    const [shared] = await second.in(SHOP).facts({ object: 'shared' });
    expect((await second.in(SHOP).why(shared!)).claims[0]?.evidence.map((e) => e.session)).toEqual([
      'other',
    ]);
    await second.close();
    expect(filesWith(path, CANARY)).toEqual([]);

    const third = await opened({ path, clock });
    expect(await answers(third.in(SHOP))).toEqual(wanted);
    await third.rebuild();
    expect(await answers(third.in(SHOP))).toEqual(wanted);
    expect(filesWith(path, CANARY)).toEqual([]);
  });

  test('what is erased does not come back from its event, also after opening again', async () => {
    const path = temporaryFolder();
    const clock = testClock();
    const memory = await opened({ path, clock });
    await plant(memory.in(SHOP));
    await memory.in(SHOP).forget({ session: 'secret' }, { mode: 'erase' });
    await memory.close();
    const again = await opened({ path, clock });
    const shop = again.in(SHOP);
    const before = (await again.stats()).transactions;
    const told = saying(`+${CANARY} blue`, {
      from: '2022',
      to: '∞',
      said: '2022',
      evidence: [{ session: 'secret', seq: 1 }],
    });
    const result = await shop.assert({ ...told, subject: `${CANARY} Smith` });
    expect(result).toMatchObject({ committed: false, noEffect: { why: 'erased' } });
    expect((await again.stats()).transactions).toBe(before);
    expect(await shop.entities.resolve(`${CANARY} Smith`)).toEqual([]);
    await again.close();
    expect(filesWith(path, CANARY)).toEqual([]);
  });

  test('said by somebody else it may be told', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const { claim } = await plant(shop);
    await shop.forget({ claim: claim.claims[0]! }, { mode: 'erase' });
    const again = await shop.assert(
      saying(`+${CANARY} blue`, {
        from: '2022',
        to: '∞',
        said: '2022',
        evidence: [{ session: 'third', seq: 1 }],
      }),
    );
    expect(again.noEffect).toBeNull();
  });

  const selectors: readonly (readonly [
    string,
    (planted: Awaited<ReturnType<typeof plant>>) => ForgetSelector,
  ])[] = [
    ['fact', ({ claim }) => ({ fact: claim.opened.find((f) => f.object !== 'red')! })],
    ['claim', ({ claim }) => ({ claim: claim.claims[0]! })],
    ['event', () => ({ event: { session: 'secret', seq: 1 } })],
  ];

  test.each(selectors)(
    'by %s: the text is gone at every known time, and what it had closed is open',
    async (_what, selector) => {
      const memory = await opened();
      const shop = memory.in(SHOP);
      const planted = await plant(shop);
      const { tx } = await shop.forget(selector(planted), { mode: 'erase' });
      for (let known = 0; known <= tx; known++) {
        const facts = await shop.facts({ predicate: 'is', during: {}, knownAt: { tx: known } });
        expect(objects(facts)).toEqual(known >= planted.claim.tx - 1 ? ['red'] : []);
      }
      const journal = await memory.admin({ org: 'acme' }).transactions().toArray();
      expect(JSON.stringify(journal)).not.toContain(`${CANARY} blue`);
      expect(JSON.stringify(journal)).not.toContain(`because of ${CANARY}`);
    },
  );

  test('by entity: its names and all that is said of it', async () => {
    const path = temporaryFolder();
    const memory = await opened({ path });
    const shop = memory.in(SHOP);
    for (const name of ['Ann', 'Annabel']) {
      await shop.assert({
        subject: `${CANARY} ${name}`,
        predicate: 'has',
        object: name,
        validFrom: '2020',
      });
    }
    await shop.assert({
      subject: 'it',
      predicate: 'owner',
      object: `${CANARY} Ann`,
      validFrom: '2020',
    });
    await shop.assert({ subject: 'it', predicate: 'has', object: 'kept', validFrom: '2020' });
    const merged = await shop.entities.merge(
      { name: `${CANARY} Ann`, type: 'thing' },
      `${CANARY} Annabel`,
      { reason: CANARY },
    );
    expect(merged.committed).toBe(true);
    const receipt = await shop.forget(
      { entity: { name: `${CANARY} Annabel`, type: 'thing' } },
      { mode: 'erase' },
    );
    expect(receipt).toMatchObject({ claims: 2, entities: 2 });
    const person = await shop.forget(
      { entity: { name: `${CANARY} Ann`, type: 'person' } },
      { mode: 'erase' },
    );
    expect(person).toMatchObject({ claims: 1, entities: 1 });
    expect(filesWith(path, CANARY)).toEqual([]);
    expect(objects(await shop.facts())).toEqual(['kept']);
  });

  test('by scope and by user, and of one org alone', async () => {
    const path = temporaryFolder();
    const memory = await opened({ path });
    const tell = (org: string, user: string) =>
      memory.in({ org, user }).assert({
        subject: `${CANARY} ${user}`,
        predicate: 'is',
        object: `of ${org}`,
        evidence: [{ session: `${org} ${user}`, seq: 1 }],
      });
    await tell('acme', 'ana');
    await tell('acme', 'bo');
    await tell('other', 'ana');
    const receipt = await memory.admin({ org: 'acme' }).forget({ user: 'ana' }, { mode: 'erase' });
    expect(receipt).toMatchObject({ claims: 1, entities: 1, sessions: ['acme ana'] });
    expect(await memory.in({ org: 'other', user: 'ana' }).facts()).toHaveLength(1);
    expect(await memory.in({ org: 'acme', user: 'bo' }).facts()).toHaveLength(1);
    const others = await memory.admin({ org: 'other' }).transactions().toArray();
    expect(JSON.stringify(others)).not.toContain('acme');
    await memory.admin({ org: 'acme' }).forget({ scope: { org: 'acme' } }, { mode: 'erase' });
    await memory.admin({ org: 'other' }).forget({ scope: { org: 'other' } }, { mode: 'erase' });
    expect(filesWith(path, CANARY)).toEqual([]);
    expect((await memory.stats()).claims).toBe(0);
  });

  test('of an entity that only a waiting claim names', async () => {
    const path = temporaryFolder();
    const memory = await opened({ path, policy: () => ({ hold: 'Wait.' }) });
    const shop = memory.in(SHOP);
    await shop.assert({ subject: CANARY, predicate: 'has', object: 'tea' });
    await shop.assert({ subject: 'Ann', predicate: 'has', object: 'tea' });
    const receipt = await shop.forget({ entity: CANARY.toLowerCase() }, { mode: 'erase' });
    expect(receipt).toMatchObject({ claims: 1, committed: true });
    expect(filesWith(path, CANARY)).toEqual([]);
    expect((await shop.held()).map((h) => h.claim.subject.name)).toEqual(['Ann']);
  });

  test('of what waits for approval', async () => {
    const path = temporaryFolder();
    const memory = await opened({ path, policy: () => ({ hold: `ask about ${CANARY}` }) });
    const shop = memory.in(SHOP);
    const held = await shop.assert({
      subject: CANARY,
      predicate: 'is',
      object: CANARY,
      evidence: [{ session: 's', seq: 1 }],
    });
    await shop.reject(held.claims[0]!, { reason: CANARY });
    await shop.forget({ session: 's' }, { mode: 'erase' });
    expect(filesWith(path, CANARY)).toEqual([]);
  });
});
