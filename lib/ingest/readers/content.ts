import { z } from 'zod';

/** A message's content in most formats: text, or blocks of which some are text. */
export const ContentSchema = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
]);

export type Content = z.infer<typeof ContentSchema>;
export type Block = Exclude<Content, string>[number];

const TEXT_TYPES = new Set(['text', 'input_text', 'output_text']);

export const blocksOf = (content: Content): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

export const isText = (block: Block): block is Block & { text: string } =>
  TEXT_TYPES.has(block.type) && block.text !== undefined;

/** The text of a message, and the types of the blocks that are none. */
export function textOf(content: Content): { text: string; omitted: readonly string[] } {
  const blocks = blocksOf(content);
  return {
    text: blocks
      .filter(isText)
      .map((block) => block.text)
      .join('\n'),
    omitted: blocks.filter((block) => !isText(block)).map((block) => block.type),
  };
}
