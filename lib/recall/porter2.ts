/**
 * Stems of English words: Porter2 with the corrections of Snowball 3 (`internal` is not `intern`,
 * `organic` not `organ`, `university` not `universe`). Reads lower-case a–z; anything else comes back
 * as it is.
 *
 * @example
 * stem('relational') // 'relat'
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const known = memo.get(word);
  if (known !== undefined) return known;
  const found = EXCEPTIONS.get(word) ?? derive(word);
  // Bounded, and emptied rather than kept in order of use: what is common is soon back.
  if (memo.size >= MEMO) memo.clear();
  memo.set(word, found);
  return found;
}

const MEMO = 20_000;
const memo = new Map<string, string>();

const EXCEPTIONS = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((w) => [w, w] as const),
]);

/** What the first region begins after, where counting from the first vowel would join words that differ. */
const STARTS = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/;
const REGION = /[aeiouy][^aeiouy]/;
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const SHORT_END = /(?:[^aeiouy][aeiouy][^aeiouwxyY]|^[aeiouy][^aeiouy]|^past)$/;
const KEEP_ING = /^(?:inn|out|cann|herr|earr|even)$/;
const KEEP_EED = /^(?:succ|proc|exc)$/;

interface Regions {
  readonly r1: number;
  readonly r2: number;
}

function after(word: string, from: number): number {
  const found = REGION.exec(word.slice(from));
  return found === null ? word.length : from + found.index + 2;
}

function regionsOf(word: string): Regions {
  const start = STARTS.exec(word);
  const r1 = start === null ? after(word, 0) : start[0].length;
  return { r1, r2: after(word, r1) };
}

function derive(word: string): string {
  // A y that stands for a consonant is written Y.
  const marked = word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y');
  const regions = regionsOf(marked);
  let w = inflection(plural(marked), regions);
  w = w.replace(/(.[^aeiouy])[yY]$/, '$1i');
  w = suffix(w, LONG, regions);
  w = suffix(w, MIDDLE, regions);
  w = suffix(w, LAST, regions);
  return finish(w, regions).toLowerCase();
}

function plural(w: string): string {
  if (w.endsWith('sses')) return w.slice(0, -2);
  if (/ie[ds]$/.test(w)) return w.slice(0, w.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(w)) return w;
  return /[aeiouy].+s$/.test(w) ? w.slice(0, -1) : w;
}

function inflection(w: string, { r1 }: Regions): string {
  const eed = /(?:eedly|eed)$/.exec(w);
  if (eed !== null) {
    const base = w.slice(0, eed.index);
    return eed.index >= r1 && !KEEP_EED.test(base) ? `${base}ee` : w;
  }
  const found = /(?:ingly|edly|ing|ed)$/.exec(w);
  if (found === null) return w;
  const base = w.slice(0, found.index);
  if (found[0] === 'ing') {
    if (/^[^aeiouy]y$/.test(base)) return `${base.slice(0, -1)}ie`;
    if (KEEP_ING.test(base)) return w;
  }
  if (!/[aeiouy]/.test(base)) return w;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (DOUBLE.test(base)) return /^[aeo].{2}$/.test(base) ? base : base.slice(0, -1);
  return base.length === r1 && SHORT_END.test(base) ? `${base}e` : base;
}

interface Rule {
  readonly end: string;
  readonly put: string;
  /** The ending counts only from this region on. */
  readonly region: 'r1' | 'r2';
  /** What has to stand before the ending. */
  readonly before?: RegExp;
}

const rules = (region: 'r1' | 'r2', table: Readonly<Record<string, string>>): Rule[] =>
  Object.entries(table).map(([end, put]) => ({ end, put, region }));

/** The longest ending decides, even where it then may not go. */
const longestFirst = (list: readonly Rule[]): readonly Rule[] =>
  list.toSorted((a, b) => b.end.length - a.end.length);

const LONG = longestFirst([
  ...rules('r1', {
    tional: 'tion',
    enci: 'ence',
    anci: 'ance',
    abli: 'able',
    entli: 'ent',
    izer: 'ize',
    ization: 'ize',
    ational: 'ate',
    ation: 'ate',
    ator: 'ate',
    alism: 'al',
    aliti: 'al',
    alli: 'al',
    fulness: 'ful',
    ousli: 'ous',
    ousness: 'ous',
    iveness: 'ive',
    iviti: 'ive',
    biliti: 'ble',
    bli: 'ble',
    fulli: 'ful',
    lessli: 'less',
    ogist: 'og',
  }),
  { end: 'ogi', put: 'og', region: 'r1', before: /l$/ },
  { end: 'li', put: '', region: 'r1', before: /[cdeghkmnrt]$/ },
]);

const MIDDLE = longestFirst([
  ...rules('r1', {
    tional: 'tion',
    ational: 'ate',
    alize: 'al',
    icate: 'ic',
    iciti: 'ic',
    ical: 'ic',
    ful: '',
    ness: '',
  }),
  { end: 'ative', put: '', region: 'r2' },
]);

const LAST = longestFirst([
  ...[
    'al',
    'ance',
    'ence',
    'er',
    'ic',
    'able',
    'ible',
    'ant',
    'ement',
    'ment',
    'ent',
    'ism',
    'ate',
    'iti',
    'ous',
    'ive',
    'ize',
  ].map((end): Rule => ({ end, put: '', region: 'r2' })),
  { end: 'ion', put: '', region: 'r2', before: /[st]$/ },
]);

function suffix(w: string, list: readonly Rule[], regions: Regions): string {
  const rule = list.find(({ end }) => w.endsWith(end));
  if (rule === undefined) return w;
  const base = w.slice(0, -rule.end.length);
  if (base.length < regions[rule.region]) return w;
  return rule.before === undefined || rule.before.test(base) ? base + rule.put : w;
}

function finish(w: string, { r1, r2 }: Regions): string {
  const base = w.slice(0, -1);
  if (w.endsWith('e')) {
    return base.length >= r2 || (base.length >= r1 && !SHORT_END.test(base)) ? base : w;
  }
  return w.endsWith('ll') && base.length >= r2 ? base : w;
}
