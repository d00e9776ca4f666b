import { z } from 'zod';
import { ClaimRecordSchema, EntityRecordSchema, ORIGINS, SourceRecord } from '../../model/entry.js';
import { PredicateRecordSchema } from '../../model/ontology.js';
import type { Side } from './side.js';

/** The side maps as JSON, for the checkpoint. */

const row = z.number().int();
const pairs = <V extends z.ZodType>(value: V) => z.array(z.tuple([row, value]));

const Place = z.strictObject({ segment: row, offset: row, length: row });
const Held = z.strictObject({
  claim: ClaimRecordSchema,
  why: z.string(),
  tx: row,
  at: Place.nullable(),
  entities: z.array(EntityRecordSchema).readonly().optional(),
});
const Out = z.strictObject({
  from: row,
  to: row,
  since: row,
  until: row,
  cause: z.enum(['retract', 'reject', 'revert', 'forget', 'corrected']),
  by: row.nullable(),
  source: SourceRecord.optional(),
});

const SideFile = z.strictObject({
  outs: pairs(z.array(Out)),
  targets: pairs(z.array(z.strictObject({ claim: row, from: row, to: row }))),
  held: z.array(z.tuple([z.string(), Held])),
  rejected: z.array(z.tuple([z.string(), Held])),
  places: pairs(z.array(z.strictObject({ until: row, key: row, object: row }))),
  merges: z.array(z.strictObject({ from: row, into: row, since: row, until: row })),
  canonicals: pairs(z.array(z.strictObject({ since: row, term: row }))),
  settings: z.array(
    z.strictObject({
      since: row,
      timeZone: z.string(),
      authority: z.record(z.enum(ORIGINS), z.number()),
      predicates: z.array(z.tuple([z.string(), PredicateRecordSchema])),
    }),
  ),
  erased: z.array(z.tuple([z.string(), z.array(z.string())])),
  cursors: z.array(z.tuple([z.string(), row])),
});

export function sideToJson(side: Side): string {
  const file: z.input<typeof SideFile> = {
    outs: [...side.outs].map(([claim, outs]) => [claim, [...outs]]),
    targets: [...side.targets].map(([claim, targets]) => [claim, [...targets]]),
    held: [...side.held],
    rejected: [...side.rejected],
    places: [...side.places].map(([claim, places]) => [claim, [...places]]),
    merges: [...side.merges],
    canonicals: [...side.canonicals].map(([term, history]) => [term, [...history]]),
    settings: side.settings.map((s) => ({ ...s, predicates: [...s.predicates] })),
    erased: [...side.erased].map(([salt, hashes]) => [salt, [...hashes]]),
    cursors: [...side.cursors],
  };
  return JSON.stringify(file);
}

/** @throws ZodError or SyntaxError for anything else than what `sideToJson` wrote. */
export function sideFromJson(text: string): Side {
  const file = SideFile.parse(JSON.parse(text));
  return {
    outs: new Map(file.outs),
    targets: new Map(file.targets),
    held: new Map(file.held),
    rejected: new Map(file.rejected),
    places: new Map(file.places),
    merges: file.merges,
    canonicals: new Map(file.canonicals),
    settings: file.settings.map((s) => ({ ...s, predicates: new Map(s.predicates) })),
    erased: new Map(file.erased.map(([salt, hashes]) => [salt, new Set(hashes)])),
    cursors: new Map(file.cursors),
  };
}
