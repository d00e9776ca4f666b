import { performance } from 'node:perf_hooks';

/** Milliseconds. */
export interface Sample {
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly min: number;
  readonly max: number;
  /** Half the distance between the quartiles, as a part of the median. */
  readonly spread: number;
}

export function sampleOf(times: readonly number[]): Sample {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  const p50 = at(0.5);
  return {
    n: times.length,
    p50,
    p95: at(0.95),
    min: at(0),
    max: at(1),
    spread: (at(0.75) - at(0.25)) / 2 / p50,
  };
}

/** One way of answering a question; `answer` makes what ways are compared by. */
export interface Way<Q, A> {
  readonly ask: (question: Q) => Promise<A> | A;
  readonly answer: (reply: A) => unknown;
}

/** Seals the type of the reply, so that ways with different ones stand in one list. */
export interface Contestant<Q> {
  readonly name: string;
  readonly run: (question: Q) => Promise<{ readonly ms: number; readonly answer: () => string }>;
}

export function contestant<Q, A>(name: string, way: Way<Q, A>): Contestant<Q> {
  return {
    name,
    run: async (question) => {
      const start = performance.now();
      const asked = way.ask(question);
      const reply = asked instanceof Promise ? await asked : asked;
      const ms = performance.now() - start;
      return { ms, answer: () => JSON.stringify(way.answer(reply)) };
    },
  };
}

/** Milliseconds of asking before anything counts: until code is compiled and pages are read. */
const WARM_UP = 1500;

/**
 * Asks every question of every contestant in turn, so that a slow moment of the machine meets all of them.
 *
 * @throws Error when two of them answer differently.
 */
export async function race<Q>(
  title: string,
  questions: readonly Q[],
  contestants: readonly Contestant<Q>[],
  warmUpMs = WARM_UP,
): Promise<ReadonlyMap<string, Sample>> {
  const times = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  const until = performance.now() + warmUpMs;
  for (let i = 0; i === 0 || performance.now() < until; i++) {
    const question = questions[i % questions.length];
    if (question !== undefined) for (const { run } of contestants) await run(question);
  }
  for (const question of questions) {
    let first: string | null = null;
    for (const { name, run } of contestants) {
      const { ms, answer } = await run(question);
      times.get(name)?.push(ms);
      const text = answer();
      first ??= text;
      if (text !== first) {
        throw new Error(
          `${title}: ${name} answers otherwise to ${JSON.stringify(question)}:\n${first.slice(0, 600)}\n${text.slice(0, 600)}`,
        );
      }
    }
  }
  return new Map([...times].map(([name, list]) => [name, sampleOf(list)]));
}
