import type { Season } from './span.js';

/** One character for one, so that places in the text stay as they are. */
const SAME: Readonly<Record<string, string>> = {
  個: '个',
  週: '周',
  後: '后',
  號: '号',
  這: '这',
  剛: '刚',
  兩: '两',
  來: '来',
  開: '开',
  從: '从',
  為: '为',
  間: '间',
  點: '点',
  鐘: '钟',
  禮: '礼',
  〇: '零',
  '○': '零',
  '０': '0',
  '１': '1',
  '２': '2',
  '３': '3',
  '４': '4',
  '５': '5',
  '６': '6',
  '７': '7',
  '８': '8',
  '９': '9',
};
const VARIANT = new RegExp(`[${Object.keys(SAME).join('')}]`, 'gu');

/** Traditional characters and full-width figures as simplified and plain ones, place by place. */
export const simplified = (text: string): string => text.replace(VARIANT, (c) => SAME[c] ?? c);

const DIGITS = '零一二三四五六七八九';

/** Up to ninety-nine; `NaN` for anything else, as for 三四, "three or four". */
export function chineseNumber(text: string): number {
  if (/^\d{1,3}$/u.test(text)) return Number(text);
  if (text === '两') return 2;
  const parts = /^([一二三四五六七八九])?(十)?([一二三四五六七八九])?$/u.exec(text);
  if (parts === null || text === '') return NaN;
  const [, tens, ten, ones] = parts;
  if (ten === undefined && ones !== undefined && tens !== undefined) return NaN;
  if (ten === undefined) return DIGITS.indexOf(tens ?? ones ?? '');
  return (
    (tens === undefined ? 1 : DIGITS.indexOf(tens)) * 10 +
    (ones === undefined ? 0 : DIGITS.indexOf(ones))
  );
}

/** 二零二四 or 2024. */
export const chineseYear = (text: string): number =>
  Number(text.replace(/\D/gu, (c) => String(DIGITS.indexOf(c))));

export const NUMERAL = '(?:[0-9]{1,3}|[一二两三四五六七八九十]{1,3})';

/** Offsets from the reference's year. */
export const YEAR_WORDS: Readonly<Record<string, number>> = {
  大前年: -3,
  前年: -2,
  去年: -1,
  上一年: -1,
  今年: 0,
  本年: 0,
  明年: 1,
  后年: 2,
};

/** 今年轻, 以前年, 目前年: the two characters of a word meet those of its neighbours. */
export const YEAR_WORD = String.raw`(?:大前年|(?<![之以目从先大])前年|去年|上一年|(?<!如)今年|(?<!日)本年|明年|(?<![之以先今落])后年)(?![轻龄代级幼迈货画糕])`;

export const YEAR_FIGURES =
  '(?:(?<![0-9零一二三四五六七八九.])(?:[0-9]{4}|[零一二三四五六七八九]{4})年(?!级|龄|代|版))';

export const MONTH_FIGURES =
  '(?:(?<![0-9一二三四五六七八九十个.农旧阴历])(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月)';

export const DAY_FIGURES =
  '(?:[0-9]{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]';

export const SEASON_WORD = '(?:[春夏秋冬](?:天|季))';

export function chineseSeason(word: string): Season {
  if (word.startsWith('春')) return 'spring';
  if (word.startsWith('夏')) return 'summer';
  return word.startsWith('秋') ? 'autumn' : 'winter';
}

export const WEEKDAY_CHARACTERS = '一二三四五六日天';

/** Monday is 0. */
export const chineseWeekday = (character: string): number =>
  Math.min(WEEKDAY_CHARACTERS.indexOf(character), 6);
