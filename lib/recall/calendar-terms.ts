/**
 * Days of the calendar as terms, so that `5月2日`, `May 2nd`, `2 May` and `2023-05-02` are found by each
 * other: `--05-02`, and `2023-05-02` where the year stands with it.
 */
export function calendarTerms(text: string): string[] {
  if (!HINT.test(text)) return [];
  const out: string[] = [];
  for (const [, year, month, day] of text.matchAll(ISO)) add(out, year, Number(month), Number(day));
  for (const [, year, month, day] of text.matchAll(CHINESE)) {
    add(out, year, readHan(month), readHan(day));
  }
  for (const [, month, day, year] of text.matchAll(MONTH_FIRST)) {
    add(out, year, monthNumber(month), Number(day));
  }
  for (const [, day, month, year] of text.matchAll(DAY_FIRST)) {
    add(out, year, monthNumber(month), Number(day));
  }
  return out;
}

/** Nearly every text without a date is let go by this. */
const HINT = /\d{4}-\d|月|\d(?:st|nd|rd|th)?[, ]|[a-z]\.? \d/i;

const ISO = /(?<![\d-])(\d{4})-(\d\d)-(\d\d)(?![\d-])/g;
const NUMERAL = '\\d{1,2}|[一二三四五六七八九十廿卅]{1,3}';
const CHINESE = new RegExp(`(?:(\\d{4})年)?(${NUMERAL})月(${NUMERAL})[日号號]`, 'g');
const MONTHS = [
  'jan(?:uary)?',
  'feb(?:ruary)?',
  'mar(?:ch)?',
  'apr(?:il)?',
  'may',
  'june?',
  'july?',
  'aug(?:ust)?',
  'sep(?:t(?:ember)?)?',
  'oct(?:ober)?',
  'nov(?:ember)?',
  'dec(?:ember)?',
];
const MONTH = `(${MONTHS.join('|')})\\.?`;
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?:,? (\\d{4})\\b)?';
const MONTH_FIRST = new RegExp(`\\b${MONTH} (?:the )?${DAY}\\b${YEAR}`, 'gi');
const DAY_FIRST = new RegExp(`\\b${DAY} (?:of )?${MONTH}(?![a-z])${YEAR}`, 'gi');

const NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const monthNumber = (name = ''): number => NAMES.indexOf(name.slice(0, 3).toLowerCase()) + 1;

const HAN_DIGITS = '〇一二三四五六七八九';

/** 1 to 39 in digits or Han numerals; `NaN` for what is none, such as 五十三. */
function readHan(text = ''): number {
  if (/^\d+$/.test(text)) return Number(text);
  const found = /^(?:([二三廿卅]?)(十?))([一二三四五六七八九]?)$/.exec(text);
  if (found === null) return HAN_DIGITS.includes(text) ? HAN_DIGITS.indexOf(text) : NaN;
  const [, tens = '', ten = '', units = ''] = found;
  const unit = units === '' ? 0 : HAN_DIGITS.indexOf(units);
  if (tens === '廿' || tens === '卅') return (tens === '廿' ? 20 : 30) + unit;
  if (ten === '') return HAN_DIGITS.indexOf(text);
  return (tens === '' ? 1 : HAN_DIGITS.indexOf(tens)) * 10 + unit;
}

const two = (value: number): string => String(value).padStart(2, '0');

function add(out: string[], year: string | undefined, month: number, day: number): void {
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31)) return;
  if (year !== undefined) out.push(`${year}-${two(month)}-${two(day)}`);
  out.push(`--${two(month)}-${two(day)}`);
}
