import { scopeOfKey, scopeKey, visibleScopes } from '../model/scope.js';
import { commit } from '../memory/write/commit.js';
import type { Place, Space } from '../memory/space.js';
import type { EventLog } from './event-log.js';
import type { Extractor } from './extract/port.js';
import { extractions, type Extracted } from './extraction.js';
import {
  addUsage,
  NO_USAGE,
  type JobReceipt,
  type JobRecord,
  type Refusal,
  type Usage,
} from './job.js';
import type { EventSource } from './source.js';
import { draftAll } from './draft-candidates.js';

/** Steps of a job, each named before it is taken: a crash before any of them loses nothing. */
export const STEPS = [
  'arrive',
  'arrived',
  'start',
  'extract',
  'verify',
  'commit',
  'committed',
  'settle',
] as const;
export type Step = (typeof STEPS)[number];

/** How far a job has come: a long one commits portion by portion, and goes on where it stopped. */
export interface Progress extends Pick<JobRecord, 'through' | 'receipt'> {
  /** By the portion that is through. */
  readonly used: Usage;
}

export interface JobRun {
  readonly space: Space;
  readonly job: JobRecord;
  readonly extractor: Extractor;
  readonly log: EventLog;
  readonly source: EventSource | null;
  readonly signal: AbortSignal;
  readonly beforeCall: () => void;
  readonly onStep: (step: Step) => void | Promise<void>;
  /** Told after each portion. */
  readonly onProgress: (progress: Progress) => Promise<void>;
}

const placeOfKey = (key: string): Place => {
  const scope = scopeOfKey(key);
  return { scope, visible: visibleScopes(scope).map(scopeKey) };
};

/** The mark in the journal that says up to which event a job's claims are in. */
const markOf = (job: JobRecord): string => `job ${job.id}`;

/**
 * Extracts, verifies and commits the claims of one job. Resolves when all of its events are through,
 * with how many of them could not be read any more.
 */
export async function runJob(run: JobRun): Promise<number> {
  const { space, job, extractor, onStep, onProgress, signal } = run;
  const name = `${extractor.name} ${extractor.version}`;
  let { through, receipt } = job;
  const committed = space.store.index.tables.side.cursors.get(markOf(job)) ?? -1;
  if (committed > (through ?? -1)) {
    // The process ended between a commit and the job's own record of it.
    receipt = joined(receipt, told(space, job, through ?? -1, name));
    through = committed;
    await onProgress({ through, receipt, used: NO_USAGE });
  }
  const { scope, session } = job;
  const place = placeOfKey(scope);
  const seqs = job.seqs.filter((seq) => seq > (through ?? -1));
  let unread = seqs.length;
  for await (const extracted of extractions({ ...run, place, scope, session, seqs })) {
    unread -= extracted.events.length;
    if (extracted.verified.length > 0) {
      await onStep('commit');
      signal.throwIfAborted();
    }
    receipt = joined(receipt, await committing(space, place, extracted, name, markOf(job)));
    if (extracted.verified.length > 0) await onStep('committed');
    through = extracted.events.at(-1)?.seq ?? through;
    await onProgress({ through, receipt, used: extracted.usage });
  }
  return unread;
}

/** Commits what was extracted; nothing where no candidate was left. */
async function committing(
  space: Space,
  place: Place,
  { events, verified, refused, usage }: Extracted,
  name: string,
  mark: string,
): Promise<JobReceipt> {
  const refusals: Refusal[] = [...refused];
  const last = events.at(-1)?.seq;
  if (verified.length === 0 || last === undefined) {
    return { txs: [], claims: [], held: [], refused: refusals, usage, extractor: name };
  }
  const held = new Set<string>();
  const result = await commit(
    space,
    place,
    draftAll(verified, name, refusals, {
      onOutcome: (draft, before, outcome) => {
        for (const e of draft.entries.slice(before)) if (e.op === 'hold') held.add(e.claim.id);
        if (outcome.noEffect?.why === 'held') for (const id of outcome.claims) held.add(id);
      },
    }),
    // The claims name the session; a reason in words would outlast its erasure.
    { actor: name, reason: 'Extracted from a session.' },
    { cursor: { source: mark, position: last } },
  );
  return {
    txs: [result.tx],
    claims: [...new Set(result.claims)].filter((id) => !held.has(id)),
    held: [...held],
    refused: refusals,
    usage,
    extractor: name,
  };
}

/** What commits made of a job whose process ended before the job could say so. */
function told({ store }: Space, job: JobRecord, after: number, extractor: string): JobReceipt {
  let receipt: JobReceipt = {
    txs: [],
    claims: [],
    held: [],
    refused: [],
    usage: NO_USAGE,
    extractor,
  };
  for (let tx = store.index.lastTx; tx > 0 && store.index.at(tx) >= job.queuedAt; tx--) {
    const { header, entries } = store.transaction(tx);
    if (header.cursor?.source !== markOf(job) || header.cursor.position <= after) continue;
    receipt = {
      ...receipt,
      txs: [tx, ...receipt.txs],
      claims: [
        ...entries.flatMap((e) => (e.op === 'claim' ? [e.claim.id] : [])),
        ...receipt.claims,
      ],
      held: [...entries.flatMap((e) => (e.op === 'hold' ? [e.claim.id] : [])), ...receipt.held],
    };
  }
  return receipt;
}

function joined(before: JobReceipt | null, next: JobReceipt): JobReceipt {
  if (before === null) return next;
  return {
    txs: [...before.txs, ...next.txs],
    claims: [...new Set([...before.claims, ...next.claims])],
    held: [...new Set([...before.held, ...next.held])],
    refused: [...before.refused, ...next.refused],
    usage: addUsage(before.usage, next.usage),
    extractor: next.extractor,
  };
}
