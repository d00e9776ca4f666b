import { describe, expect, test } from 'vitest';
import { stem } from '../../lib/recall/porter2.js';

// Stems by Snowball 3.1.1, as its own English stemmer gives them.
const STEMS: readonly (readonly [string, string])[] = [
  ['caresses', 'caress'],
  ['ties', 'tie'],
  ['cries', 'cri'],
  ['gas', 'gas'],
  ['gaps', 'gap'],
  ['agreed', 'agre'],
  ['feed', 'feed'],
  ['hopping', 'hop'],
  ['hoping', 'hope'],
  ['adding', 'add'],
  ['dying', 'die'],
  ['evening', 'evening'],
  ['luxuriated', 'luxuri'],
  ['falling', 'fall'],
  ['happy', 'happi'],
  ['by', 'by'],
  ['say', 'say'],
  ['enjoy', 'enjoy'],
  ['relational', 'relat'],
  ['organization', 'organiz'],
  ['organic', 'organic'],
  ['internal', 'internal'],
  ['intern', 'intern'],
  ['university', 'universiti'],
  ['universe', 'univers'],
  ['generously', 'generous'],
  ['generate', 'generat'],
  ['communism', 'communism'],
  ['geologist', 'geolog'],
  ['deployments', 'deploy'],
  ['deployed', 'deploy'],
  ['controlling', 'control'],
  ['replacement', 'replac'],
  ['succeed', 'succeed'],
  ['skies', 'sky'],
  ['news', 'news'],
  ['past', 'past'],
  ['paste', 'paste'],
  ['rate', 'rate'],
  ['adoption', 'adopt'],
];

describe('stems of English words', () => {
  test.each(STEMS)('%s is %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  test('what is no lower-case English word comes back as it is', () => {
    for (const text of ['', 'a', 'is', 'Running', 'naïvely', '2023', 'мемориалы', "o'clock"]) {
      expect(stem(text)).toBe(text);
    }
  });

  test('the same word gives the same stem after the memo has been emptied', () => {
    const before = stem('relational');
    for (let i = 0; i < 30_000; i++) stem(`w${i.toString(26).replace(/\d/g, 'x')}ing`);
    expect(stem('relational')).toBe(before);
  });
});
