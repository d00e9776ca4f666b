import { describe, expect, test } from 'vitest';
import type { BeliefClaim } from '../../lib/belief/claim.js';
import { fold } from '../../lib/belief/fold.js';
import { FOREVER } from '../../lib/model/interval.js';
import { naiveFold, supportAt } from './naive.js';
import { at, claim, DOCUMENT, told, USER, without } from './telling.js';

/**
 * The examples by which the semantics are agreed, as far as the claims of one key decide them. What
 * was known earlier is the fold of the claims accepted by then; what was withdrawn or corrected is a
 * claim that takes no part. Each is checked on the fold and on the reference model.
 */

const models = [
  { name: 'the fold', evaluate: fold },
  { name: 'the reference model', evaluate: naiveFold },
];

describe.each(models)('$name', ({ evaluate }) => {
  /** Every arrival order has to give the same. */
  const believed = (...claims: BeliefClaim[]): string[] => {
    const stretches = told(evaluate(claims));
    for (let i = 1; i < claims.length; i++) {
      expect(told(evaluate([...claims.slice(i), ...claims.slice(0, i)]))).toEqual(stretches);
    }
    expect(told(evaluate(claims.toReversed()))).toEqual(stretches);
    return stretches;
  };

  const valueOf =
    (...claims: BeliefClaim[]) =>
    (date: string): string | null => {
      const here = evaluate(claims).filter((s) => s.from <= at(date) && at(date) < s.to);
      expect(here.length).toBeLessThanOrEqual(1);
      const [stretch] = here;
      return stretch?.polarity === 'assert' ? stretch.object : null;
    };

  describe('one thing after another', () => {
    const sqlite = claim('+SQLite', { from: '2024-01-10', to: '∞', said: '2024-01-10' });
    const postgres = claim('+Postgres', { from: '2025-06-01', to: '∞', said: '2025-06-02' });

    test('a later state ends the one before it, and nothing is invented before the first', () => {
      const value = valueOf(sqlite, postgres);
      expect(value('2024-06')).toBe('SQLite');
      expect(value('2025-06-01')).toBe('Postgres');
      expect(value('2024-01-09')).toBeNull();
    });

    test('the order in which the two were told plays no part', () => {
      const stretches = ['2024-01-10 .. 2025-06-01 SQLite', '2025-06-01 .. ∞ Postgres'];
      expect(believed(sqlite, postgres)).toEqual(stretches);
      expect(believed(postgres, sqlite)).toEqual(stretches);
    });

    test('coming back to an earlier value is a stretch of its own', () => {
      const stretches = believed(
        claim('+oslo', { from: '2020', to: '∞', said: '2020' }),
        claim('+rome', { from: '2022', to: '∞', said: '2022' }),
        claim('+oslo', { from: '2025', to: '∞', said: '2025' }),
      );
      expect(stretches).toEqual([
        '2020-01-01 .. 2022-01-01 oslo',
        '2022-01-01 .. 2025-01-01 rome',
        '2025-01-01 .. ∞ oslo',
      ]);
    });

    test('what is said later about the same start takes its place from the start', () => {
      const london = claim('+london', { from: '2024', to: '∞', said: '2024-01-01' });
      const paris = claim('+paris', { from: '2024', to: '∞', said: '2024-03-01' });
      expect(believed(london, paris)).toEqual(['2024-01-01 .. ∞ paris']);
      expect(believed(london), 'as known before').toEqual(['2024-01-01 .. ∞ london']);
    });

    test('a start said to be earlier moves what it replaces, but only once it is known', () => {
      const nine = claim('+9', { from: '2024-05-01', to: '∞', said: '2024-05-01' });
      const seven = claim('+7', { from: '2024-04-20', to: '∞', said: '2024-05-10' });
      expect(valueOf(nine, seven)('2024-05-02')).toBe('7');
      expect(valueOf(nine)('2024-05-02'), 'as known before').toBe('9');
    });

    test('history told late goes before the present', () => {
      const a = claim('+A', { from: '2024', to: '∞', said: '2024-01-01' });
      const b = claim('+B', { from: '2023-06-01', to: '2024-01-01', said: '2024-02-01' });
      expect(valueOf(a, b)('2023-07')).toBe('B');
      expect(valueOf(a)('2023-07'), 'as known before').toBeNull();
      expect(believed(a, b)).toEqual(['2023-06-01 .. 2024-01-01 B', '2024-01-01 .. ∞ A']);
    });

    test('an earlier start of the same value is one longer stretch', () => {
      const known = claim('+oslo', { from: '2024-01', to: '∞', said: '2024-01-01' });
      const earlier = claim('+oslo', { from: '2023-03', to: '∞', said: '2024-02-01' });
      expect(valueOf(known)('2023-06'), 'as known before').toBeNull();
      expect(believed(known, earlier)).toEqual(['2023-03-01 .. ∞ oslo']);
    });
  });

  describe('interruptions and recaps', () => {
    const red = claim('+red', { from: '2020', to: '∞', said: '2020' });
    const blue = claim('+blue', { from: '2022-01', to: '2022-07', said: '2022-08' });
    const interrupted = [
      '2020-01-01 .. 2022-01-01 red',
      '2022-01-01 .. 2022-07-01 blue',
      '2022-07-01 .. ∞ red',
    ];

    test('what went on before an interruption goes on after it', () => {
      expect(believed(red, blue)).toEqual(interrupted);
    });

    test('a recap does not wipe out the interruption', () => {
      const recap = claim('+red', { from: '2020', to: '∞', said: '2023' });
      expect(believed(red, blue, recap)).toEqual(interrupted);
    });

    test('the part after the interruption can be corrected away alone', () => {
      const cut = without(red, { from: at('2022-07'), to: FOREVER });
      const value = valueOf(cut, blue);
      expect(value('2021')).toBe('red');
      expect(value('2022-03')).toBe('blue');
      expect(value('2023')).toBeNull();
    });
  });

  describe('presumptions give way', () => {
    test('a plan is not overwritten by the state of today', () => {
      const value = valueOf(
        claim('+Postgres', { from: '2024-03', to: '∞', said: '2024-01-05' }),
        claim('+MySQL', { from: '2024-02', to: '∞', said: '2024-02-10' }),
      );
      expect(value('2024-02-20')).toBe('MySQL');
      expect(value('2024-03-02')).toBe('Postgres');
    });

    test('what is said later and covers the instant definitely wins', () => {
      const value = valueOf(
        claim('+Postgres', { from: '2024-03', to: '∞', said: '2024-03-10' }),
        claim('+SQLite', { from: '2024-02', to: '∞', said: '2024-04-01' }),
      );
      expect(value('2024-03-05')).toBe('SQLite');
    });

    test('a remark about the past does not end the present', () => {
      const value = valueOf(
        claim('+Postgres', { from: '2024', to: '∞', said: '2024-06' }),
        claim('+MySQL', { from: '2022', to: '?', said: '2024-07' }),
      );
      expect(value('2022-05')).toBe('MySQL');
      expect(value('2024-02')).toBe('Postgres');
    });

    test('whoever presumed it, it gives way to an end that starts later', () => {
      const a = claim('+A', { from: '2020', to: '∞', said: '2020', authority: USER });
      const end = claim('-A', { from: '2025', to: '∞', said: '2025-02', authority: DOCUMENT });
      const value = valueOf(a, end);
      expect(value('2024')).toBe('A');
      expect(value('2026')).toBeNull();
    });

    test('a plan that was corrected away leaves the state of today open', () => {
      const mysql = claim('+MySQL', { from: '2024', to: '∞', said: '2024' });
      const plan = claim('+PG', { from: '2024-03', to: '∞', said: '2024-01' });
      expect(valueOf(mysql, plan)('2024-04'), 'as known before').toBe('PG');
      expect(believed(mysql, without(plan))).toEqual(['2024-01-01 .. ∞ MySQL']);
    });
  });

  describe('unknown starts', () => {
    test('a state whose start is unknown counts from when it was said, until the next', () => {
      const stretches = believed(
        claim('+meat', { from: null, to: '∞', said: '2023' }),
        claim('+vegan', { from: '2024', to: '∞', said: '2024' }),
      );
      expect(stretches).toEqual(['2023-01-01 .. 2024-01-01 meat', '2024-01-01 .. ∞ vegan']);
    });

    test('"until 2024" holds in 2023 and is presumed before, not after', () => {
      const vegan = claim('+vegan', { from: null, to: '2024', said: '2025' });
      expect(believed(vegan)).toEqual(['-∞ .. 2024-01-01 vegan']);
      const meat = claim('+meat', { from: '2020', to: '∞', said: '2020' });
      const value = valueOf(vegan, meat);
      expect(value('2019'), 'presumed where nothing else is known').toBe('vegan');
      expect(value('2022-12'), 'presumed, and gives way').toBe('meat');
      expect(value('2023-12'), 'definite').toBe('vegan');
      expect(value('2024-02')).toBe('meat');
    });

    test('"used to" without any date is never current', () => {
      expect(believed(claim('+tea', { from: null, to: '?', said: '2024' }))).toEqual([]);
    });
  });

  describe('ends', () => {
    test('a stretch told when it was long over is believed for its time', () => {
      const atlas = claim('+atlas', { from: '2019', to: '2021', said: '2024' });
      expect(believed(atlas)).toEqual(['2019-01-01 .. 2021-01-01 atlas']);
    });

    test('an announced end moves when the successor came earlier', () => {
      const acme = claim('+Acme', { from: '2020', to: '2025', said: '2024' });
      const birch = claim('+Birch', { from: '2023', to: '∞', said: '2024-06' });
      expect(believed(acme), 'as known before').toEqual(['2020-01-01 .. 2025-01-01 Acme']);
      expect(believed(acme, birch)).toEqual([
        '2020-01-01 .. 2023-01-01 Acme',
        '2023-01-01 .. ∞ Birch',
      ]);
    });

    test('a denial ends what it denies from its own start', () => {
      const value = valueOf(
        claim('+Postgres', { from: '2025', to: '∞', said: '2025' }),
        claim('-Postgres', { from: '2025-09', to: '∞', said: '2025-10' }),
      );
      expect(value('2025-08')).toBe('Postgres');
      expect(value('2025-11')).toBeNull();
    });

    test('the same stretch told again with an end has that end', () => {
      const stretches = believed(
        claim('+A', { from: '2020', to: '∞', said: '2020' }),
        claim('+A', { from: '2020', to: '2024', said: '2025' }),
      );
      expect(stretches).toEqual(['2020-01-01 .. 2024-01-01 A', '2024-01-01 .. ∞ no A']);
    });

    test('a window inside a stretch does not end it', () => {
      const stretches = believed(
        claim('+A', { from: '2020', to: '∞', said: '2020' }),
        claim('+A', { from: '2022', to: '2023', said: '2023' }),
      );
      expect(stretches).toEqual(['2020-01-01 .. ∞ A']);
    });
  });

  describe('predicates of many values, where each object is a key', () => {
    test('one value does not touch another', () => {
      expect(believed(claim('+m7', { from: '2024-01', to: '∞', said: '2024-01' }))).toEqual([
        '2024-01-01 .. ∞ m7',
      ]);
      expect(believed(claim('+m3', { from: '2024-02', to: '∞', said: '2024-02' }))).toEqual([
        '2024-02-01 .. ∞ m3',
      ]);
    });

    test('a denial ends its own object alone, a denial of everything each of them', () => {
      const go = claim('+go', { from: '2020', to: '∞', said: '2020' });
      const rust = claim('+rust', { from: '2020', to: '∞', said: '2020' });
      const noRust = claim('-rust', { from: '2025', to: '∞', said: '2025' });
      const nothing = claim('-*', { from: '2026', to: '∞', said: '2026' });
      expect(believed(go)).toEqual(['2020-01-01 .. ∞ go']);
      expect(believed(rust, noRust)).toEqual([
        '2020-01-01 .. 2025-01-01 rust',
        '2025-01-01 .. ∞ no rust',
      ]);
      expect(believed(go, nothing)).toEqual([
        '2020-01-01 .. 2026-01-01 go',
        '2026-01-01 .. ∞ no *',
      ]);
    });
  });

  describe('taking claims out', () => {
    test('a start corrected to a later one is gone before it', () => {
      const january = claim('+oslo', { from: '2024-01', to: '∞', said: '2024-01-01' });
      const june = claim('+oslo', { from: '2024-06', to: '∞', said: '2024-02-01' });
      expect(valueOf(january)('2024-03'), 'as known before').toBe('oslo');
      expect(believed(without(january), june)).toEqual(['2024-06-01 .. ∞ oslo']);
    });

    test('what two sources say stays when one is forgotten', () => {
      const first = claim('+oslo', { from: '2024', to: '∞', said: '2024-01-01' });
      const second = claim('+oslo', { from: '2024', to: '∞', said: '2024-02-01' });
      expect(believed(first, second)).toEqual(['2024-01-01 .. ∞ oslo']);
      expect(believed(without(first), second)).toEqual(['2024-01-01 .. ∞ oslo']);
    });

    test('what an end had closed is open again when the end is forgotten', () => {
      const a = claim('+A', { from: '2024', to: '∞', said: '2024' });
      const b = claim('+B', { from: '2025', to: '∞', said: '2025' });
      expect(believed(a, b)).toEqual(['2024-01-01 .. 2025-01-01 A', '2025-01-01 .. ∞ B']);
      expect(believed(a, without(b))).toEqual(['2024-01-01 .. ∞ A']);
    });
  });

  describe('properties', () => {
    const cto = { from: '2024', to: '∞', said: '2024', properties: { role: 'CTO' } };

    test('a property that a later claim leaves out is kept, in one stretch', () => {
      const stretches = evaluate([
        claim('+Acme', cto),
        claim('+Acme', { from: '2025', to: '∞', said: '2025' }),
      ]);
      expect(told(stretches)).toEqual(['2024-01-01 .. ∞ Acme']);
      expect(stretches[0]?.properties).toEqual({ role: 'CTO' });
    });

    test('a property that changes starts a stretch, and null clears it', () => {
      const stretches = evaluate([
        claim('+Acme', cto),
        claim('+Acme', { from: '2025', to: '∞', said: '2025', properties: { role: 'CEO' } }),
        claim('+Acme', { from: '2026', to: '∞', said: '2026', properties: { role: null } }),
      ]);
      expect(stretches.map((s) => s.properties)).toEqual([{ role: 'CTO' }, { role: 'CEO' }, null]);
      expect(told(stretches)).toEqual([
        '2024-01-01 .. 2025-01-01 Acme',
        '2025-01-01 .. 2026-01-01 Acme',
        '2026-01-01 .. ∞ Acme',
      ]);
    });
  });

  describe('instances', () => {
    const mayor = claim('+mayor', { from: '2020', to: '∞', said: '2020', instance: 'second term' });

    test('a denial that names an instance denies no other', () => {
      const when = { from: '2022', to: '∞', said: '2022' };
      const first = claim('-mayor', { ...when, instance: 'first term' });
      const second = claim('-mayor', { ...when, instance: 'second term' });
      expect(valueOf(mayor, first)('2023')).toBe('mayor');
      expect(valueOf(mayor, second)('2023')).toBeNull();
    });

    test('a denial that names none denies each of them', () => {
      const any = claim('-mayor', { from: '2022', to: '∞', said: '2022' });
      expect(valueOf(mayor, any)('2023')).toBeNull();
    });

    test('an end told for one instance restates no other', () => {
      const ended = { from: '2020', to: '2022', said: '2024' };
      expect(valueOf(mayor, claim('+mayor', { ...ended, instance: 'first term' }))('2023')).toBe(
        'mayor',
      );
      expect(
        valueOf(mayor, claim('+mayor', { ...ended, instance: 'second term' }))('2023'),
      ).toBeNull();
    });
  });
});

test('the support of what two sources say is the source that is left', () => {
  const first = claim('+oslo', { from: '2024', to: '∞', said: '2024-01-01' });
  const second = claim('+oslo', { from: '2024', to: '∞', said: '2024-02-01' });
  const support = (...claims: BeliefClaim[]): number[] =>
    supportAt(claims, at('2024-03')).map((c) => c.observedAt);
  expect(support(first, second)).toEqual([first.observedAt, second.observedAt]);
  expect(support(without(first), second)).toEqual([second.observedAt]);
});
