/**
 * What would break a line, or is not seen as what it is: control characters, line and paragraph ends, marks that
 * turn the direction of text, and characters without a shape, in which an instruction can hide. Joiners stay:
 * emoji and some scripts are written with them.
 */
const UNSEEN =
  /[\p{Cc}\u061C\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;

/** JSON on one line, in which all of these are spelled out as JSON would spell them. */
export const spelledOut = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replaceAll(UNSEEN, (found) =>
    Array.from({ length: found.length }, (_, i) => codeOf(found.charCodeAt(i))).join(''),
  );

const codeOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** Plain text on one line, without any of these. */
export const onOneLine = (text: string): string =>
  text.replaceAll(UNSEEN, ' ').replace(/\s+/gu, ' ').trim();
