import { wellFormed } from '../../model/text.js';

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
