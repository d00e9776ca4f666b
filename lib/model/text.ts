import { z } from 'zod';
import type { ErrorCode } from './errors.js';

/** Half of a surrogate pair on its own: not text, and lost or replaced by every store below us. */
const LONE_SURROGATE = /\p{Surrogate}/u;

export const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);

/** Limits in UTF-16 code units. */
export const LIMITS = {
  name: 4_096,
  scopeValue: 16_384,
  text: 262_144,
  evidence: 256,
} as const;

/** What is wrong with a text, and the code of it. */
interface Fault {
  readonly code: ErrorCode;
  readonly error: string;
}

/** A text of which at most one thing is said to be wrong: looked at once, since every question brings names. */
const sound = (faultOf: (text: string) => Fault | null) =>
  z.string().check((context) => {
    const fault = faultOf(context.value);
    if (fault === null) return;
    const { code, error: message } = fault;
    context.issues.push({ code: 'custom', input: context.value, message, params: { code } });
  });

function faultOfText(text: string, limit: number): Fault | null {
  if (!isWellFormed(text)) {
    return { code: 'INVALID_TEXT', error: 'holds half of a surrogate pair' };
  }
  return text.length <= limit
    ? null
    : { code: 'TOO_LARGE', error: `is longer than ${limit} characters` };
}

/** Text that every store can keep, up to a limit; the limit's breach has a code of its own. */
export const text = (limit: number = LIMITS.text) => sound((s) => faultOfText(s, limit));

/** Names of JavaScript's own machinery, which no map of ours may be asked for by accident. */
const MACHINERY = new Set(['__proto__', 'constructor', 'prototype']);

export const isMachinery = (name: string): boolean => MACHINERY.has(name);

/** Something that is neither space nor a mark which only steers the text around it. */
const SEEN = /[^\s\p{Cf}\p{Cc}]/u;

function faultOfName(name: string): Fault | null {
  const fault = faultOfText(name, LIMITS.name);
  if (fault !== null) return fault;
  if (!SEEN.test(name)) return { code: 'INVALID_NAME', error: 'is empty' };
  return isMachinery(name) ? { code: 'INVALID_NAME', error: 'is not allowed as a name' } : null;
}

/** A name: something to see in it, of bearable length. */
export const name = () => sound(faultOfName);

/**
 * The form in which names are compared: compatibility-composed, case and white space folded.
 *
 * @example normaliseName('  Ａna  SOUZA') // 'ana souza'
 */
export const normaliseName = (text: string): string =>
  PLAIN.test(text)
    ? text.toLowerCase()
    : text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();

/** ASCII words with single spaces between them: most names, and nothing to fold but their case. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/u;

/** The text without halves of surrogate pairs and NUL: neither is text to anybody further down. */
export const wellFormed = (text: string): string => text.replace(/[\p{Surrogate}\0]/gu, '');

/** The first so many characters, and a mark where something is missing. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${wellFormed(text.slice(0, Math.max(0, length - 1)))}…`;
