import type { Job } from '../index.js';
import type { Output } from './output.js';
import { scopeText } from './show.js';
import { tableLines } from './table.js';
import { printable } from './width.js';

/** How jobs are shown to people. */

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** `2 jobs: 1 done, 1 failed.  3 claims, 1 of them held.  2 candidates refused.` */
export function jobsSummary(jobs: readonly Job[]): string {
  const states = ['done', 'held', 'failed', 'running', 'queued'] as const;
  const counts = states.flatMap((state) => {
    const count = jobs.filter((job) => job.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  const receipts = jobs.flatMap((job) => job.receipt ?? []);
  const sum = (of: (receipt: (typeof receipts)[number]) => number): number =>
    receipts.reduce((total, receipt) => total + of(receipt), 0);
  const held = sum((r) => r.held.length);
  const refused = sum((r) => r.refused.length);
  return [
    `${plural(jobs.length, 'job')}: ${counts.join(', ')}.`,
    `${plural(
      sum((r) => r.claims.length),
      'claim',
    )}${held === 0 ? '' : `, ${held} more held for a review`}.`,
    ...(refused === 0 ? [] : [`${plural(refused, 'candidate')} refused.`]),
  ].join('  ');
}

/** Why candidates were refused, and why jobs failed. */
export const refusalLines = (jobs: readonly Job[]): string[] =>
  jobs.flatMap((job) => [
    ...(job.receipt?.refused ?? []).map(
      ({ candidate, code, reason }) =>
        `  refused  ${printable(job.session)}, candidate ${candidate + 1}: ${code}  ${printable(reason)}`,
    ),
    ...(job.state === 'failed'
      ? [`  failed   ${job.id}: ${printable(job.reason ?? 'nobody knows why')}`]
      : []),
  ]);

export function jobLines(jobs: readonly Job[], output: Output): string[] {
  const columns = [
    'id',
    'state',
    'session',
    'events',
    'attempts',
    'queued',
    'scope',
    'what came of it',
  ];
  const rows = jobs.map((job) => [
    job.id.slice(0, 10),
    job.state,
    job.session,
    String(job.seqs.length),
    String(job.attempts),
    job.queuedAt.slice(0, 16).replace('T', ' '),
    scopeText(job.scope),
    outcomeText(job),
  ]);
  return tableLines(
    columns.map((title) => ({ title, max: title === 'what came of it' ? 72 : 32 })),
    rows,
    output,
  );
}

function outcomeText({ state, reason, receipt, nextAttemptAt }: Job): string {
  if (state === 'failed') return reason ?? '';
  if (receipt === null) {
    const again = nextAttemptAt === null ? '' : `, again at ${nextAttemptAt.slice(0, 19)}Z`;
    return reason === null ? '' : `${reason}${again}`;
  }
  const { claims, held, refused } = receipt;
  return [
    plural(claims.length, 'claim'),
    ...(held.length === 0 ? [] : [`${held.length} held`]),
    ...(refused.length === 0 ? [] : [`${refused.length} refused`]),
  ].join(', ');
}
