import type { Usage } from '../../lib/index.js';
import type { Expected } from './label.js';
import type { Got, Outcome } from './run.js';
import { match, type Score, type Tally } from './score.js';

const interval = (from: string | null | undefined, to: string | null | undefined): string =>
  (from ?? null) === null && (to ?? null) === null ? '' : `  [${from ?? '…'}, ${to ?? '…'})`;

const expectedText = (e: Expected): string =>
  `#${e.seq} ${e.stance} ${e.subject[0] ?? ''} / ${e.predicate} / ${e.object[0] ?? '*'}${interval(e.from, e.to)}${e.doubtful === true ? '  doubtful' : ''}`;

const gotText = ({ candidate: c, from, to }: Got): string =>
  `#${c.seq} ${c.action} ${c.subject} / ${c.predicate} / ${c.object ?? '*'}${interval(from, to)}  ${c.confidence ?? '–'}`;

/** What came of one dialogue, next to what was expected. */
export function dialogueLines(outcome: Outcome): readonly string[] {
  const { found, missed, extra } = match(outcome.dialogue, outcome.got);
  return [
    outcome.dialogue.name,
    ...found.map(([e, g]) => `  ok      ${gotText(g)}   ← ${expectedText(e)}`),
    ...missed.map((e) => `  missed  ${expectedText(e)}`),
    ...extra.map((g) => `  extra   ${gotText(g)}`),
    ...outcome.refused.map((reason) => `  refused ${reason}`),
    ...outcome.failed.map((reason) => `  failed  ${reason}`),
  ];
}

const share = ({ right, of }: Tally): string =>
  of === 0 ? '–' : `${((100 * right) / of).toFixed(1)} %  (${right} of ${of})`;

export const scoreLines = (s: Score, usage: Usage): readonly string[] => [
  `precision         ${share(s.precision)}`,
  `recall            ${share(s.recall)}`,
  `times right       ${share(s.times)}`,
  `hearsay doubted   ${share(s.doubts)}`,
  `secrets in claims ${s.leaks}`,
  `calls ${usage.calls}, tokens in ${usage.inputTokens}, out ${usage.outputTokens}`,
];
