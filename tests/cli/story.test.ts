import { beforeAll, describe, expect, test } from 'vitest';
import { openMemory, type Handle, type ObjectValue } from '../../lib/index.js';
import { tellStory } from '../../lib/cli/demo/load.js';
import { askAll, MOMENTS, type Answers } from '../../lib/cli/demo/questions.js';
import { LAST_DAY, ontology, SCOPE, STORY } from '../../lib/cli/demo/story.js';

const events = STORY.flatMap((session) => session.events);
const claims = events.flatMap((event) => event.claims);

describe('the story', () => {
  test('quotes each event word for word', () => {
    const wrong = events.flatMap(({ text, claims }) =>
      claims.filter(({ quote }) => quote === '' || !text.includes(quote)).map(({ quote }) => quote),
    );
    expect(wrong).toEqual([]);
  });

  test('is long enough, of eighteen months, of three people, and about a third of it in Chinese', () => {
    expect(claims.length).toBeGreaterThanOrEqual(60);
    expect(events[0]?.at.slice(0, 7)).toBe('2024-05');
    expect(LAST_DAY.slice(0, 7)).toBe('2025-11');
    expect(new Set(events.filter((e) => e.role === 'user').map((e) => e.by))).toEqual(
      new Set(['Mira', 'Jonas', '林悦']),
    );
    const chinese = claims.filter(({ quote }) => /\p{Script=Han}/u.test(quote)).length;
    expect(chinese / claims.length).toBeGreaterThan(0.28);
    expect(chinese / claims.length).toBeLessThan(0.4);
  });

  test('is told forwards in known time', () => {
    const heard = STORY.flatMap((s) => s.events.map((e) => Date.parse(s.receivedAt ?? e.at)));
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
  });

  test('numbers the events of each session', () => {
    expect(new Set(STORY.map((s) => s.id)).size).toBe(STORY.length);
    for (const { events } of STORY)
      expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1));
  });
});

describe('what the memory makes of the story', () => {
  let harbour: Handle<typeof ontology>;
  let answers: Answers;

  beforeAll(async () => {
    const clock = { now: 0 };
    const memory = await openMemory({ store: 'memory', ontology, clock: () => clock.now });
    await tellStory(memory, clock);
    clock.now = Date.parse(LAST_DAY);
    harbour = memory.in(SCOPE);
    answers = await askAll(harbour);
    return () => memory.close();
  });

  const plain = (object: ObjectValue): unknown => {
    if (typeof object !== 'object') return object;
    if ('name' in object) return object.name;
    return 'instant' in object ? object.instant.slice(0, 10) : object.json;
  };

  const byText = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : 1);

  /** The objects of a subject and predicate, with when they are valid. */
  const ask = async (
    subject: string,
    predicate: string,
    valid: string,
    known?: string,
  ): Promise<unknown[]> => {
    const view = harbour.asOf({ valid, ...(known === undefined ? {} : { known }) });
    const facts = await view.facts({ subject, predicate });
    return facts.map((fact) => plain(fact.object)).sort(byText);
  };

  const table = (facts: Answers['now'], subject: string): Record<string, unknown> =>
    Object.fromEntries(
      facts
        .filter(
          (fact) => fact.subject.name === subject && !['uses', 'member'].includes(fact.predicate),
        )
        .map((fact) => [fact.predicate, plain(fact.object)]),
    );

  test('1: what is true now', async () => {
    expect(table(answers.now, 'Harbour')).toEqual({
      backups: '阿里云',
      cache: 'Valkey',
      database: 'Postgres',
      deadline: '2026-03-01',
      office: 'Porto',
      'on call': 'Tomas',
      owner: 'Mira',
      payments: 'Adyen',
      phase: 'production',
      region: 'eu-central',
    });
    expect(table(answers.now, '移动端')).toEqual({
      deadline: '2025-02-01',
      framework: 'React Native',
      owner: '林悦',
      phase: '正式版',
    });
    expect(await ask('Harbour', 'uses', LAST_DAY)).toEqual(['Playwright', 'TypeScript']);
    expect(await ask('Harbour', 'member', LAST_DAY)).toEqual(['Tomas', '林悦']);
    expect(await ask('Mira', 'works on', LAST_DAY)).toEqual([]);
  });

  test('2: what was true then', () => {
    expect(table(answers.past, 'Harbour')).toEqual({
      backups: 'Backblaze',
      cache: 'Redis',
      database: 'Postgres',
      deadline: '2024-11-15',
      office: 'Lisbon',
      'on call': '林悦',
      owner: 'Mira',
      payments: 'Stripe',
      phase: 'prototype',
      region: 'eu-west',
    });
  });

  test('3: what was believed of a day before the correction, and what is believed of it now', () => {
    expect(answers.believedThen.map((fact) => fact.object)).toEqual(['eu-north']);
    expect(answers.believedNow.map((fact) => fact.object)).toEqual(['eu-west']);
  });

  test('4: the history of that belief', () => {
    const told = answers.history.facts.map((f) => [
      f.object,
      f.validFrom?.slice(0, 10),
      f.closedAs,
    ]);
    expect(told).toEqual([
      ['eu-west', '2024-05-06', 'ended'],
      ['eu-west', '2024-05-06', 'revised'],
      ['eu-north', '2024-09-01', 'corrected'],
      ['eu-west', '2024-05-06', 'ended'],
      ['eu-west', '2024-05-06', 'revised'],
      ['eu-central', '2025-06-01', 'revised'],
      ['eu-west', '2024-05-06', null],
      ['eu-central', '2025-07-01', null],
    ]);
  });

  test('5: why, with the quotes of both events', () => {
    const quotes = answers.why.claims.flatMap((claim) => claim.evidence.map((e) => e.quote));
    expect(quotes).toEqual(['host in eu-west', 'Harbour never ran in eu-north']);
  });

  test('6: what changed between two dates', () => {
    const { changes } = answers;
    expect(changes.map((c) => [c.at.slice(0, 10), c.actor])).toEqual([
      ['2025-05-20', 'Jonas'],
      ['2025-05-20', '林悦'],
      ['2025-07-16', 'Jonas'],
    ]);
    const opened = changes.flatMap((c) =>
      c.opened.map((f) => `${f.predicate} ${String(plain(f.object))}`),
    );
    expect(opened).toContain('payments Adyen');
    expect(opened).toContain('phase production');
  });

  test('an interruption does not end what it interrupts', async () => {
    expect(await ask('Harbour', 'on call', '2024-10-13')).toEqual(['Jonas']);
    expect(await ask('Harbour', 'on call', '2024-10-28')).toEqual(['Jonas']);
    expect(await ask('移动端', 'owner', '2025-08-10')).toEqual(['陈涛']);
    expect(await ask('移动端', 'owner', '2025-08-18')).toEqual(['林悦']);
  });

  test('what was heard late takes its place in the past', async () => {
    expect(await ask('Harbour', 'cache', '2024-07-01', '2025-02-09')).toEqual([]);
    expect(await ask('Harbour', 'cache', '2024-07-01')).toEqual(['Memcached']);
    expect(await ask('Harbour', 'cache', '2024-09-10', '2025-11-01')).toEqual(['Redis']);
    expect(await ask('Harbour', 'cache', '2024-09-10')).toEqual(['Memcached']);
  });

  test('a plan that was postponed moves, and one that was cancelled never held', async () => {
    expect(await ask('Harbour', 'office', '2025-02-15', '2025-01-01')).toEqual(['Porto']);
    expect(await ask('Harbour', 'office', '2025-02-15')).toEqual(['Lisbon']);
    expect(await ask('Harbour', 'database', '2025-05-01', '2025-01-01')).toEqual(['CockroachDB']);
    expect(await ask('Harbour', 'database', '2025-05-01')).toEqual(['Postgres']);
  });

  test('a denial takes away what was never so, and A to B to A keeps all three', async () => {
    expect(await ask('Harbour', 'uses', '2024-08-01', '2025-03-01')).toContain('MongoDB');
    expect(await ask('Harbour', 'uses', '2024-08-01')).not.toContain('MongoDB');
    const { facts } = await harbour.history({ subject: 'Harbour', predicate: 'owner' });
    const owners = facts
      .filter((f) => f.knownTo === null)
      .sort((a, b) => ((a.validFrom ?? '') < (b.validFrom ?? '') ? -1 : 1));
    expect(owners.map((f) => plain(f.object))).toEqual(['Mira', 'Jonas', 'Mira']);
  });

  test('the Chinese name means the same project', async () => {
    expect(await ask('港湾', 'region', MOMENTS.now)).toEqual(['eu-central']);
  });
});
