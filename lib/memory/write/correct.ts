import { z } from 'zod';
import { isFactId } from '../../model/ids.js';
import { FOREVER } from '../../model/interval.js';
import { scopeOfKey } from '../../model/scope.js';
import { claimRowOf } from '../../store/resident/changes.js';
import { idCells } from '../../store/resident/hex.js';
import { entityId } from '../present.js';
import { visibleFact } from '../read/why.js';
import { draftClaim, targetsOf } from './claim.js';
import type { Draft, VerbOutcome } from './draft.js';
import { objectInput } from './end.js';
import type { CorrectInputSchema, Saying } from './input.js';

type Correction = z.output<typeof CorrectInputSchema>;

/**
 * Says that a fact or claim was wrong, and what is right instead. What the correction leaves out is
 * taken from what it corrects.
 *
 * @throws PalimpsestError `NOT_FOUND` for what does not exist or cannot be seen from here.
 */
export function draftCorrect(draft: Draft, input: Correction): VerbOutcome {
  const { was, ...said } = input;
  // Looks the target up in any case, so that a wrong id is told before anything else.
  targetsOf(draft, was, 'was');
  const before = isFactId(was) ? ofFact(draft, was) : ofClaim(draft, was);
  return draftClaim(draft, {
    ...said,
    subject: said.subject ?? before.subject,
    predicate: said.predicate ?? before.predicate,
    object: said.object === undefined ? before.object : said.object,
    polarity: said.polarity ?? before.polarity,
    validFrom: said.validFrom === undefined ? before.validFrom : said.validFrom,
    validTo: said.validTo === undefined ? before.validTo : said.validTo,
    instance: said.instance ?? before.instance,
    properties: said.properties ?? before.properties,
    to: said.to ?? before.to,
    corrects: [was, ...(said.corrects ?? [])],
  });
}

function ofFact(draft: Draft, id: string): Saying {
  const row = visibleFact(draft.space, draft.place, id, draft.index.lastTx);
  const support = draft.index.supportOf(row, Math.min(draft.index.lastTx, row.knownTo - 1));
  const open = support.some((c) => c.validTo === 'unknown') ? 'unknown' : 'ongoing';
  return {
    subject: { id: entityId(row.subject) },
    predicate: row.predicate,
    object: objectInput(row),
    validFrom: row.startUnknown ? 'unknown' : { at: row.validFrom, precision: row.fromPrecision },
    validTo: row.validTo === FOREVER ? open : { at: row.validTo, precision: row.toPrecision },
    ...(row.instance === null ? {} : { instance: row.instance }),
    ...(row.properties === null ? {} : { properties: propertiesIn(row.properties) }),
    to: scopeOfKey(row.scope),
  };
}

function ofClaim(draft: Draft, id: string): Saying {
  const { tables } = draft.index;
  const store = draft.space.store;
  const c = claimRowOf(tables, tables.claimIds.find(idCells(id)), (row) => store.claim(row));
  return {
    subject: { id: entityId(c.subject) },
    predicate: c.predicate,
    object: objectInput(c),
    polarity: c.polarity,
    validFrom: c.validFrom === null ? 'unknown' : { at: c.validFrom, precision: c.fromPrecision },
    validTo:
      typeof c.validTo === 'number' ? { at: c.validTo, precision: c.toPrecision } : c.validTo,
    ...(c.instance === null ? {} : { instance: c.instance }),
    ...(c.properties === null ? {} : { properties: propertiesIn(c.properties) }),
    to: scopeOfKey(c.scope),
  };
}

const PropertiesSchema = z.record(z.string(), z.json());

const propertiesIn = (json: string): z.output<typeof PropertiesSchema> =>
  PropertiesSchema.parse(JSON.parse(json));
