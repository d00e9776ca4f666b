import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { Scope } from '../../lib/index.js';
import { remembering, Watch } from './remembering.js';

const SCOPES: readonly Scope[] = [
  { org: 'acme' },
  { org: 'acme', project: 'shop' },
  { org: 'acme', user: 'ana' },
  { org: 'acme', project: 'shop', user: 'ana' },
  { org: 'acme', project: 'bank' },
  { org: 'other' },
];
const WORDS = ['amber', 'birch', 'cedar'] as const;

const year = fc.integer({ min: 2015, max: 2025 });

const telling = fc.record({
  kind: fc.constantFrom('assert', 'assert', 'assert', 'deny', 'retract'),
  scope: fc.nat(SCOPES.length - 1),
  subject: fc.constantFrom('shop', 'bank'),
  predicate: fc.constantFrom('database', 'uses'),
  object: fc.constantFrom('one', 'two', 'three'),
  word: fc.constantFrom(...WORDS),
  from: year,
  lasts: fc.option(fc.integer({ min: 1, max: 4 })),
});

const asking = fc.record({
  scope: fc.nat(SCOPES.length - 1),
  validAt: year,
  back: fc.nat(4),
});

describe('what a search finds', () => {
  test.prop(
    [
      fc.array(telling, { minLength: 1, maxLength: 14 }),
      fc.array(asking, { minLength: 3, maxLength: 3 }),
    ],
    {
      numRuns: 120,
    },
  )(
    'is what a look at every fact of the scopes and times in sight finds',
    async (tellings, askings) => {
      const watch = new Watch('2026-01-01T12:00:00Z');
      const memory = await remembering({ watch });
      const claims: string[] = [];
      for (const { kind, scope, subject, predicate, object, word, from, lasts } of tellings) {
        watch.now += 60_000;
        const handle = memory.in(SCOPES[scope]!);
        const earlier = claims.at(-1);
        if (kind === 'retract') {
          // What this scope cannot see is refused, which is as good here.
          if (earlier !== undefined) await handle.retract(earlier).catch(() => undefined);
          continue;
        }
        const result = await handle.assert({
          subject,
          predicate,
          object,
          polarity: kind,
          statement: `everything ${word}`,
          validFrom: String(from),
          observedAt: String(from),
          ...(lasts === null ? {} : { validTo: String(from + lasts) }),
        });
        claims.push(...result.claims);
      }
      const { transactions } = await memory.stats();
      for (const { scope, validAt, back } of askings) {
        const handle = memory.in(SCOPES[scope]!);
        const point = {
          validAt: String(validAt),
          knownAt: { tx: Math.max(0, transactions - back) },
        };
        const expected = await handle.facts(point);
        const options = { ...point, floor: 0, limit: 1_000 };
        const { hits } = await handle.search('everything', options);
        const found = hits.flatMap((hit) => (hit.kind === 'fact' ? [hit.fact] : []));
        const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
        expect(found.toSorted(byId)).toEqual([...expected].sort(byId));
        for (const word of WORDS) {
          const some = await handle.search(word, options);
          const ids = new Set(expected.map(({ id }) => id));
          for (const hit of some.hits) {
            expect(hit.kind === 'fact' && ids.has(hit.fact.id)).toBe(true);
          }
        }
      }
      await memory.close();
    },
  );
});
