import type { ProfileLine } from './types.js';

interface Room {
  readonly maxTokens: number;
  readonly count: (text: string) => number;
}

/** In the first round each section may take so many lines, so that one does not fill it all. */
const FIRST_ROUND = 8;

/**
 * The lines for which there is room, section by section: of each some first, then of each the rest. Within
 * the text they stand in the order of the sections.
 */
export function fitLines<L extends ProfileLine>(
  sections: readonly (readonly L[])[],
  { maxTokens, count }: Room,
): { readonly lines: readonly (readonly L[])[]; readonly tokens: number } {
  const taken = sections.map(() => new Set<L>());
  const linesOf = (): L[][] =>
    sections.map((lines, i) => lines.filter((line) => taken[i]?.has(line)));
  const tokensOf = (): number => count(textOf(linesOf().flat()));
  let isFull = false;
  for (const [from, to] of [
    [0, FIRST_ROUND],
    [FIRST_ROUND, Infinity],
  ] as const) {
    for (const [i, lines] of sections.entries()) {
      for (const line of lines.slice(from, to)) {
        if (isFull) break;
        taken[i]?.add(line);
        if (tokensOf() <= maxTokens) continue;
        taken[i]?.delete(line);
        // A shorter one may still fit, but not when there is hardly any room at all.
        isFull = maxTokens - tokensOf() < SHORTEST;
      }
    }
  }
  return { lines: linesOf(), tokens: tokensOf() };
}

/** Tokens of the shortest line that says something. */
const SHORTEST = 6;

export const textOf = (lines: readonly ProfileLine[]): string =>
  lines.map(({ text }) => text).join('\n');
