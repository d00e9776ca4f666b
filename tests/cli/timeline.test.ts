import { describe, expect, test } from 'vitest';
import { defineOntology, openMemory, type Fact, type Handle } from '../../lib/index.js';
import { legend, timelineLines } from '../../lib/cli/timeline.js';
import { displayWidth } from '../../lib/cli/width.js';

const output = { style: (_: unknown, text: string): string => text };
const ontology = defineOntology({ predicates: { database: { cardinality: 'one' } } });

/** Facts of all known times of what was told to a memory whose clock goes on by a day a verb. */
async function historyOf(
  tell: (shop: Handle<typeof ontology>) => Promise<void>,
  predicate = 'database',
): Promise<readonly Fact[]> {
  let now = Date.parse('2025-01-01T12:00:00Z');
  const clock = (): number => (now += 86_400_000);
  await using memory = await openMemory({ store: 'memory', ontology, clock });
  const shop = memory.in({ org: 'acme' });
  await tell(shop);
  return (await shop.history({ subject: 'shop', predicate })).facts;
}

const says = (object: string, validFrom: string, more: object = {}) => ({
  subject: 'shop',
  predicate: 'database',
  object,
  validFrom,
  observedAt: validFrom,
  ...more,
});

/** Known times differ with the clock's steps: only the bars are compared. */
const bars = (facts: readonly Fact[], width = 40): string[] => {
  const lines = timelineLines(facts, { width, timeZone: 'UTC' }, output);
  const gutter = lines[0]?.indexOf('valid') ?? 0;
  return lines.map((line) => line.slice(gutter));
};

describe('the two axes in text', () => {
  test('a succession ends the first bar and opens a second one', async () => {
    const facts = await historyOf(async (shop) => {
      await shop.assert(says('SQLite', '2024-01-10'));
      await shop.assert(says('Postgres', '2024-06-01'));
    });
    expect(bars(facts)).toEqual([
      'valid ▶',
      '2024-01-10                 2024-06-01',
      '┣─ SQLite ─────────────────────────────▶',
      '┣━ SQLite ━━━━━━━━━━━━━━━━┫┣━ Postgres ▶',
    ]);
    expect(legend(facts, output)).toBe('━━━ still believed   ─── ended: later an end was told');
  });

  test('what was wrong and what was taken back are drawn otherwise', async () => {
    const facts = await historyOf(async (shop) => {
      await shop.assert(says('SQLite', '2024-01-10'));
      const { opened } = await shop.assert(
        says('Mongo', '2024-06-01', { observedAt: '2025-01-02' }),
      );
      const mongo = opened.find((fact) => fact.object === 'Mongo');
      await shop.correct({ was: mongo?.id ?? '', object: 'Postgres' });
      await shop.retract((await shop.facts()).map((fact) => fact.id));
    });
    const drawn = bars(facts).slice(2);
    expect(drawn[1]).toMatch(/^┣. SQLite .*┫┣× Mongo ×+▶$/u);
    expect(drawn[2]).toMatch(/^┣. SQLite .*┫┣· Postgres ·*▶$/u);
    expect(drawn[3]).toMatch(/^┣━ SQLite ━+/u);
    expect(legend(facts, output)).toContain('××× corrected');
    expect(legend(facts, output)).toContain('··· withdrawn');
  });

  test('a belief that is gone leaves an empty band', async () => {
    const facts = await historyOf(async (shop) => {
      const { opened } = await shop.assert(says('SQLite', '2024-01-10'));
      await shop.retract(opened.map((fact) => fact.id));
    });
    expect(bars(facts).at(-1)).toBe('(nothing)');
  });

  test('what holds at the same time is drawn in lanes, and Chinese takes its two columns', async () => {
    const facts = await historyOf(async (shop) => {
      await shop.assert({ ...says('阿里云', '2024-01-10'), predicate: 'uses' });
      await shop.assert({ ...says('Redis', '2024-03-01'), predicate: 'uses' });
    }, 'uses');
    const lines = bars(facts);
    expect(lines.at(-2)).toMatch(/^┣━ 阿里云 ━+▶$/u);
    expect(lines.at(-1)).toMatch(/^ +┣━ Redis ━+▶$/u);
    expect(displayWidth(lines.at(-2) ?? '')).toBe(40);
    expect(displayWidth(lines.at(-1) ?? '')).toBe(40);
  });

  test('each transaction that changed the belief is one band, in the order of known time', async () => {
    const facts = await historyOf(async (shop) => {
      await shop.assert(says('SQLite', '2024-01-10'));
      await shop.assert({ ...says('Redis', '2024-01-10'), predicate: 'uses' });
      await shop.assert(says('Postgres', '2024-06-01'));
    });
    const lines = timelineLines(facts, { width: 40, timeZone: 'UTC' }, output).slice(2);
    expect(lines.map((line) => /tx (\d+)/u.exec(line)?.[1])).toEqual(['2', '4']);
  });
});
