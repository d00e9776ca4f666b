/** A text as a reader sees it, with the way back to where its characters stand in the original. */
export interface Folded {
  readonly text: string;
  /** Where what is `[start, end)` in the folded text stands in the original. */
  readonly origin: (start: number, end: number) => readonly [start: number, end: number];
}

const BEYOND_ASCII = /[^\p{ASCII}]/u;
/** Characters that are not seen: zero width, joiners, marks of direction, soft hyphens, tags. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u;

/**
 * Full-width and ornamental letters become plain ones and unseen characters go, so that a token is found
 * however it is dressed. `null` where that changes nothing.
 */
export function fold(text: string): Folded | null {
  if (!BEYOND_ASCII.test(text) || (!UNSEEN.test(text) && text.normalize('NFKC') === text))
    return null;
  let folded = '';
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    if (!UNSEEN.test(character)) {
      const plain = character.normalize('NFKC');
      for (let i = 0; i < plain.length; i++) {
        starts.push(at);
        ends.push(at + character.length);
      }
      folded += plain;
    }
    at += character.length;
  }
  return {
    text: folded,
    origin: (start, end) => [starts[start] ?? at, ends[end - 1] ?? at],
  };
}
