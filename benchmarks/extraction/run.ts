import {
  ExtractionError,
  formatInstant,
  openMemory,
  type ExtractedCandidate,
  type Extractor,
  type Usage,
} from '../../lib/index.js';
import { CandidateSchema } from '../../lib/ingest/candidate.js';
import { addUsage, NO_USAGE } from '../../lib/ingest/job.js';
import { resolveTimes } from '../../lib/ingest/times.js';
import { ontology, type Dialogue, type Turn } from './label.js';

/** A claim that came of a dialogue. */
export interface Got {
  readonly candidate: ExtractedCandidate;
  readonly from: string | null;
  readonly to: string | null;
}

export interface Outcome {
  readonly dialogue: Dialogue;
  readonly got: readonly Got[];
  /** Candidates that code has refused, with its reason. */
  readonly refused: readonly string[];
  /** Turns whose extraction failed, with the reason. */
  readonly failed: readonly string[];
  readonly usage: Usage;
}

/** A memory waits for its provider for ever; a measurement does not. */
const OUTAGES = 6;

/** Ingests a dialogue turn by turn, as a host does, and tells what came of it. */
export async function runDialogue(dialogue: Dialogue, extractor: Extractor): Promise<Outcome> {
  const proposed: unknown[] = [];
  let outages = 0;
  const watched: Extractor = {
    name: extractor.name,
    version: extractor.version,
    async extract(request, signal) {
      try {
        const extraction = await extractor.extract(request, signal);
        proposed.push(...extraction.candidates);
        outages = 0;
        return extraction;
      } catch (error) {
        outages += 1;
        if (!(error instanceof ExtractionError) || outages < OUTAGES) throw error;
        throw new ExtractionError(error.message, { retry: 'never', usage: error.usage });
      }
    },
  };
  await using memory = await openMemory({
    store: 'memory',
    timeZone: dialogue.timeZone,
    ontology,
    ingest: { extractor: watched },
  });
  const scope = memory.in({ org: 'labelled' });
  const got: Got[] = [];
  const refused: string[] = [];
  const failed: string[] = [];
  let usage = NO_USAGE;
  for (const [seq, turn] of dialogue.turns.entries()) {
    proposed.length = 0;
    const { at, ...told } = { ...turn, at: turn.at ?? dialogue.at };
    const job = await (await scope.ingest([{ session: 'dialogue', seq, at, ...told }])).done;
    usage = addUsage(usage, job.usage);
    if (job.state === 'failed') failed.push(`#${seq}: ${job.reason ?? ''}`);
    const reasons = new Map(
      job.receipt?.refused.map((r) => [r.candidate, `${r.code} ${r.reason}`]),
    );
    for (const [i, candidate] of proposed.entries()) {
      const reason = reasons.get(i);
      if (reason !== undefined) refused.push(`#${seq}: ${reason}`);
      else got.push(timed(candidate, turn, dialogue));
    }
  }
  return { dialogue, got, refused, failed, usage };
}

function timed(proposed: unknown, turn: Turn, { at, timeZone }: Dialogue): Got {
  const candidate = CandidateSchema.parse(proposed);
  const times = resolveTimes(candidate, { at: Date.parse(turn.at ?? at), timeZone });
  return {
    candidate,
    from: times.from === null ? null : formatInstant(times.from, timeZone),
    to: times.to === null ? null : formatInstant(times.to, timeZone),
  };
}
