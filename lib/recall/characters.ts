/** What a code point is to the tokenizer. */
export const OTHER = 0;
export const LETTER = 1;
export const DIGIT = 2;
/** Han, kana and hangul: written without spaces, or with spaces that are no borders of words. */
export const EAST_ASIAN = 3;
/** Between two letters or digits it joins them into one identifier. */
export const JOINT = 4;

const UNKNOWN = 255;
const basic = new Uint8Array(0x10000).fill(UNKNOWN);

const EAST_ASIAN_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc]/u;
const LETTER_OR_MARK = /[\p{L}\p{M}]/u;
const NUMBER = /\p{N}/u;
const JOINTS = "-_./:@#+,'’";

export function kindOf(codePoint: number): number {
  if (codePoint > 0xffff) return classify(codePoint);
  const known = basic[codePoint]!;
  if (known !== UNKNOWN) return known;
  const kind = classify(codePoint);
  basic[codePoint] = kind;
  return kind;
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (EAST_ASIAN_SCRIPT.test(character)) return EAST_ASIAN;
  if (LETTER_OR_MARK.test(character)) return LETTER;
  if (NUMBER.test(character)) return DIGIT;
  return JOINTS.includes(character) ? JOINT : OTHER;
}
