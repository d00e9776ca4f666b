/** Of an answer, in UTF-16 units; a model that rambles on is not followed further. */
const LOOKED_AT = 400_000;
/** Places where a value may begin that are tried: what prose is full of brackets is no answer. */
const TRIED = 100;

/** Prose in brackets does not begin like this. */
const LOOKS_LIKE_JSON = /^(?:\{\s*["}]|\[\s*[{["])/u;
const LOOKED_AHEAD = 200;

/**
 * The JSON values that stand in a text, the whole text first if it is one: without the fences, the
 * prose and the thoughts that models put around. None at all where one of them is broken.
 */
export function jsonIn(text: string): readonly unknown[] {
  const told = text
    .slice(0, LOOKED_AT)
    .replace(/^\uFEFF/u, '')
    .replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/u, '')
    .trim();
  const whole = parsed(told);
  if (whole !== undefined) return [whole];
  const out: unknown[] = [];
  let at = 0;
  for (let tried = 0; tried < TRIED; tried++) {
    const start = nextStart(told, at);
    if (start < 0) break;
    const end = endOf(told, start);
    const value = end < 0 ? undefined : parsed(told.slice(start, end));
    if (value !== undefined) out.push(value);
    // Of JSON that is broken or was cut off, no part tells what the whole would have said.
    else if (LOOKS_LIKE_JSON.test(told.slice(start, start + LOOKED_AHEAD))) return [];
    at = value === undefined ? start + 1 : end;
  }
  return out;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // That it is no JSON is the answer.
    return undefined;
  }
}

function nextStart(text: string, from: number): number {
  for (let i = from; i < text.length; i++) if (text[i] === '{' || text[i] === '[') return i;
  return -1;
}

/** After the bracket that closes the one at `start`; -1 when none does. */
function endOf(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === '\\') i += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}
