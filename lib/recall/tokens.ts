import { calendarTerms } from './calendar-terms.js';
import { DIGIT, EAST_ASIAN, JOINT, kindOf, LETTER } from './characters.js';
import { type HanFold, NO_HAN_FOLD } from './han-fold.js';
import { stem } from './porter2.js';
import { isStopCharacter, isStopWord } from './stop-words.js';

/** Longer runs are keys, hashes and encoded data; what they begin with is enough to find them. */
const LONGEST = 64;

/**
 * The terms of a text, in order and with repeats, the same for a document and for a question about it.
 *
 * Width and case are folded. English words are stemmed and stop words left out. Han, kana and hangul
 * give every character and every pair of neighbours, except for particles. An identifier gives itself as
 * a whole, then its parts; a number itself. Days come as terms of the calendar, first of all.
 *
 * @example
 * tokenize('Deployments of SR-2023-052') // ['deploy', 'sr-2023-052', 'sr', '2023', '052']
 * tokenize('部署失败') // ['部', '署', '部署', '失', '署失', '败', '失败']
 */
export function tokenize(text: string, fold: HanFold = NO_HAN_FOLD): string[] {
  const source = text.normalize('NFKC');
  const out = calendarTerms(source);
  let at = 0;
  while (at < source.length) {
    const point = source.codePointAt(at)!;
    const kind = kindOf(point);
    if (kind === EAST_ASIAN) at = eastAsian(source, at, fold, out);
    else if (kind === LETTER || kind === DIGIT) {
      const end = chunkEnd(source, at);
      chunk(source.slice(at, end), out);
      at = end;
    } else at += point > 0xffff ? 2 : 1;
  }
  return out;
}

function eastAsian(source: string, from: number, fold: HanFold, out: string[]): number {
  let before = '';
  let at = from;
  while (at < source.length) {
    const point = source.codePointAt(at)!;
    if (kindOf(point) !== EAST_ASIAN) break;
    const written = String.fromCodePoint(point);
    const character = fold.get(written) ?? written;
    const stop = isStopCharacter(character);
    if (!stop) out.push(character);
    if (before !== '' && !(stop && isStopCharacter(before))) out.push(before + character);
    before = character;
    at += written.length;
  }
  return at;
}

/** Where the letters and digits end that begin at `from`; a joint belongs to them only between two. */
function chunkEnd(source: string, from: number): number {
  let end = from;
  let at = from;
  while (at < source.length) {
    const point = source.codePointAt(at)!;
    const kind = kindOf(point);
    const size = point > 0xffff ? 2 : 1;
    if (kind === LETTER || kind === DIGIT) end = at + size;
    else if (kind !== JOINT || end < at) break;
    at += size;
  }
  return end;
}

const PLAIN = /^[a-z]+$/;
const NUMBER = /^(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)$/;
const ISO_DAY = /^(\d{4}-\d\d-\d\d)(?:T[\d:.+-]+Z?)?$/i;
const JOINED = /[-_./:@#+,]/;
const IDENTIFIER = /[_./:@#+\d]/;
/** Where letters turn to digits, and where camelCase and HTTPServer begin a word. */
const HUMP =
  /(?<=\p{L}{2})(?=\p{N})|(?<=\p{N})(?=\p{L}{2})|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

function chunk(written: string, out: string[]): void {
  const text = written.replaceAll('’', "'");
  const lower = text.toLowerCase();
  if (PLAIN.test(lower) && (lower === text || !HUMP.test(text))) return word(lower, out);
  if (NUMBER.test(text)) return void out.push(text.replaceAll(',', ''));
  // A calendar term; its digits would only meet other numbers.
  if (ISO_DAY.test(text)) return;
  if (isStopWord(lower)) return;
  const parts = text
    .split(JOINED)
    .flatMap((part) => part.replace(/'s$/i, '').split(HUMP))
    .filter((part) => part !== '');
  // A hyphen or a comma alone makes no identifier: `follow-up` is its two words.
  const identifier = IDENTIFIER.test(lower) || (parts.length > 1 && !JOINED.test(lower));
  if (identifier && (parts.length > 1 || parts[0] !== text)) out.push(lower.slice(0, LONGEST));
  if (/^v\d/.test(lower)) out.push(lower.slice(1, LONGEST));
  for (const part of parts) word(part.toLowerCase(), out);
}

const MARKS = /\p{M}+/gu;

function word(text: string, out: string[]): void {
  if (isStopWord(text)) return;
  const plain = PLAIN.test(text) ? text : text.normalize('NFD').replace(MARKS, '');
  // 05 and 5 are one day of a month.
  if (/^0\d$/.test(plain)) out.push(plain.slice(1));
  else if (plain !== '') out.push(stem(plain).slice(0, LONGEST));
}
