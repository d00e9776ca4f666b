/** Columns that text takes on a terminal, where East Asian characters and emoji take two. */

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1F1E6}-\u{1F1FF}\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;
const NOTHING = /^[\p{Mark}\p{Cf}]+$/u;
/** Would move the cursor, colour the screen or turn the line round. */
const HARMFUL = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
const ASCII = /^[\x20-\x7E]*$/u;

function widthOf(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2;
  return NOTHING.test(grapheme) ? 0 : 1;
}

export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOf(segment);
  return width;
}

/** Text from a store as a terminal may see it: on one line, and without commands to it. */
export const printable = (text: string): string => text.replaceAll(HARMFUL, '�');

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Cut to a width, the last column an ellipsis where something is missing. */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    const next = used + widthOf(segment);
    if (next > width - 1) break;
    out += segment;
    used = next;
  }
  return `${out}…`;
}
