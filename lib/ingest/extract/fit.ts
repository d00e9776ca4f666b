/** Cutting texts to size without cutting a character in two. */

/** The text without halves of surrogate pairs and NUL: neither is text to anybody further down. */
export const wellFormed = (text: string): string => text.replace(/[\p{Surrogate}\0]/gu, '');

/** The first so many characters, and a mark where something is missing. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${wellFormed(text.slice(0, Math.max(0, length - 1)))}…`;

/** Both ends of a text, and between them how much is missing; the mark comes on top of the length. */
export function ends(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil(length * 0.7);
  const tail = length - head;
  const missing = text.length - head - tail;
  return wellFormed(
    `${text.slice(0, head)} … [${missing} characters left out here] … ${text.slice(text.length - tail)}`,
  );
}
