import type { Dialogue, Expected } from './label.js';
import type { Got, Outcome } from './run.js';

export interface Tally {
  readonly right: number;
  readonly of: number;
}

export interface Score {
  /** Claims that a reader makes, found. */
  readonly recall: Tally;
  /** Claims that came, which a reader makes; those that a reader may make do not count. */
  readonly precision: Tally;
  /** Of those found: begin and end as they were told, where they were. */
  readonly times: Tally;
  /** Of those found that nobody knows for sure: with a confidence of 0.6 at most. */
  readonly doubts: Tally;
  /** Claims with a secret in them. */
  readonly leaks: number;
}

/** Expected and got claims of one dialogue, side by side. */
export interface Match {
  readonly found: readonly (readonly [Expected, Got])[];
  readonly missed: readonly Expected[];
  readonly extra: readonly Got[];
}

const DOUBT = 0.6;

const folded = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^(?:the|a|an) /u, '')
    .replace(/[\s.。]+/gu, ' ')
    .trim();

const stanceOf = (got: Got): Expected['stance'] => {
  switch (got.candidate.action) {
    case 'deny':
      return 'denies';
    case 'end':
      return 'ends';
    case 'merge':
      return 'same';
    default:
      return 'says';
  }
};

const isOneOf = (text: string, names: readonly string[]): boolean =>
  names.some((name) => folded(name) === folded(text));

/** Whether it is that claim, its times and its confidence aside. */
function isMeant(expected: Expected, got: Got): boolean {
  const { subject, predicate, object, seq } = got.candidate;
  return (
    seq === expected.seq &&
    stanceOf(got) === expected.stance &&
    folded(predicate) === folded(expected.predicate) &&
    isOneOf(subject, expected.subject) &&
    (expected.object.length === 0 ||
      (object === null ? expected.stance !== 'says' : isOneOf(object, expected.object)))
  );
}

/** Each claim is matched once: who says a thing twice has said one too many. */
export function match(dialogue: Dialogue, got: readonly Got[]): Match {
  const rest = [...got];
  const found: (readonly [Expected, Got])[] = [];
  const missed: Expected[] = [];
  for (const expected of dialogue.expected) {
    const at = rest.findIndex((g) => isMeant(expected, g));
    const [taken] = at < 0 ? [] : rest.splice(at, 1);
    if (taken === undefined) missed.push(expected);
    else found.push([expected, taken]);
  }
  return { found, missed: missed.filter((e) => e.optional !== true), extra: rest };
}

const isTimed = ({ from, to }: Expected): boolean => from !== undefined || to !== undefined;

export function score(outcomes: readonly Outcome[]): Score {
  let [expected, required, matched, came] = [0, 0, 0, 0];
  let [timed, inTime, doubtful, doubted, leaks] = [0, 0, 0, 0, 0];
  for (const { dialogue, got } of outcomes) {
    const { found, missed, extra } = match(dialogue, got);
    const counted = found.filter(([e]) => e.optional !== true);
    expected += counted.length + missed.length;
    required += counted.length;
    matched += counted.length;
    came += counted.length + extra.length;
    for (const [e, g] of found) {
      if (isTimed(e)) {
        timed += 1;
        const isRight = (e.from ?? g.from) === g.from && (e.to ?? g.to) === g.to;
        if (isRight) inTime += 1;
      }
      if (e.doubtful === true) {
        doubtful += 1;
        if ((g.candidate.confidence ?? 1) <= DOUBT) doubted += 1;
      }
    }
    for (const secret of dialogue.secrets ?? []) {
      leaks += got.filter((g) => JSON.stringify(g.candidate).includes(secret)).length;
    }
  }
  return {
    recall: { right: required, of: expected },
    precision: { right: matched, of: came },
    times: { right: inTime, of: timed },
    doubts: { right: doubted, of: doubtful },
    leaks,
  };
}
