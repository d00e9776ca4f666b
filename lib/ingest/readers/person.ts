import type { SkipCode } from '../event.js';
import { blocksOf, type Content, isText } from './content.js';
import { personalPart } from './wrappers.js';

export type Spoken =
  | { readonly text: string; readonly omitted: readonly string[] }
  | { readonly skip: SkipCode };

/** The text of a message in a person's place, without what a program has put there. */
export function personOf(content: Content): Spoken {
  const texts: string[] = [];
  const omitted: string[] = [];
  let skip: SkipCode | undefined;
  for (const block of blocksOf(content)) {
    if (!isText(block)) {
      omitted.push(block.type);
      continue;
    }
    const said = personalPart(block.text);
    if ('skip' in said) {
      skip ??= said.skip;
      omitted.push(said.skip);
      continue;
    }
    if (said.text.trim() !== '') texts.push(said.text);
    omitted.push(...said.removed);
  }
  if (texts.length === 0 && skip !== undefined) return { skip };
  return { text: texts.join('\n'), omitted };
}
