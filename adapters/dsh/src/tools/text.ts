import type { Evidence, MemoryFact, Outcome } from '../engine/vocabulary.js';

/** More than this is of no use to a model, and would be cut by the host. In UTF-16 units. */
const LONGEST = 16_000;

const quoted = (text: string): string => JSON.stringify(text);

const sources = (evidence: readonly Evidence[]): string =>
  evidence
    .slice(0, 3)
    .map(
      ({ session, seq, quote }) => `${session}#${seq}${quote === null ? '' : ` ${quoted(quote)}`}`,
    )
    .join(', ');

export function factLine(fact: MemoryFact): string {
  const notes = [
    fact.valid,
    ...(fact.certainty === 'presumed' ? ['presumed'] : []),
    ...(fact.knownTo === null ? [] : [`believed until ${fact.knownTo}`]),
  ];
  const from = fact.evidence.length === 0 ? '' : ` from ${sources(fact.evidence)}`;
  return `${fact.id}: ${quoted(fact.subject)} ${fact.predicate} ${quoted(fact.object)} [${notes.join('; ')}]${from}`;
}

export const factLines = (facts: readonly MemoryFact[]): string =>
  facts.length === 0 ? 'Nothing is remembered of that.' : cut(facts.map(factLine).join('\n'));

export function outcomeText(outcome: Outcome): string {
  if (outcome.noEffect !== null) {
    const ids = outcome.claims.length === 0 ? '' : ` (${outcome.claims.join(', ')})`;
    return `Nothing changed in what is believed: ${outcome.noEffect}${ids}.`;
  }
  return cut(
    [
      `Done in transaction ${outcome.tx}.`,
      ...outcome.opened.map((fact) => `now: ${factLine(fact)}`),
      ...outcome.closed.map(({ fact, reason }) => `${reason}: ${factLine(fact)}`),
    ].join('\n'),
  );
}

export const cut = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… cut; ask for less.`;
