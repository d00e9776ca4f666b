import type { ClaimRecord } from '../../model/entry.js';
import { PREFIX, NONE, type Tables } from '../../store/resident/tables.js';

/**
 * What of a claim is searched: the names that its subject and object had when it was told, its predicate in
 * words, what it says, and the words it rests on.
 */
export function claimText(t: Tables, row: number, claim: ClaimRecord): string {
  const known = t.claim.tx.get(row);
  const parts = [
    ...namesOf(t, claim.subject, known),
    claim.predicate.replaceAll(/[_-]+/gu, ' '),
    ...objectTexts(t, claim, known),
  ];
  if (claim.instance !== undefined) parts.push(claim.instance);
  if (claim.properties !== undefined) parts.push(...leaves(claim.properties));
  if (claim.statement !== undefined) parts.push(claim.statement);
  for (const { quote } of claim.evidence ?? []) if (quote !== undefined) parts.push(quote);
  return parts.join('\n');
}

function objectTexts(t: Tables, { object }: ClaimRecord, known: number): readonly string[] {
  if ('entity' in object) return namesOf(t, object.entity, known);
  if ('string' in object) return [object.string];
  if ('number' in object) return [String(object.number)];
  if ('boolean' in object) return [String(object.boolean)];
  if ('instant' in object) return [object.instant[0].slice(0, 10)];
  return 'json' in object ? leaves(object.json) : [];
}

function namesOf(t: Tables, id: string, known: number): readonly string[] {
  const row = t.entityOfTerm.get(t.texts.find(`e:${id}`));
  if (row === NONE) return [];
  const names: string[] = [];
  t.namesOfEntity.each(row, (entry) => {
    if (t.name.since.get(entry) > known || known >= t.name.until.get(entry)) return;
    names.push(t.texts.text(t.name.text.get(entry)).slice(PREFIX.display.length));
  });
  return names;
}

/** Every text and number in a value of JSON. */
function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leaves);
}
