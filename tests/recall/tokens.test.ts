import { describe, expect, test } from 'vitest';
import { NO_HAN_FOLD, readHanFold } from '../../lib/recall/han-fold.js';
import { tokenize } from '../../lib/recall/tokens.js';

describe('English', () => {
  test('is stemmed, without case, stop words and possessives', () => {
    expect(tokenize("The shop's deployments aren't RUNNING in the cluster")).toEqual([
      'shop',
      'deploy',
      'run',
      'cluster',
    ]);
  });

  test('loses accents and typographic apostrophes', () => {
    expect(tokenize('Zoë’s café')).toEqual(tokenize("zoe's cafe"));
  });

  test('takes hyphenated words as their parts', () => {
    expect(tokenize('an open-source database')).toEqual(['open', 'sourc', 'databas']);
  });
});

describe('width', () => {
  test('full-width letters and digits are the plain ones', () => {
    expect(tokenize('ＰｏｓｔｇｒｅＳＱＬ １６')).toEqual(tokenize('PostgreSQL 16'));
  });

  test('half-width kana are the full ones', () => {
    expect(tokenize('ﾃﾞｰﾀ')).toEqual(tokenize('データ'));
  });
});

describe('Chinese, Japanese, Korean', () => {
  test('give every character and every pair', () => {
    expect(tokenize('部署失败')).toEqual(['部', '署', '部署', '失', '署失', '败', '失败']);
    expect(tokenize('データ')).toEqual(['デ', 'ー', 'デー', 'タ', 'ータ']);
    expect(tokenize('데이터')).toEqual(['데', '이', '데이', '터', '이터']);
  });

  test('particles are no terms by themselves, nor are two of them; in a word they count', () => {
    expect(tokenize('我的目的')).toEqual(['目', '的目', '目的']);
  });

  test('pairs do not reach over punctuation or Latin letters', () => {
    expect(tokenize('部署，失败')).not.toContain('署失');
    expect(tokenize('用Postgres库')).toEqual(['用', 'postgr', '库']);
  });

  test('characters beyond the basic plane stay whole', () => {
    expect(tokenize('𠮷野')).toEqual(['𠮷', '野', '𠮷野']);
  });

  test('traditional characters meet simplified ones where there is a table', () => {
    const fold = readHanFold('會 会|議 议|乾 干 乾|臺 台|無 无|x');
    expect(tokenize('會議', fold)).toEqual(tokenize('会议', NO_HAN_FOLD));
    expect(tokenize('會議')).not.toEqual(tokenize('会议'));
  });
});

describe('identifiers and numbers', () => {
  test.each([
    ['SR-2023-052', ['sr-2023-052', 'sr', '2023', '052']],
    ['snake_case_name', ['snake_case_name', 'snake', 'case', 'name']],
    ['getUserName', ['getusername', 'get', 'user', 'name']],
    ['HTTPServer', ['httpserver', 'http', 'server']],
    ['src/app.ts', ['src/app.ts', 'src', 'app', 'ts']],
    ['ann@example.org', ['ann@example.org', 'ann', 'exampl', 'org']],
  ])('%s is kept whole and in parts', (text, terms) => {
    expect(tokenize(text)).toEqual(terms);
  });

  test('a version is found with and without its letter', () => {
    expect(tokenize('v1.2.3')).toEqual(expect.arrayContaining(['v1.2.3', '1.2.3']));
    expect(tokenize('1.2.3')).toContain('1.2.3');
  });

  test('numbers are one term, whatever groups their digits', () => {
    expect(tokenize('1,234,567')).toEqual(['1234567']);
    expect(tokenize('3.75')).toEqual(['3.75']);
  });

  test('the full stop of a sentence belongs to no identifier', () => {
    expect(tokenize('It runs on db-7.')).toContain('db-7');
  });

  test('very long runs are cut', () => {
    expect(Math.max(...tokenize(`a${'0f'.repeat(500)}`).map((term) => term.length))).toBe(64);
  });
});

describe('days of the calendar', () => {
  test.each(['5月2日', '五月二号', '五月二號', 'May 2nd', '2 May', 'the 2nd of May', '2023-05-02'])(
    '%s is one term in every writing',
    (text) => {
      expect(tokenize(text)).toContain('--05-02');
    },
  );

  test.each(['2023年5月2日', 'May 2, 2023', '2 May 2023', '2023-05-02T10:30:00Z'])(
    '%s has its year, too',
    (text) => {
      expect(tokenize(text)).toContain('2023-05-02');
    },
  );

  test.each([
    ['十二月卅一日', '--12-31'],
    ['十月二十日', '--10-20'],
    ['三月廿五日', '--03-25'],
  ])('%s in Han numerals is %s', (text, term) => {
    expect(tokenize(text)).toContain(term);
  });

  test('an ISO date gives none of its digits as numbers', () => {
    expect(tokenize('2023-05-20')).toEqual(['2023-05-20', '--05-20']);
  });

  test('what is no day is none', () => {
    for (const text of ['May 40', '13月2日', 'maybe 2 mayors', '五十三月二日']) {
      expect(tokenize(text).filter((term) => term.startsWith('--'))).toEqual([]);
    }
  });
});

test('nothing is nothing', () => {
  for (const text of ['', '  \n', '…!?', '的 the']) expect(tokenize(text)).toEqual([]);
});
