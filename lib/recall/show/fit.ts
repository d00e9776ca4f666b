import type { CutHit, EventHit, Hit } from '../types.js';
import { render, type Page } from './render.js';

export interface Fitted {
  readonly hits: readonly Hit[];
  readonly text: string;
  readonly tokens: number;
  readonly cut: readonly CutHit[];
}

/** Of a long event's text so much is shown at least, in characters. */
const LEAST = 80;

/**
 * As many hits as the budget holds, the best first; one that does not fit leaves its place to the next. A
 * long event is shown in part. The budget is never exceeded: where not even the head fits there is no text.
 */
export function fit(page: Page, maxTokens: number, count: (text: string) => number): Fitted {
  const attempt = (hits: readonly Hit[]): { text: string; tokens: number } | null => {
    const text = render({ ...page, hits });
    const tokens = count(text);
    return tokens <= maxTokens ? { text, tokens } : null;
  };
  let best = attempt([]) ?? { text: '', tokens: 0 };
  let hits: readonly Hit[] = [];
  const cut: CutHit[] = [];
  for (const hit of page.hits) {
    const found = longest(hit, (one) => attempt([...hits, one]));
    if (found === null) {
      cut.push({ id: idOf(hit), score: hit.score, why: 'budget' });
      continue;
    }
    hits = [...hits, found.hit];
    best = found.made;
  }
  return { hits, ...best, cut };
}

/** How a trace names a hit. */
const idOf = (hit: Hit): string =>
  hit.kind === 'fact' ? hit.fact.id : `${hit.session}#${hit.seq}`;

interface Made {
  readonly text: string;
  readonly tokens: number;
}

/** The hit itself, or as much of an event as there is room for. */
function longest(
  hit: Hit,
  attempt: (hit: Hit) => Made | null,
): { readonly hit: Hit; readonly made: Made } | null {
  const whole = attempt(hit);
  if (whole !== null) return { hit, made: whole };
  if (hit.kind === 'fact' || hit.text.length <= LEAST) return null;
  let low = LEAST;
  let high = hit.text.length;
  let best: { readonly hit: Hit; readonly made: Made } | null = null;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const part = shortened(hit, middle);
    const made = attempt(part);
    if (made === null) high = middle - 1;
    else {
      best = { hit: part, made };
      low = middle + 1;
    }
  }
  return best;
}

/** Cut between characters, never within one. */
function shortened(hit: EventHit, length: number): EventHit {
  const isSplit = /[\uD800-\uDBFF]/u.test(hit.text.charAt(length - 1));
  return { ...hit, text: `${hit.text.slice(0, isSplit ? length - 1 : length)}…` };
}
