import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { check } from '../../model/check.js';
import { PalimpsestError } from '../../model/errors.js';
import { contentHash } from '../../model/ids.js';
import { toIso } from '../../model/instant.js';
import { scopeKey } from '../../model/scope.js';
import { clip } from '../../model/text.js';
import { factId } from '../../memory/present.js';
import type { Moment, Place, Space } from '../../memory/space.js';
import { findAllSecrets } from '../../secrets/secrets.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { Recent } from '../../store/resident/recent.js';
import { countTokens, watchedCounter } from '../show/count-tokens.js';
import { onOneLine } from '../show/on-one-line.js';
import { unlessAborted } from '../unless-aborted.js';
import { fitLines, textOf, type Room } from './fit-lines.js';
import { ProfileLog, PROFILES_FOLDER } from './profile-log.js';
import { factText, sectionsOf, type Draft, type Section } from './sections.js';
import { hasChanged, nextChange } from './standing.js';
import type { DroppedLine, Profile, ProfileLine, ProfileWriter } from './types.js';

const DEFAULT_TOKENS = 500;
/** Of a line that is shown only to say why it was dropped, in characters. */
const LONGEST = 160;
/** Lines by rule that are kept ready. */
const KEPT = 10_000;

const OptionsSchema = z.strictObject({
  maxTokens: z.number().int().min(1).max(1_000_000).optional(),
  countTokens: z
    .custom<(text: string) => number>((value) => typeof value === 'function', 'is no function')
    .optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

/** Profiles that are kept ready. */
const STANDING = 256;

/** A profile, and for how long it stands. */
interface Standing {
  readonly index: BeliefIndex;
  /** The instants from which and until which it holds, if nothing is written. */
  readonly valid: number;
  readonly until: number;
  readonly count: ((text: string) => number) | undefined;
  readonly profile: Profile;
}

interface Made {
  readonly lines: readonly ProfileLine[];
  readonly rebuilt: number;
  readonly isWritten: boolean;
  readonly dropped: readonly DroppedLine[];
  readonly problem: string | null;
}

/** Summaries of what is believed, made again only where the facts are others. */
export class Profiles {
  readonly #space: Space;
  readonly #writer: ProfileWriter | null;
  /** Lines by rule, by the facts that they rest on. */
  readonly #rendered = new Map<string, string>();
  readonly #standing = new Recent<string, Standing>(STANDING);
  #log: Promise<ProfileLog> | null = null;
  #erasures = 0;
  readonly #closing = new AbortController();

  constructor(space: Space, writer: ProfileWriter | null) {
    this.#space = space;
    this.#writer = writer;
  }

  /**
   * @throws PalimpsestError `INVALID_INPUT`; `ABORTED` when the signal does.
   */
  async read(place: Place, view: Partial<Moment>, input: unknown): Promise<Profile> {
    const { store } = this.#space;
    const options = check(OptionsSchema, input ?? {}, 'options');
    const isFixed = view.known !== undefined || view.valid !== undefined;
    return store.read(async () => {
      if (isFixed) return this.#make(place, view, options);
      const key = JSON.stringify([place.visible, options.maxTokens ?? DEFAULT_TOKENS]);
      const standing = this.#standing.get(key);
      const kept = standing === undefined ? null : this.#ifUnchanged(place, standing, options);
      if (kept !== null) return kept;
      const { index } = store;
      const valid = store.clock();
      const profile = await this.#make(place, { now: valid }, options);
      if (profile.problems.length === 0) {
        const until = nextChange(index, valid);
        const count = options.countTokens;
        this.#standing.set(key, { index, valid, until, count, profile });
      }
      return profile;
    });
  }

  /** The profile of before, where no fact in sight has changed since. */
  #ifUnchanged(
    place: Place,
    { index, valid, until, count, profile }: Standing,
    options: z.output<typeof OptionsSchema>,
  ): Profile | null {
    const { store } = this.#space;
    const now = store.clock();
    if (index !== store.index || count !== options.countTokens) return null;
    if (now < valid || now >= until) return null;
    const { knownAt } = profile.asOf;
    const { lastTx } = index;
    if (hasChanged(index, place.visible, knownAt.tx, lastTx)) return null;
    return {
      ...profile,
      asOf: {
        validAt: toIso(now),
        knownAt: { tx: lastTx, at: lastTx === 0 ? toIso(now) : toIso(index.at(lastTx)) },
      },
      built: { rebuilt: 0, kept: profile.built.rebuilt + profile.built.kept },
      dropped: [],
    };
  }

  async #make(
    place: Place,
    view: Partial<Moment> & { readonly now?: number },
    options: z.output<typeof OptionsSchema>,
  ): Promise<Profile> {
    const { store } = this.#space;
    const { maxTokens = DEFAULT_TOKENS } = options;
    const count = watchedCounter(options.countTokens ?? countTokens);
    const given = options.signal === undefined ? [] : [options.signal];
    const signal = AbortSignal.any([...given, this.#closing.signal]);
    const { index } = store;
    const known = view.known ?? index.lastTx;
    const valid = view.valid ?? view.now ?? store.clock();
    const room = { maxTokens, count };
    const { sections, facts } = await sectionsOf(this.#space, place, { valid, known }, maxTokens);
    const drafts = sections.map(({ lines }) => lines.map((line) => this.#kept(line)));
    const fitted = fitLines(drafts, room).lines;
    // A fixed moment is looked at now and then: nobody waits for a model, or pays for it, then.
    const writer = view.known === undefined && view.valid === undefined ? this.#writer : null;
    const made: Made[] = [];
    for (const [i, section] of sections.entries()) {
      const lines = fitted[i] ?? [];
      if (lines.length === 0) continue;
      made.push(
        writer === null
          ? byRule(lines)
          : await this.#written(writer, place, section, lines, room, signal),
      );
    }
    const { lines, tokens } = fitLines(
      made.map((one) => one.lines),
      room,
    );
    const shown = lines.flat();
    const rebuilt = made.reduce((n, one) => n + one.rebuilt, 0);
    return {
      text: textOf(shown),
      tokens: shown.length === 0 ? 0 : tokens,
      lines: shown.map(({ text, facts: cited }) => ({ text, facts: cited })),
      asOf: {
        validAt: toIso(valid),
        knownAt: { tx: known, at: toIso(known === 0 ? valid : index.at(known)) },
      },
      facts,
      writer: made.some((one) => one.isWritten) ? (writer?.name ?? null) : null,
      built: { rebuilt, kept: made.reduce((n, one) => n + one.lines.length, 0) - rebuilt },
      dropped: made.flatMap((one) => one.dropped),
      problems: [...new Set(made.flatMap((one) => one.problem ?? []))],
    };
  }

  /** The line of before, if there is one of the same facts. */
  #kept(draft: Draft): RuledLine {
    const before = this.#rendered.get(draft.sign);
    if (before !== undefined) return { text: before, facts: draft.facts, isNew: false };
    const { text, facts } = draft;
    if (this.#rendered.size >= KEPT) this.#rendered.clear();
    this.#rendered.set(draft.sign, text);
    return { text, facts, isNew: true };
  }

  /** What the writer makes of a section, or made of it before; by rule where that is no good. */
  async #written(
    writer: ProfileWriter,
    place: Place,
    section: Section,
    lines: readonly RuledLine[],
    { maxTokens, count }: Room,
    signal: AbortSignal,
  ): Promise<Made> {
    const ids = lines.flatMap((line) => line.facts);
    const sign = contentHash(JSON.stringify([writer.name, ...ids]));
    const key = JSON.stringify([scopeKey(place.scope), section.subject]);
    const log = await this.#open();
    const before = log.get(key);
    if (before?.sign === sign) {
      const kept = before.lines.map(({ text, facts }) => ({ text, facts: facts.map(factId) }));
      return { lines: kept, rebuilt: 0, isWritten: true, dropped: [], problem: null };
    }
    const erasures = this.#erasures;
    const { index } = this.#space.store;
    const isCurrent = (): boolean =>
      erasures === this.#erasures && index === this.#space.store.index;
    const given = ids.flatMap((id) => section.facts.get(id) ?? []);
    let said: Awaited<ReturnType<ProfileWriter['write']>>;
    try {
      said = SaidSchema.parse(
        await unlessAborted(
          () =>
            writer.write(
              {
                subject: section.name,
                facts: given.map((fact) => ({ id: fact.id, text: factText(fact) })),
                maxTokens: count(textOf(lines)),
              },
              { signal },
            ),
          signal,
        ),
      );
    } catch (error) {
      if (signal.aborted) throw aborted(signal);
      const problem = `${writer.name} could not write about a subject: ${error instanceof Error ? error.message : String(error)}`;
      return { ...byRule(lines), problem };
    }
    const { good, dropped } = await verified(
      said.lines,
      new Set<string>(ids),
      (text) => count(text) <= maxTokens,
    );
    if (good.length === 0) {
      const problem = `${writer.name} wrote no line that could be kept about a subject.`;
      return { ...byRule(lines), dropped, problem };
    }
    await log.put({ key, sign, lines: good }, isCurrent);
    return { lines: good, rebuilt: good.length, isWritten: true, dropped, problem: null };
  }

  /** Removes every text: what it was made of may be gone. It is made again when it is asked for. */
  async erase(): Promise<void> {
    this.#erasures += 1;
    this.#rendered.clear();
    this.#standing.clear();
    const { path } = this.#space.store;
    const isThere =
      this.#log !== null || (path !== null && existsSync(join(path, PROFILES_FOLDER)));
    if (isThere) await (await this.#open()).clear();
  }

  async close(): Promise<void> {
    this.#closing.abort(new PalimpsestError('STORE_CLOSED', 'The memory is closed.'));
    const log = this.#log;
    this.#log = null;
    if (log !== null) await (await log).close();
  }

  #open(): Promise<ProfileLog> {
    this.#log ??= ProfileLog.open(this.#space.store.path).catch((error: unknown) => {
      // The next call tries again.
      this.#log = null;
      throw error;
    });
    return this.#log;
  }
}

interface RuledLine extends ProfileLine {
  readonly isNew: boolean;
}

const byRule = (lines: readonly RuledLine[]): Made => ({
  lines,
  rebuilt: lines.filter(({ isNew }) => isNew).length,
  isWritten: false,
  dropped: [],
  problem: null,
});

const SaidSchema = z.object({
  lines: z.array(z.object({ text: z.string(), facts: z.array(z.string()) })),
});

/** Lines that cite nothing but what the writer was given, and the others with the reason. */
async function verified(
  lines: readonly { readonly text: string; readonly facts: readonly string[] }[],
  given: ReadonlySet<string>,
  isInBudget: (text: string) => boolean,
): Promise<{ readonly good: readonly ProfileLine[]; readonly dropped: readonly DroppedLine[] }> {
  const good: ProfileLine[] = [];
  const dropped: DroppedLine[] = [];
  for (const { text: said, facts } of lines) {
    const text = onOneLine(said);
    const holdsSecret = (await findAllSecrets(text)).length > 0;
    if (holdsSecret) dropped.push({ text: '', why: 'holds a credential' });
    else if (text === '') dropped.push({ text, why: 'empty' });
    else if (facts.length === 0) dropped.push({ text, why: 'cites nothing' });
    else if (!facts.every((id) => given.has(id)))
      dropped.push({ text, why: 'cites what it was not given' });
    else if (!isInBudget(text))
      dropped.push({ text: clip(text, LONGEST), why: 'takes more than the whole budget' });
    else good.push({ text, facts: [...new Set(facts)].map(factId) });
  }
  return { good, dropped };
}

const aborted = ({ reason }: AbortSignal): PalimpsestError =>
  reason instanceof PalimpsestError
    ? reason
    : new PalimpsestError('ABORTED', 'The profile was given up.', { cause: reason });
