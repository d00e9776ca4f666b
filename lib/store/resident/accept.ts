import {
  termOfRecord,
  type ClaimRecord,
  type Entry,
  type EntryOf,
  type WithdrawalCause,
} from '../../model/entry.js';
import { BEGIN, FOREVER } from '../../model/interval.js';
import { PRECISIONS } from '../../model/precision.js';
import { scopeKey } from '../../model/scope.js';
import { equalityKey, termKey } from '../../model/term.js';
import { canonicalJson } from '../../model/canonical.js';
import type { Locator } from '../../journal/port.js';
import { STILL, type OutCause } from '../rows.js';
import { outsOf, isWhollyOut, outAt } from './claims.js';
import { disturb, keysHeardIn, moveClaim, placeOf, standIn, type Dirty } from './dirty.js';
import { changeMerge, declareEntity, nameEntity, termOfEntity, unnameEntity } from './entities.js';
import { idCells } from './hex.js';
import { predicateAt, settingsAt } from './settings.js';
import type { Out, Settings } from './side.js';
import { eventCells } from './events.js';
import { CLAIM, NONE, PREFIX, type Tables } from './tables.js';
import { UNDECLARED } from '../../model/ontology.js';
import { PalimpsestError } from '../../model/errors.js';
import type { Undo } from './undo.js';

/** Puts the entries of one transaction into the tables and notes which keys must be folded again. */
export class Acceptance {
  readonly dirty: Dirty = new Map();
  readonly #tables: Tables;
  readonly #tx: number;
  readonly #undo: Undo;

  constructor(tables: Tables, tx: number, undo: Undo) {
    this.#tables = tables;
    this.#tx = tx;
    this.#undo = undo;
  }

  /** `at` is where the entry's line lies in the journal; set later for entries that are not written yet. */
  accept(entry: Entry, at: Locator | null): void {
    const t = this.#tables;
    const tx = this.#tx;
    const undo = this.#undo;
    switch (entry.op) {
      case 'settings':
        return this.#settings(entry);
      case 'entity':
        declareEntity(t, entry, tx, undo);
        return;
      case 'alias':
        return nameEntity(t, this.#entity(entry.entity), entry.name, tx);
      case 'unalias':
        return unnameEntity(t, this.#entity(entry.entity), entry.name, tx, undo);
      case 'merge':
      case 'split':
        return this.#regroup(entry);
      case 'claim':
        return this.#claim(entry.claim, at);
      case 'hold':
        undo.put(t.side.held, entry.claim.id, {
          claim: entry.claim,
          why: entry.why,
          tx,
          at,
          ...(entry.entities === undefined ? {} : { entities: entry.entities }),
        });
        return;
      case 'approve':
        return this.#approve(entry.claim);
      case 'reject': {
        const held = t.side.held.get(entry.claim);
        if (held === undefined) return;
        undo.put(t.side.held, entry.claim, undefined);
        undo.put(t.side.rejected, entry.claim, held);
        return;
      }
      case 'unsettle':
        return this.#unsettle(entry.claim);
      case 'withdraw':
        return this.#withdraw(entry);
      case 'reinstate':
        return this.#reinstate(entry);
      case 'erased':
        undo.put(
          t.side.erased,
          entry.salt,
          new Set([...(t.side.erased.get(entry.salt) ?? []), ...entry.hashes]),
        );
    }
  }

  #entity(id: string): number {
    const row = this.#tables.entityOfTerm.get(termOfEntity(this.#tables, id));
    if (row === NONE) throw broken(`entity ${id}`);
    return row;
  }

  #row(id: string): number {
    const row = this.#tables.claimIds.find(idCells(id));
    if (row === NONE) throw broken(`claim ${id}`);
    return row;
  }

  #settings(entry: EntryOf<'settings'>): void {
    const t = this.#tables;
    const before = t.side.settings;
    const last = settingsAt(t, this.#tx);
    const next: Settings = {
      since: this.#tx,
      timeZone: entry.timeZone ?? last.timeZone,
      authority: { ...last.authority, ...entry.authority },
      predicates: new Map([...last.predicates, ...Object.entries(entry.predicates ?? {})]),
    };
    this.#undo.step(() => {
      t.side.settings = before;
    });
    t.side.settings = [...before, next];
    for (const [name, record] of Object.entries(entry.predicates ?? {})) {
      const old = last.predicates.get(name) ?? UNDECLARED;
      const same =
        old.cardinality === record.cardinality &&
        old.kind === record.kind &&
        old.symmetric === record.symmetric &&
        old.normalise === record.normalise;
      const predicate = t.texts.find(PREFIX.predicate + name);
      if (same || predicate === NONE) continue;
      for (let row = 0; row < t.claimCount; row++) {
        if (t.claim.predicate.get(row) !== predicate) continue;
        const shown = t.texts.text(t.claim.shown.get(row));
        const object = t.texts.intern(equalityKey(shown, record.normalise));
        moveClaim(t, row, object, this.#tx, null, this.dirty, this.#undo);
      }
    }
  }

  #regroup(entry: EntryOf<'merge' | 'split'>): void {
    const t = this.#tables;
    const from = termOfEntity(t, entry.from);
    const into = termOfEntity(t, entry.into);
    const change = { op: entry.op, from, into };
    const changed = new Set(changeMerge(t, change, this.#tx, this.#undo));
    const cause = entry.op === 'merge' ? 'merged' : 'split';
    for (let row = 0; row < t.claimCount; row++) {
      const object = t.claim.object.get(row);
      if (!changed.has(t.claim.subject.get(row)) && !changed.has(object)) continue;
      moveClaim(t, row, object, this.#tx, cause, this.dirty, this.#undo);
    }
  }

  #claim(c: ClaimRecord, at: Locator | null): void {
    const t = this.#tables;
    const shown = termKey(termOfRecord(c.object));
    const predicate = t.texts.intern(PREFIX.predicate + c.predicate);
    const { normalise } = predicateAt(t, predicate, this.#tx);
    const subject = t.texts.intern(`e:${c.subject}`);
    const shownTerm = t.texts.intern(shown);
    const objectKey = equalityKey(shown, normalise);
    const row = t.claimIds.intern(idCells(c.id));
    if (row !== t.claimCount) throw broken(`claim ${c.id} twice`);
    t.claim.scope.push(t.texts.intern(PREFIX.scope + scopeKey(c.scope)));
    t.claim.subject.push(subject);
    t.claim.predicate.push(predicate);
    t.claim.object.push(objectKey === shown ? shownTerm : t.texts.intern(objectKey));
    t.claim.shown.push(shownTerm);
    t.claim.instance.push(
      c.instance === undefined ? NONE : t.texts.intern(PREFIX.instance + c.instance),
    );
    t.claim.properties.push(
      c.properties === undefined
        ? NONE
        : t.texts.intern(PREFIX.properties + canonicalJson(c.properties, 'properties')),
    );
    const observed = Date.parse(c.observedAt);
    const startUnknown = c.validFrom === 'unknown';
    t.claim.from.push(startUnknown ? observed : Date.parse(c.validFrom[0]));
    t.claim.to.push(typeof c.validTo === 'string' ? FOREVER : Date.parse(c.validTo[0]));
    t.claim.unit.push(c.unit);
    t.claim.observed.push(observed);
    t.claim.authority.push(c.authority);
    t.claim.flags.push(
      (c.polarity === 'deny' ? CLAIM.deny : 0) |
        (c.validTo === 'ongoing' ? CLAIM.ongoing : 0) |
        (c.validTo === 'unknown' ? CLAIM.endUnknown : 0) |
        (startUnknown ? CLAIM.startUnknown : 0),
    );
    t.claim.fromPrecision.push(PRECISIONS.indexOf(startUnknown ? 'millisecond' : c.validFrom[1]));
    t.claim.toPrecision.push(
      PRECISIONS.indexOf(typeof c.validTo === 'string' ? 'millisecond' : c.validTo[1]),
    );
    t.claim.tx.push(this.#tx);
    t.claim.segment.push(at?.segment ?? 0);
    t.claim.offset.push(at?.offset ?? 0);
    t.claim.length.push(at?.length ?? 0);
    const key = placeOf(t, row, this.#tx);
    t.claim.key.push(key);
    standIn(t, row, key, false);
    for (const evidence of c.evidence ?? []) {
      const session = t.texts.intern(PREFIX.session + evidence.session);
      t.claimsOfSession.add(session, row);
      t.claimsOfEvent.add(t.events.intern(eventCells(session, evidence.seq)), row);
    }
    for (const heard of keysHeardIn(t, row, key)) disturb(this.dirty, heard).added.push(row);
    if (c.targets !== undefined && c.targets.length > 0) this.#aim(row, c.targets);
  }

  #aim(row: number, targets: NonNullable<ClaimRecord['targets']>): void {
    const t = this.#tables;
    const aimed = targets.map((target) => ({
      claim: this.#row(target.claim),
      from: target.from ?? BEGIN,
      to: target.to ?? FOREVER,
    }));
    this.#undo.put(t.side.targets, row, aimed);
    this.#reconsider(row, false);
  }

  #approve(id: string): void {
    const held = this.#tables.side.held.get(id);
    if (held === undefined) throw broken(`held claim ${id}`);
    this.#undo.put(this.#tables.side.held, id, undefined);
    const row = this.#tables.claimIds.find(idCells(id));
    if (row === NONE) this.#claim(held.claim, held.at);
    else this.#putBack(row, null);
  }

  #unsettle(id: string): void {
    const { side } = this.#tables;
    const rejected = side.rejected.get(id);
    if (rejected === undefined) throw broken(`rejected claim ${id}`);
    this.#undo.put(side.rejected, id, undefined);
    this.#undo.put(side.held, id, rejected);
  }

  #withdraw(entry: EntryOf<'withdraw'>): void {
    const row = this.#row(entry.claim);
    if (entry.source !== undefined) return this.#loseSource(row, entry.source, entry.cause);
    const out = { from: entry.from ?? BEGIN, to: entry.to ?? FOREVER };
    this.#takeOut(row, out, entry.cause, null);
    this.#reconsider(row, true);
  }

  #reinstate(entry: EntryOf<'reinstate'>): void {
    const row = this.#row(entry.claim);
    const window =
      entry.from === undefined && entry.to === undefined
        ? null
        : { from: entry.from ?? BEGIN, to: entry.to ?? FOREVER };
    this.#putBack(row, window, entry.withdrawnIn);
  }

  /** Ends withdrawals: all of them, or those with just these bounds, or of just this transaction. */
  #putBack(
    row: number,
    window: { readonly from: number; readonly to: number } | null,
    since?: number,
  ): void {
    this.#endOuts(
      row,
      (o) =>
        o.cause !== 'corrected' &&
        (window === null || (o.from === window.from && o.to === window.to)) &&
        (since === undefined || o.since === since),
    );
    this.#touch(row, false);
    this.#reconsider(row, false);
  }

  #takeOut(
    row: number,
    window: { readonly from: number; readonly to: number },
    cause: OutCause | WithdrawalCause,
    by: number | null,
  ): void {
    const { outs } = this.#tables.side;
    const { from, to } = window;
    const out: Out = { from, to, since: this.#tx, until: STILL, cause, by };
    this.#undo.put(outs, row, [...(outs.get(row) ?? []), out]);
    this.#touch(row, cause !== 'corrected');
  }

  #loseSource(row: number, source: NonNullable<Out['source']>, cause: WithdrawalCause): void {
    const { outs } = this.#tables.side;
    const nowhere = { from: BEGIN, to: BEGIN, since: this.#tx, until: STILL };
    const out: Out = { ...nowhere, cause, by: null, source };
    this.#undo.put(outs, row, [...(outs.get(row) ?? []), out]);
  }

  #endOuts(row: number, which: (out: Out) => boolean): boolean {
    const { outs } = this.#tables.side;
    const before = outsOf(this.#tables, row);
    if (!before.some((o) => o.until === STILL && which(o))) return false;
    this.#undo.put(
      outs,
      row,
      before.map((o) => (o.until === STILL && which(o) ? { ...o, until: this.#tx } : o)),
    );
    return true;
  }

  #touch(row: number, withdrawn: boolean): void {
    const t = this.#tables;
    for (const key of keysHeardIn(t, row, t.claim.key.get(row))) {
      const disturbance = disturb(this.dirty, key);
      disturbance.deeper = true;
      if (withdrawn) disturbance.withdrawn = true;
    }
  }

  /**
   * A corrector works while it takes part itself and has at least its target's authority. When its
   * own standing changes, so does that of its targets, and of theirs.
   */
  #reconsider(row: number, withdrawn: boolean): void {
    const t = this.#tables;
    const works = !isWhollyOut(outAt(t, row, this.#tx));
    for (const target of t.side.targets.get(row) ?? []) {
      const { claim } = target;
      const may = t.claim.authority.get(row) >= t.claim.authority.get(claim);
      const isHere = (o: Out): boolean =>
        o.by === row && o.from === target.from && o.to === target.to;
      const active = outsOf(t, claim).some((o) => o.until === STILL && isHere(o));
      if ((works && may) === active) continue;
      if (active) {
        this.#endOuts(claim, isHere);
        this.#touch(claim, withdrawn);
      } else {
        this.#takeOut(claim, target, 'corrected', row);
      }
      this.#reconsider(claim, withdrawn);
    }
  }
}

const broken = (what: string): PalimpsestError =>
  new PalimpsestError('JOURNAL_DAMAGED', `The journal makes no sense where it speaks of ${what}.`, {
    hint: 'Restore the journal from a backup or an export.',
  });
