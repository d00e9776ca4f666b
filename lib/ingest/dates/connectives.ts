import type { Weakness } from './candidate.js';
import type { Part } from './span.js';

export type Connective =
  | 'since'
  | 'until'
  /** Until the end of what is named. */
  | 'through'
  | 'before'
  | 'after'
  | 'by'
  | 'from'
  | 'between'
  /** "in", "on", "during": the date itself. */
  | 'in'
  /** "every", "two weeks before": no one date. */
  | 'never';

interface Words {
  readonly pattern: RegExp;
  readonly connective: Connective;
}

const words = (source: string, connective: Connective): Words => ({
  pattern: new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${source})\s+(?:the\s+)?$`, 'iu'),
  connective,
});

const BEFORE: readonly Words[] = [
  words(
    String.raw`(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|quarters?|time)\s+(?:before|after|from|prior\s+to|following)`,
    'never',
  ),
  words('every|each|any|per|most|some|another|one', 'never'),
  { pattern: /[每逢]个?年?$/u, connective: 'never' },
  { pattern: /(?:农历|阴历|旧历)$/u, connective: 'never' },
  words('not\\s+(?:until|till|before)', 'never'),
  words(
    String.raw`(?:ever\s+)?since|as\s+of|as\s+from|starting(?:\s+(?:in|on|from))?|beginning\s+(?:in|on)|effective`,
    'since',
  ),
  words(String.raw`until|till|up\s+(?:to|until)`, 'until'),
  words('through', 'through'),
  words(String.raw`before|prior\s+to`, 'before'),
  words('after', 'after'),
  words('by', 'by'),
  words('between', 'between'),
  words('from', 'from'),
  words('in|on|during|throughout|at', 'in'),
  { pattern: /(?:自从|自)$/u, connective: 'since' },
  { pattern: /直到$/u, connective: 'until' },
  { pattern: /截[至止]到?$/u, connective: 'through' },
  { pattern: /[从在]$/u, connective: 'from' },
];

const AFTER: readonly Words[] = [
  {
    pattern: /^\s*(?:以来|至今|到现在|到目前|起(?!来|床|飞|身|码|点|源|初)|开始)/u,
    connective: 'since',
  },
  { pattern: /^\s*为止/u, connective: 'through' },
  { pattern: /^\s*(?:以前|之前|前(?=[，。,.；;！!？?、\s]|$))/u, connective: 'before' },
  { pattern: /^\s*(?:以后|之后|后(?=[，。,.；;！!？?、\s]|$))/u, connective: 'after' },
  { pattern: /^\s+onwards?(?=[\s,.;!?]|$)/iu, connective: 'since' },
  { pattern: /^(?:以前|前)后/u, connective: 'never' },
];

export interface Found {
  readonly connective: Connective;
  /** Characters of the text that the word takes. */
  readonly length: number;
}

const find = (list: readonly Words[], text: string): Found | null => {
  for (const { pattern, connective } of list) {
    const match = pattern.exec(text);
    if (match !== null) return { connective, length: match[0].length };
  }
  return null;
};

/** Enough for the longest words above. */
const REACH = 40;

export const connectiveBefore = (text: string, index: number): Found | null =>
  find(BEFORE, text.slice(Math.max(0, index - REACH), index));

/** "from 2020 on"; without the "from", what follows "on" is something else. */
const ON = /^\s+(?:on|forward)(?=[\s,.;!?]|$)/iu;

export function connectiveAfter(text: string, end: number, before: Found | null): Found | null {
  const rest = text.slice(end, end + REACH);
  const on = before?.connective === 'from' ? ON.exec(rest) : null;
  return on === null ? find(AFTER, rest) : { connective: 'since', length: on[0].length };
}

const PART = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:the\s+)?(early|mid|middle|late|end|start|beginning)(?:\s+(?:of|in)\s+|[- ])(?:the\s+)?$`,
  'iu',
);

const PARTS: Readonly<Record<string, Part>> = {
  early: 'early',
  mid: 'mid',
  middle: 'mid',
  late: 'late',
  end: 'end',
  start: 'start',
  beginning: 'start',
};

export function partBefore(text: string, index: number): { part: Part; length: number } | null {
  const match = PART.exec(text.slice(Math.max(0, index - REACH), index));
  const part = match === null ? undefined : PARTS[match[1]?.toLowerCase() ?? ''];
  return match === null || part === undefined ? null : { part, length: match[0].length };
}

/** `or`: one of the two, and nobody knows which. */
export type Joint = 'to' | 'until' | 'and' | 'or';

export function joint(between: string): Joint | null {
  if (/^\s*(?:to|through|thru|–|—|-|~|～|至|到)\s*(?:the\s+)?$/iu.test(between)) return 'to';
  if (/^\s*(?:until|till|直到)\s*(?:the\s+)?$/iu.test(between)) return 'until';
  if (/^\s*(?:or|或者?|还是)\s*(?:in\s+|the\s+)*$/iu.test(between)) return 'or';
  return /^\s*(?:and|&|和|与|到)\s*(?:the\s+)?$/iu.test(between) ? 'and' : null;
}

const STATES: readonly Connective[] = ['since', 'until', 'through', 'before', 'after', 'in'];

/**
 * Which words make a date of what is none alone. "by 2026" may mean its start or its end, "by June" a
 * person, and "on Monday" the last or the next.
 */
const ADMITS: Readonly<Record<Weakness, readonly Connective[]>> = {
  year: STATES,
  month: STATES,
  name: ['since', 'until', 'through', 'in'],
  season: STATES,
  weekday: ['since', 'until', 'through', 'by'],
};

export const admits = (weak: Weakness, connective: Connective | null): boolean =>
  connective !== null && ADMITS[weak].includes(connective);
