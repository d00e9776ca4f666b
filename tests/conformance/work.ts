import { type Memory, type Scope, type WriteResult } from '../../lib/index.js';
import type { Model } from './model.js';
import { sees } from './model.js';
import type { Random } from './random.js';
import { LONER, PEOPLE, SCOPES, THINGS, date, day, telling } from './world.js';

/** One thing to do, the same on every memory that it is done to. */
export interface Act {
  readonly name: string;
  readonly run: (memory: Memory) => Promise<unknown>;
  /** Whether its result tells what it opened and closed. */
  readonly kind: 'write' | 'erase';
}

/** Something that people may do next, given what the model knows. */
export function nextAct(random: Random, model: Model, mark: number): Act {
  const scope = random.pick(SCOPES);
  const at = (memory: Memory) => memory.in(scope);
  const write = (name: string, run: Act['run']): Act => ({ name, run, kind: 'write' });
  const dice = random.next();
  if (dice < 0.42) {
    const said = telling(random, mark);
    const to = random.chance(0.15) ? { to: random.pick(seen(scope)) } : {};
    return write('assert', (m) => at(m).assert(input({ ...said, ...to })));
  }
  if (dice < 0.5) {
    const leader = random.pick(PEOPLE);
    const from = date(random);
    const said = {
      subject: LONER,
      predicate: 'lead',
      object: leader,
      validFrom: from,
      observedAt: from,
    };
    return write('assert lead', (m) =>
      at(m).assert(input({ ...said, idempotencyKey: `lead ${mark}` })),
    );
  }
  if (dice < 0.58) {
    const all = [0, 1, 2].map((i) => telling(random, mark + i * 10_000));
    return write('transact', (m) =>
      at(m).transact((t) => all.forEach((said) => t.assert(input(said)))),
    );
  }
  if (dice < 0.78) return onFact(random, model, scope, mark) ?? nextAct(random, model, mark);
  if (dice < 0.83) return ofEntities(random, scope);
  if (dice < 0.87) {
    const tx = 2 + random.below(mark);
    return write(`revert ${tx}`, (m) => at(m).revert(tx));
  }
  if (dice < 0.9) {
    const session = `session ${random.below(8)}`;
    return write('forget a session', async (m) => effectOf(await at(m).forget({ session })));
  }
  if (dice < 0.915) {
    const session = `session ${random.below(8)}`;
    const run: Act['run'] = async (m) => at(m).forget({ session }, { mode: 'erase' });
    return { name: 'erase a session', kind: 'erase', run };
  }
  const said = telling(random, mark);
  return write('try', (m) => at(m).assert(input(said), { dryRun: true }));
}

const seen = (scope: Scope): readonly Scope[] => SCOPES.filter((s) => sees(scope, s));

function onFact(random: Random, model: Model, scope: Scope, mark: number): Act | null {
  const facts = model.believed().filter((f) => sees(scope, f.scope));
  if (facts.length === 0) return null;
  const fact = random.pick(facts);
  const at = (memory: Memory) => memory.in(scope);
  const key = { idempotencyKey: `change ${mark}`, observedAt: day(random) };
  const when = date(random);
  const write = (name: string, run: Act['run']): Act => ({ name, run, kind: 'write' });
  switch (random.below(fact.predicate === 'lead' ? 3 : 5)) {
    case 0:
      return write('correct the start', (m) =>
        at(m).correct({ was: fact, validFrom: when, ...key }),
      );
    case 1:
      return write('retract', (m) => at(m).retract(fact));
    case 2:
      return write('forget a fact', async (m) => effectOf(await at(m).forget({ fact })));
    case 3:
      return write('end', (m) => at(m).end({ fact, at: when, ...key }));
    default:
      return write('end if unchanged', (m) =>
        at(m).end({ fact, at: when, ...key }, { ifTx: fact.knownFrom.tx }),
      );
  }
}

function ofEntities(random: Random, scope: Scope): Act {
  const at = (memory: Memory) => memory.in(scope).entities;
  const isPerson = random.chance(0.7);
  const names = isPerson ? PEOPLE : THINGS;
  const type = isPerson ? { type: 'person' } : {};
  const a = { name: random.pick(names), ...type };
  const b = { name: random.pick(names), ...type };
  const write = (name: string, run: Act['run']): Act => ({ name, run, kind: 'write' });
  switch (random.below(4)) {
    case 0:
      return write('split', (m) => at(m).split(a));
    case 1:
      return write('alias', (m) => at(m).alias(a, `${a.name} the younger`));
    case 2:
      return write('declare', (m) => at(m).declare(a));
    default:
      return write('merge', (m) => at(m).merge(a, b));
  }
}

/** A forgetting by retraction, as the write that it is. */
const effectOf = ({ effect, ...receipt }: { readonly effect: object | null }): unknown => ({
  ...receipt,
  ...effect,
});

/** The door takes unknown input and checks it; the type of the random telling is as loose on purpose. */
type Input = Parameters<ReturnType<Memory['in']>['assert']>[0];
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
const input = (said: Record<string, unknown>): Input => said as unknown as Input;

/** What a verb gave, or how it refused: both must be the same everywhere. */
export async function outcome(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      return { refused: error.code, message: error.message };
    }
    throw error;
  }
}

export function isCommitted(value: unknown): value is WriteResult {
  return (
    typeof value === 'object' && value !== null && 'committed' in value && value.committed === true
  );
}
