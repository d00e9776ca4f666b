import { entitiesNamed, entityIdOf } from '../store/resident/entities.js';
import type { BeliefIndex } from '../store/resident/index.js';

/** Words of a name at most, and characters of a name in a script without spaces. */
const WORDS = 4;
const CHARACTERS = 8;
/** Of a text, in characters; a longer one is looked at from both ends. */
const LOOKED_AT = 8_000;

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/**
 * Ids of the entities that a text names, in the visible scopes: every run of a few words, and of a
 * few characters where the script has no spaces, is looked up by name. Bounded by the text, not by
 * the memory.
 */
export function entitiesIn(
  index: BeliefIndex,
  text: string,
  scopes: readonly string[],
  known: number,
): readonly string[] {
  const { tables } = index;
  const found = new Set<string>();
  for (const name of possibleNames(clip(text))) {
    for (const scope of scopes) {
      for (const row of entitiesNamed(tables, scope, name, known)) {
        found.add(entityIdOf(tables, tables.entity.term.get(row)));
      }
    }
  }
  return [...found];
}

const clip = (text: string): string =>
  text.length <= LOOKED_AT ? text : `${text.slice(0, LOOKED_AT / 2)} ${text.slice(-LOOKED_AT / 2)}`;

function* possibleNames(text: string): Iterable<string> {
  const words = text.split(/[\s,.;:!?()[\]{}"“”‘’'、。,;:!?()《》「」]+/u).filter((w) => w !== '');
  for (let i = 0; i < words.length; i++) {
    for (let n = 1; n <= WORDS && i + n <= words.length; n++) yield words.slice(i, i + n).join(' ');
  }
  for (const [run] of text.matchAll(UNSPACED)) {
    for (let i = 0; i < run.length; i++) {
      for (let n = 1; n <= CHARACTERS && i + n <= run.length; n++) yield run.slice(i, i + n);
    }
  }
}
