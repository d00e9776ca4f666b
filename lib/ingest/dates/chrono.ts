import { createRequire } from 'node:module';
import type { ParsedComponents, ParsedResult, ParsingReference } from 'chrono-node';
import { civilDate, DAY, dayNumber, MINUTE } from '../../model/calendar.js';
import { PalimpsestError } from '../../model/errors.js';
import { type Candidate, yearless } from './candidate.js';
import { MONTH } from './english-words.js';
import { wallSpan } from './iso.js';
import { dateSpan, type Reference, type Span } from './span.js';

type Parse = (text: string, reference: ParsingReference) => ParsedResult[];

interface Chrono {
  readonly english: Parse;
  readonly chinese: Parse;
}

/** Loaded when the first text needs it, and by `require`, so that reading dates needs no promise. */
let loaded: Chrono | undefined;

const parses = (module: unknown): module is { readonly parse: Parse } =>
  typeof module === 'object' &&
  module !== null &&
  'parse' in module &&
  typeof module.parse === 'function';

function chrono(): Chrono {
  if (loaded !== undefined) return loaded;
  const require = createRequire(import.meta.url);
  const english: unknown = require('chrono-node/en');
  const chinese: unknown = require('chrono-node/zh/hans');
  if (!parses(english) || !parses(chinese)) {
    throw new PalimpsestError('ENGINE_UNAVAILABLE', 'chrono-node is not as expected.', {
      hint: 'Install a 2.x version of chrono-node.',
    });
  }
  loaded = { english: english.parse, chinese: chinese.parse };
  return loaded;
}

const ENGLISH = new RegExp(
  String.raw`(?:${MONTH}\.?\s+\d|\d(?:st|nd|rd|th)?\s+(?:of\s+)?${MONTH}|\b(?:[Yy]esterday|[Tt]oday|[Tt]omorrow|[Tt]onight)\b)`,
  'gu',
);
const CHINESE = /(?:[昨今明前后]天|[日号])\D{0,6}[0-9一二三四五六七八九十]{1,3}[点:：]/gu;

/** What is handed over at once. Dates are short; the time that a long text takes grows with the windows. */
const MARGIN = 60;

interface Window {
  readonly from: number;
  readonly text: string;
}

function windows(text: string, hint: RegExp): Window[] {
  const spans: { from: number; to: number }[] = [];
  for (const { index, 0: word } of text.matchAll(hint)) {
    const from = Math.max(0, index - MARGIN);
    const to = index + word.length + MARGIN;
    const last = spans.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else spans.push({ from, to });
  }
  return spans.map(({ from, to }) => ({ from, text: text.slice(from, to) }));
}

/**
 * Only what chrono was told outright counts: it fills the rest in from its own guesses. Some of its
 * parsers count by the zone of the machine whatever they are told, so it is asked at the machine's noon
 * of the speaker's date, and only its figures are taken: neither zones nor changes of clocks have a say.
 */
function dayOf(part: ParsedComponents): { year: number | null; month: number; day: number } | null {
  const month = part.get('month');
  const day = part.get('day');
  const told = part.isCertain('month') && part.isCertain('day');
  if (!told || month === null || day === null) return null;
  return { year: part.isCertain('year') ? part.get('year') : null, month, day };
}

function timed(part: ParsedComponents, ref: Reference): Span | null {
  const date = dayOf(part);
  const hour = part.get('hour');
  if (date === null || date.year === null || hour === null) return null;
  const offset = part.isCertain('timezoneOffset') ? part.get('timezoneOffset') : null;
  const minutes = hour * 60 + (part.get('minute') ?? 0);
  const wall = dayNumber(date.year, date.month, date.day) * DAY + minutes * MINUTE;
  return wallSpan(wall, offset === null ? null : offset * MINUTE, false, ref);
}

/** Names of zones mean several zones each; figures do not. */
const ZONE_NAME = /\b(?!UTC\b|GMT\b|AM\b|PM\b)[A-Z]{2,5}T?\s*$/u;

/** "Monday, February 27th" is none of a year in which that is a Thursday. Monday is 1, Sunday 0. */
const fits = (part: ParsedComponents, span: Span): boolean =>
  !part.isCertain('weekday') || part.get('weekday') === (((span.from + 4) % 7) + 7) % 7;

/** The reading of a clock; "now" and "in five minutes" would count from the noon that we ask at. */
const CLOCK = /\d[:：]\d\d|\d\s?[ap]\.?m|o['’]clock|点/iu;

/** What counts from a date is another one, for which chrono's rules are not ours. */
const COUNTING =
  /\b(?:before|after|end|start|beginning|ago|from|later|earlier|seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|last|next)\b/iu;

function resolver(result: ParsedResult, ref: Reference): Candidate['resolve'] | null {
  if (COUNTING.test(result.text)) return null;
  const { start } = result;
  // It says `null` where its types say `undefined`.
  const end = result.end ?? undefined;
  if (start.isCertain('hour')) {
    if (end !== undefined || !CLOCK.test(result.text) || ZONE_NAME.test(result.text)) return null;
    const span = timed(start, ref);
    return () => span;
  }
  const first = dayOf(start);
  const last = end === undefined ? first : dayOf(end);
  if (first === null || last === null || !new RegExp(MONTH, 'u').test(result.text)) return null;
  const make = (year: number): Span | null => {
    const from = dateSpan(year, first.month, first.day);
    const crosses = first.month > last.month;
    const to = dateSpan(
      first.year === null ? year + (crosses ? 1 : 0) : (last.year ?? year),
      last.month,
      last.day,
    );
    if (from === null || to === null || to.to <= from.from || !fits(start, from)) return null;
    return { ...from, to: to.to };
  };
  const year = first.year;
  if (year === null) return yearless(make, ref);
  const span = make(year);
  return () => span;
}

/** 31 April is no date, nor is it 1 May, and a version or a number in front makes it something else. */
const CUT_OFF = /[\p{N}\p{L}_.\-/:]$/u;

function read(parse: Parse, hint: RegExp, text: string, ref: Reference): Candidate[] {
  const { year, month, day } = civilDate(ref.day);
  const noon = new Date(2000, month - 1, day, 12);
  noon.setFullYear(year, month - 1, day);
  return windows(text, hint).flatMap((window) =>
    parse(window.text, { instant: noon }).flatMap((result) => {
      const resolve = resolver(result, ref);
      const index = window.from + result.index;
      const end = index + result.text.trimEnd().length;
      const latin = /^[\p{Script=Latin}\p{N}]/u.test(result.text);
      const cut =
        latin &&
        (CUT_OFF.test(text.slice(0, index)) || /^[\p{Script=Latin}\p{N}_]/u.test(text.slice(end)));
      return resolve === null || cut ? [] : [{ index, end, weak: null, resolve }];
    }),
  );
}

/** Full dates with the name of their month, and times of a day: what chrono reads well. */
export function chronoCandidates(text: string, ref: Reference): readonly Candidate[] {
  const english = ENGLISH.test(text) && /\d/u.test(text);
  ENGLISH.lastIndex = 0;
  const chinese = CHINESE.test(text);
  CHINESE.lastIndex = 0;
  return [
    ...(english ? read(chrono().english, ENGLISH, text, ref) : []),
    ...(chinese ? read(chrono().chinese, CHINESE, text, ref) : []),
  ];
}
