import { PalimpsestError } from '../model/errors.js';

/** Where a journal stops being readable, and why. */
export interface Damage {
  readonly file: string;
  readonly segment: number;
  /** First byte that makes no sense, from the start of the segment. */
  readonly offset: number;
  readonly reason: string;
  /** Transaction of the last record before the damage, `null` when there is none to read. */
  readonly readableUpToTx: number | null;
}

export function damaged(damage: Damage): PalimpsestError {
  const { file, segment, offset, reason, readableUpToTx } = damage;
  const before =
    readableUpToTx === null
      ? 'Nothing before it can be read.'
      : `Transactions up to ${readableUpToTx} can be read.`;
  return new PalimpsestError(
    'JOURNAL_DAMAGED',
    `The journal is damaged in segment ${segment} at byte ${offset} (${file}): ${reason}. ${before}`,
    { hint: 'Run `palimpsest doctor` to see what can be saved.' },
  );
}

/** Every body begins with the transaction's header line, `{"tx":12,…}`. */
export function transactionOf(body: Buffer): number | null {
  const match = /^\{"tx":(\d{1,16})[,}]/.exec(body.toString('latin1', 0, 32));
  return match === null ? null : Number(match[1]);
}
