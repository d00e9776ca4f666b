import { formatInstant } from '../../model/instant.js';
import type { SessionEvent } from '../event.js';
import { clip, wellFormed } from '../../model/text.js';
import { ends } from './fit.js';
import { ExtractionError, type ExtractionRequest } from './port.js';
import { RULES } from './rules.js';

export { PROMPT_VERSION } from './rules.js';

/** What a model is asked: the rules, which never change, and the log as data. */
export interface Prompt {
  readonly rules: string;
  readonly log: string;
}

/**
 * Of a prompt with its rules, in UTF-16 units. A portion of a session as ingestion cuts it fits in
 * whole, unless it is much escaped.
 */
export const PROMPT_CHARACTERS = 40_000;

/** Shares of what the rules leave, beside the events. What a section does not need, events get. */
const SHARES = { predicates: 0.15, facts: 0.15, context: 0.1 } as const;

/** Of one name, value or description. */
const VALUE = 160;

/** Events of context at most; the last ones. */
const CONTEXT = 10;

const SECTIONS = ['predicates', 'facts', 'context', 'events'] as const;

/** Marks that could be taken for one of ours, in any spelling. */
const MARK = new RegExp(`<(?=[\\s/]*(?:${SECTIONS.join('|')})\\b)`, 'giu');
/** Ends of a line to some readers; JSON lets them stand. */
const LINE_ENDS = /[\u0085\u2028\u2029]/gu;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A line of JSON which no text inside it can end, and in which no text can write a section's mark.
 * Whoever reads it as JSON gets the very same text.
 */
const line = (value: object): string =>
  JSON.stringify(value).replace(LINE_ENDS, escaped).replace(MARK, escaped);

const section = (name: (typeof SECTIONS)[number], lines: readonly string[]): string =>
  [`<${name}>`, ...lines, `</${name}>`].join('\n');

/** As many lines as there is room for, from the front. */
function within(lines: readonly string[], room: number): readonly string[] {
  const out: string[] = [];
  let used = 0;
  for (const text of lines) {
    used += text.length + 1;
    if (used > room) return [...out, line({ notShown: lines.length - out.length })];
    out.push(text);
  }
  return out;
}

/**
 * The prompt for a request. Its size is bounded, however large the memory and the events are: of huge
 * events both ends are shown, and the prompt says so.
 *
 * @throws ExtractionError when there are more events than fit in with a few words each.
 */
export function promptFor(request: ExtractionRequest, limit = PROMPT_CHARACTERS): Prompt {
  const { timeZone } = request;
  const room = limit - RULES.length - 1_000;
  const predicates = within(request.predicates.map(predicateLine), room * SHARES.predicates);
  const facts = within(request.facts.map(factLine), room * SHARES.facts);
  const before = said(request.context).slice(-CONTEXT);
  const context = fitted(before, room * SHARES.context, timeZone) ?? [];
  const used = [...predicates, ...facts, ...context].reduce((n, text) => n + text.length + 1, 0);
  const events = fitted(said(request.events), room - used, timeZone);
  if (events === null) {
    throw new ExtractionError(
      `${request.events.length} events do not fit into one prompt of ${limit} characters.`,
      { retry: 'never' },
    );
  }
  const log = [
    section('predicates', predicates),
    section('facts', facts),
    section('context', context),
    section('events', events),
    `Times of events are in ${timeZone}. Now answer with the JSON object.`,
  ].join('\n\n');
  return { rules: RULES, log };
}

/** System messages claim nothing about the world. */
const said = (events: readonly SessionEvent[]): readonly SessionEvent[] =>
  events.filter((event) => event.role !== 'system');

const predicateLine = (p: ExtractionRequest['predicates'][number]): string =>
  line({
    name: clip(p.name, VALUE),
    values: p.cardinality,
    kind: p.kind,
    ...(p.objectType === null ? {} : { object: clip(p.objectType, VALUE) }),
    ...(p.description === null ? {} : { meaning: clip(p.description, VALUE) }),
  });

const factLine = (fact: ExtractionRequest['facts'][number]): string =>
  line({
    id: fact.id,
    subject: clip(fact.subject, VALUE),
    predicate: clip(fact.predicate, VALUE),
    object: clip(fact.object, VALUE),
    valid: fact.valid,
  });

/** Fewer characters of an event tell nothing. */
const LEAST = 40;

/** Lines of events, the longest of them cut until all fit; `null` when even that is not enough. */
function fitted(
  events: readonly SessionEvent[],
  room: number,
  timeZone: string,
): readonly string[] | null {
  const longest = events.reduce((n, event) => Math.max(n, event.text.length), LEAST);
  // Lengths are tried one after the other, because escapes make a line longer than its text.
  for (let length = longest; ; length = Math.max(LEAST, Math.floor(length * 0.8))) {
    const lines: string[] = [];
    let used = 0;
    for (const event of events) {
      const text = eventLine(event, length, timeZone);
      used += text.length + 1;
      if (used > room) break;
      lines.push(text);
    }
    if (lines.length === events.length) return lines;
    if (length === LEAST) return null;
  }
}

const eventLine = (event: SessionEvent, length: number, timeZone: string): string =>
  line({
    seq: event.seq,
    role: event.role,
    ...(event.speaker === null ? {} : { speaker: clip(event.speaker, VALUE) }),
    ...(event.at === null
      ? {}
      : { at: formatInstant({ at: event.at, precision: 'minute' }, timeZone) }),
    text: ends(wellFormed(event.text), length),
  });
