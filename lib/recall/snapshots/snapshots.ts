import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../../model/check.js';
import { PalimpsestError } from '../../model/errors.js';
import { toIso } from '../../model/instant.js';
import { scopeKey, scopeOfKey } from '../../model/scope.js';
import type { Erased } from '../../memory/erased.js';
import { notFound } from '../../memory/names.js';
import type { Place, Space } from '../../memory/space.js';
import { withoutSecrets } from '../../secrets/without.js';
import { z } from 'zod';
import { name } from '../../model/text.js';
import type { Shown, SnapshotKeeper } from '../ports.js';
import { compare } from './compare.js';
import { contentOf, isSnapshotId, isTouched, readContent, restsOf, snapshotId } from './content.js';
import { SNAPSHOTS_FOLDER, SnapshotLog, type KeptName } from './snapshot-log.js';
import type { Comparison, KeptSnapshot, Snapshot, SnapshotInfo } from './types.js';

const IdSchema = z.preprocess(
  (v) => (typeof v === 'object' && v !== null && 'id' in v ? v.id : v),
  z.string().refine(isSnapshotId, { error: 'is no id of a snapshot' }),
);

const FilterSchema = z.strictObject({ session: name().optional() });

/** What was shown: kept, found again, compared, and erased. The log is opened when it is first needed. */
export class Snapshots implements SnapshotKeeper {
  readonly #space: Space;
  #log: Promise<SnapshotLog> | null = null;
  #isClosed = false;

  constructor(space: Space) {
    this.#space = space;
  }

  /** @throws PalimpsestError `CONFLICT` for what was erased meanwhile, and as the journal does. */
  async keep({ query, place, session, answer }: Shown): Promise<string> {
    // What people paste into a question is not to be kept.
    const [asked, host] = await Promise.all([
      withoutSecrets(query),
      session === null ? null : withoutSecrets(session),
    ]);
    const { store } = this.#space;
    const content = contentOf({ query: asked, session: host, scope: place.scope }, answer);
    const id = snapshotId(content);
    const log = await this.#open();
    const shown = { id, at: store.clock(), scope: scopeKey(place.scope), session: host };
    await log.add(shown, content, () => restsOf(store.index, answer.asOf.knownAt.tx, answer.hits));
    return id;
  }

  /**
   * @throws PalimpsestError `NOT_FOUND` for one that does not exist or cannot be seen from the place.
   */
  async read(place: Place, input: unknown): Promise<Snapshot> {
    this.#space.store.ensureOpen();
    const id = check(IdSchema, input, 'snapshot');
    const log = await this.#ifAny();
    const kept = log?.get(id);
    if (log === null || kept === undefined || !place.visible.includes(kept.scope)) {
      throw notFound(`snapshot ${id}`, 'snapshot');
    }
    const base = { id, at: toIso(kept.at), scope: scopeOfKey(kept.scope), session: kept.session };
    const text = log.content(id);
    if (kept.erasedAt !== null || text === null) {
      const erasedAt = toIso(kept.erasedAt ?? kept.at);
      const notice = `What was shown here rests on something that was erased on ${erasedAt}.`;
      return { state: 'erased', ...base, erasedAt, notice };
    }
    return { state: 'kept', ...readContent(id, text), ...base };
  }

  /** Those that can be seen from the place, in the order in which they were shown. */
  async list(place: Place, filter: unknown): Promise<readonly SnapshotInfo[]> {
    this.#space.store.ensureOpen();
    const { session } = check(FilterSchema, filter ?? {}, 'filter');
    const log = await this.#ifAny();
    return (log?.list() ?? [])
      .filter((kept) => place.visible.includes(kept.scope))
      .filter((kept) => session === undefined || kept.session === session)
      .map(infoOf);
  }

  /**
   * @throws PalimpsestError `NOT_FOUND`, also for one whose content was erased.
   */
  async compare(place: Place, input: unknown): Promise<Comparison> {
    const snapshot = await this.read(place, input);
    if (snapshot.state === 'kept') return this.#compared(place, snapshot);
    throw new PalimpsestError('NOT_FOUND', `Snapshot ${snapshot.id} was erased.`, {
      field: 'snapshot',
      hint: snapshot.notice,
    });
  }

  #compared(place: Place, snapshot: KeptSnapshot): Promise<Comparison> {
    return this.#space.store.read(() => compare(this.#space, place, snapshot));
  }

  /**
   * Takes the content from every snapshot that rests on what is erased.
   *
   * @returns the hosts' sessions that were shown it, which may still hold it.
   */
  async erase(erased: Erased): Promise<readonly string[]> {
    const log = await this.#ifAny();
    if (log === null) return [];
    const at = this.#space.store.clock();
    return sessionsOf(await log.erase((rests, content) => isTouched(erased, rests, content), at));
  }

  /** The hosts' sessions that an erasure would name. */
  async wouldErase(erased: Erased): Promise<readonly string[]> {
    const log = await this.#ifAny();
    if (log === null) return [];
    return sessionsOf(await log.wouldErase((rests, content) => isTouched(erased, rests, content)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const log = this.#log;
    this.#log = null;
    if (log !== null) await (await log).close();
  }

  /** Where nothing was ever kept, nothing is made only to be looked at. */
  async #ifAny(): Promise<SnapshotLog | null> {
    const { path } = this.#space.store;
    const isThere =
      this.#log !== null || (path !== null && existsSync(join(path, SNAPSHOTS_FOLDER)));
    return isThere ? this.#open() : null;
  }

  #open(): Promise<SnapshotLog> {
    if (this.#isClosed) throw new PalimpsestError('STORE_CLOSED', 'The memory is closed.');
    this.#log ??= SnapshotLog.open(this.#space.store.path).catch((error: unknown) => {
      // The next call tries again.
      this.#log = null;
      throw error;
    });
    return this.#log;
  }
}

const infoOf = ({ id, at, scope, session, erasedAt }: KeptName): SnapshotInfo => ({
  id,
  state: erasedAt === null ? 'kept' : 'erased',
  at: toIso(at),
  scope: scopeOfKey(scope),
  session,
});

const sessionsOf = (names: readonly KeptName[]): readonly string[] =>
  [...new Set(names.flatMap(({ session }) => session ?? []))].sort();
