import type { ImportedStatement } from '../importers/statement.js';

/** Statements of another memory as lines of an event stream, in the order in which they became known. */
export function streamOf(
  statements: readonly ImportedStatement[],
  keepsKnownTime: boolean,
): readonly string[] {
  const events = statements.flatMap((s, i) => {
    const fact = {
      subject: s.subject,
      predicate: s.predicate,
      object: s.isEntity ? { entity: s.object } : s.object,
      ...(s.statement === null ? {} : { statement: s.statement }),
      ...(s.validFrom === null ? {} : { valid_from: s.validFrom }),
      ...(s.knownAt === null ? {} : { observed_at: s.knownAt }),
    };
    const tx = (at: string | null) => (keepsKnownTime && at !== null ? { tx: at } : {});
    const ended = s.validTo === null ? {} : { valid_to: s.validTo };
    const later = s.endKnownAt;
    const isLater = later !== null && s.validTo !== null && s.knownAt !== null && later > s.knownAt;
    if (!keepsKnownTime || !isLater) {
      return [{ order: s.knownAt, line: { ...tx(s.knownAt), fact: { ...fact, ...ended } } }];
    }
    const key = `edge ${i}`;
    return [
      { order: s.knownAt, line: { ...tx(s.knownAt), key, fact } },
      {
        order: later,
        line: { ...tx(later), op: 'amend', key, fact: { ...fact, ...ended, observed_at: later } },
      },
    ];
  });
  // What has no known time becomes known now, after everything else.
  const last = '9999';
  return events
    .toSorted((a, b) =>
      (a.order ?? last) < (b.order ?? last) ? -1 : (a.order ?? last) > (b.order ?? last) ? 1 : 0,
    )
    .map(({ line }) => JSON.stringify(line));
}
