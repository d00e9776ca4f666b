import { z } from 'zod';
import { check } from '../model/check.js';
import { systemClock, type Clock } from '../model/clock.js';
import { checkTimeZone, readInstant } from '../model/instant.js';
import { ORIGINS, type Entry, type Origin } from '../model/entry.js';
import { canonicalJson } from '../model/canonical.js';
import { readOntology, type OntologyDefinition } from '../model/ontology.js';
import { defaultPolicy, type Policy } from '../memory/policy.js';
import type { PredicateCode, Space } from '../memory/space.js';
import type { OnProgress } from '../store/progress.js';
import { settingsAt } from '../store/resident/settings.js';
import type { BeliefIndex } from '../store/resident/index.js';
import { Store } from '../store/store.js';
import type { GraphChoice } from '../store/graph-projection.js';
import { Ingestion, IngestOptionsSchema, type IngestOptions, type OnStep } from './ingestion.js';
import { Memory } from './memory.js';
import { Recall, RecallSettingsSchema, type RecallSettings } from './recall.js';

export interface OpenOptions<O extends OntologyDefinition = OntologyDefinition> {
  /** Folder of the store; made when missing. */
  readonly path?: string | undefined;
  /** `'memory'` keeps everything in memory, and nothing after `close`. */
  readonly store?: 'memory' | undefined;
  /** Which engine keeps the graph at rest. Default `auto`: Kuzu where it is installed. */
  readonly graph?: GraphChoice | undefined;
  /** Answer reads from the index in memory (the default), or from the graph at rest. */
  readonly resident?: boolean | undefined;
  /** Adds to what the store knows of its predicates; a predicate named here takes the place of the old. */
  readonly ontology?: O | undefined;
  /** Epoch milliseconds. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** IANA name, in which plain dates are read and shown. Default: the store's, at first `UTC`. */
  readonly timeZone?: string | undefined;
  /** Authority of claims by origin, where it differs from the default. */
  readonly authority?: Partial<Readonly<Record<Origin, number>>> | undefined;
  /** Accepts, holds or refuses each claim. */
  readonly policy?: Policy | undefined;
  /** Memory that the graph engine may use for pages. Default 256 MiB. */
  readonly bufferPoolBytes?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** How session events become claims. */
  readonly ingest?: IngestOptions | undefined;
  /** What recall uses beside words and the graph. */
  readonly recall?: RecallSettings | undefined;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

const OptionsSchema = z.strictObject({
  path: z.string().min(1).optional(),
  store: z.literal('memory').optional(),
  graph: z.enum(['auto', 'kuzu', 'ladybug', 'none']).optional(),
  resident: z.boolean().optional(),
  ontology: z.unknown().optional(),
  clock: z
    .unknown()
    .refine((v) => v === undefined || isFunction(v), 'is not a function')
    .optional(),
  timeZone: z.string().optional(),
  authority: z.partialRecord(z.enum(ORIGINS), z.number().finite()).optional(),
  policy: z
    .unknown()
    .refine((v) => v === undefined || isFunction(v), 'is not a function')
    .optional(),
  bufferPoolBytes: z.number().int().positive().optional(),
  ingest: IngestOptionsSchema.optional(),
  recall: RecallSettingsSchema.optional(),
  onProgress: z
    .unknown()
    .refine((v) => v === undefined || isFunction(v), 'is not a function')
    .optional(),
});

/**
 * Opens a memory: a folder, or one in memory only.
 *
 * @throws PalimpsestError `STORE_LOCKED` when another process has it open, `JOURNAL_DAMAGED`,
 * `JOURNAL_TOO_NEW`, `STORE_READ_ONLY`, `STORE_FULL`, `INVALID_ONTOLOGY`, `INVALID_INPUT`.
 * @example
 * await using memory = await openMemory({ path: './memory' });
 * const shop = memory.in({ org: 'acme', project: 'shop' });
 */
export async function openMemory<const O extends OntologyDefinition = OntologyDefinition>(
  options: OpenOptions<O>,
): Promise<Memory<O>> {
  return openWith(options, {});
}

/** The same, with what only tests set: nothing of this is reached by the package's name. */
export async function openWith<const O extends OntologyDefinition = OntologyDefinition>(
  options: OpenOptions<O>,
  { onStep }: { readonly onStep?: OnStep },
): Promise<Memory<O>> {
  const checked = check(OptionsSchema, options, '');
  if ((checked.path === undefined) === (checked.store === undefined)) {
    check(z.never({ error: 'give either a path, or store: "memory"' }), checked.path, 'path');
  }
  if (options.timeZone !== undefined) checkTimeZone(options.timeZone, 'timeZone');
  const predicates = options.ontology === undefined ? null : readOntology(options.ontology);
  const store = await Store.open({
    path: options.path ?? null,
    clock: checkedClock(options.clock ?? systemClock),
    graph: options.graph ?? 'auto',
    resident: options.resident ?? true,
    bufferPoolBytes: options.bufferPoolBytes,
    onProgress: options.onProgress,
  });
  try {
    const space: Space = {
      store,
      policy: options.policy ?? defaultPolicy,
      code: codeOf(options.ontology),
      strict: options.ontology?.strict ?? false,
    };
    await store.write(
      (index) => {
        const entry = settingsEntry(index, options, predicates);
        return { entries: entry === null ? [] : [entry], reason: 'The settings given at opening.' };
      },
      () => null,
    );
    const ingestion = new Ingestion(space, options.ingest ?? {}, onStep);
    await ingestion.resume();
    const recall = new Recall(space, ingestion, options.recall);
    recall.vectors.wake();
    return new Memory<O>(space, ingestion, recall);
  } catch (error) {
    // What failed first is what the caller is to know.
    await store.close().catch(() => undefined);
    throw error;
  }
}

/** A clock that tells no instant must not get into the journal. */
const checkedClock =
  (clock: Clock): Clock =>
  () =>
    readInstant(clock(), { timeZone: 'UTC', field: 'clock' }).at;

function codeOf(ontology: OntologyDefinition | undefined): ReadonlyMap<string, PredicateCode> {
  return new Map(
    Object.entries(ontology?.predicates ?? {}).map(([name, { object, properties }]) => [
      name,
      {
        object: object instanceof z.ZodType ? object : null,
        properties: properties ?? null,
      },
    ]),
  );
}

/** What differs from the settings in force; `null` for nothing. */
function settingsEntry(
  index: BeliefIndex,
  options: Pick<OpenOptions, 'timeZone' | 'authority'>,
  predicates: ReturnType<typeof readOntology> | null,
): Entry | null {
  const now = settingsAt(index.tables, index.lastTx);
  const changed = [...(predicates ?? [])].filter(([name, record]) => {
    const known = now.predicates.get(name);
    return known === undefined || canonicalJson(known) !== canonicalJson(record);
  });
  const timeZone =
    options.timeZone === undefined || options.timeZone === now.timeZone
      ? undefined
      : options.timeZone;
  const authority = ORIGINS.filter((origin) => {
    const given = options.authority?.[origin];
    return given !== undefined && given !== now.authority[origin];
  });
  if (changed.length === 0 && timeZone === undefined && authority.length === 0) return null;
  return {
    op: 'settings',
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(authority.length === 0 ? {} : { authority: { ...now.authority, ...options.authority } }),
    ...(changed.length === 0 ? {} : { predicates: Object.fromEntries(changed) }),
  };
}
