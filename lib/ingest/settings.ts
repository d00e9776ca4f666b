import type { Clock } from '../model/clock.js';
import type { Extractor } from './extract/port.js';
import type { JobRecord } from './job.js';
import type { Step } from './run.js';
import type { EventSource } from './source.js';

export interface IngestSettings {
  /** Folder of the store; `null` keeps everything in memory. */
  readonly folder: string | null;
  readonly clock: Clock;
  /** Without one, events are kept and nothing is extracted. */
  readonly extractor: Extractor | null;
  /** `keep` the text of events, or only a reference to what the host keeps. */
  readonly events: 'keep' | 'reference';
  readonly source: EventSource | null;
  /** `now`: jobs run as they come; `curated`: when the curator says so. */
  readonly when: 'now' | 'curated';
  /** Attempts after which a job is a dead letter; outages of the provider do not count. */
  readonly attempts: number;
  /** First delay of a retry and the longest, in milliseconds. */
  readonly backoff: { readonly first: number; readonly longest: number };
  /** Events that may wait; more are refused until there is room. */
  readonly maxWaiting: number;
  /** Calls of the extractor a scope may make on one day, UTC. */
  readonly dailyCalls: number;
  /** Sees each step of the pipeline, before it is taken. */
  readonly onStep?: ((step: Step, job: JobRecord) => void | Promise<void>) | undefined;
}
