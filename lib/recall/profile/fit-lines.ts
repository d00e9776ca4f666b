import type { ProfileLine } from './types.js';

export interface Room {
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
  const taken = new Set<L>();
  const linesOf = (): L[][] => sections.map((lines) => lines.filter((line) => taken.has(line)));
  const tokensOf = (): number => count(textOf(linesOf().flat()));
  const inTurn = [
    ...sections.flatMap((lines) => lines.slice(0, FIRST_ROUND)),
    ...sections.flatMap((lines) => lines.slice(FIRST_ROUND)),
  ];
  let tokens = tokensOf();
  let refused = 0;
  // To count the whole text for each line would take forever: as long as there is room, more at a time.
  let isRoomy = true;
  for (let at = 0, stride = 1; at < inTurn.length;) {
    const next = inTurn.slice(at, at + stride);
    // A shorter one may still fit.
    if (refused > 0 && count(textOf(next)) > maxTokens - tokens) {
      at += 1;
      continue;
    }
    for (const line of next) taken.add(line);
    const withNext = tokensOf();
    if (withNext <= maxTokens) {
      tokens = withNext;
      at += next.length;
      if (isRoomy) stride *= 2;
      continue;
    }
    for (const line of next) taken.delete(line);
    isRoomy = false;
    if (stride > 1) {
      stride >>= 1;
      continue;
    }
    at += 1;
    refused += 1;
    if (maxTokens - tokens < SHORTEST || refused === REFUSALS) break;
  }
  return { lines: linesOf(), tokens };
}

/** Lines that did not fit after all, before nothing more is tried. */
const REFUSALS = 16;
/** Tokens of the shortest line that says something. */
const SHORTEST = 6;

export const textOf = (lines: readonly ProfileLine[]): string =>
  lines.map(({ text }) => text).join('\n');
