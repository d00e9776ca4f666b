import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PalimpsestError } from '../../lib/model/errors.js';
import {
  checkTimeZone,
  FIRST_INSTANT,
  formatInstant,
  type InstantInput,
  InstantInputSchema,
  LAST_INSTANT,
  type Precision,
  precisionEnd,
  PRECISIONS,
  precisionStart,
  readInstant,
  toIso,
} from '../../lib/model/instant.js';

const ZONES = [
  'UTC',
  'Asia/Shanghai',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Africa/Monrovia',
  'Pacific/Apia',
] as const;

const read = (input: unknown, timeZone = 'UTC') =>
  readInstant(input, { timeZone, field: 'validFrom' });

/** The instant as ISO text and the precision, which is easier to check by eye than milliseconds. */
const told = (input: unknown, timeZone = 'UTC'): readonly [string, Precision] => {
  const { at, precision } = read(input, timeZone);
  return [toIso(at), precision];
};

function refusal(run: () => unknown): PalimpsestError {
  try {
    run();
  } catch (error) {
    if (error instanceof PalimpsestError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('an instant is read', () => {
  test.each<[InstantInput, string, Precision]>([
    ['2024-03-05T10:00Z', '2024-03-05T10:00:00.000Z', 'minute'],
    ['2024-03-05 10:00Z', '2024-03-05T10:00:00.000Z', 'minute'],
    ['2024-03-05T10:00:00Z', '2024-03-05T10:00:00.000Z', 'millisecond'],
    ['2024-03-05T23:59:59.9Z', '2024-03-05T23:59:59.900Z', 'millisecond'],
    ['2024-03-05T10:00:00.01Z', '2024-03-05T10:00:00.010Z', 'millisecond'],
    ['2024-03-05T10:00:00,123Z', '2024-03-05T10:00:00.123Z', 'millisecond'],
    ['2024-03-05T10:00:00.123999999Z', '2024-03-05T10:00:00.123Z', 'millisecond'],
    ['2024-03-05T10:00+08:00', '2024-03-05T02:00:00.000Z', 'minute'],
    ['2024-03-05T10:00+0800', '2024-03-05T02:00:00.000Z', 'minute'],
    ['2024-03-05T10:00+08', '2024-03-05T02:00:00.000Z', 'minute'],
    ['2024-03-05T10:00:07.5-03:30', '2024-03-05T13:30:07.500Z', 'millisecond'],
    ['2024-03-05T10:00-00:00', '2024-03-05T10:00:00.000Z', 'minute'],
    ['2024-02-29T00:00Z', '2024-02-29T00:00:00.000Z', 'minute'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z', 'day'],
    ['2024-03-05', '2024-03-05T00:00:00.000Z', 'day'],
    ['2024-03', '2024-03-01T00:00:00.000Z', 'month'],
    ['2024', '2024-01-01T00:00:00.000Z', 'year'],
    ['2024-W10', '2024-03-04T00:00:00.000Z', 'week'],
    ['2025-W01', '2024-12-30T00:00:00.000Z', 'week'],
    ['2020-W53', '2020-12-28T00:00:00.000Z', 'week'],
    ['2027-W01', '2027-01-04T00:00:00.000Z', 'week'],
    ['0001', '0001-01-01T00:00:00.000Z', 'year'],
    ['0050-06-07T08:09Z', '0050-06-07T08:09:00.000Z', 'minute'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z', 'millisecond'],
    [0, '1970-01-01T00:00:00.000Z', 'millisecond'],
    [-1, '1969-12-31T23:59:59.999Z', 'millisecond'],
    [2024, '1970-01-01T00:00:02.024Z', 'millisecond'],
    [FIRST_INSTANT, '0001-01-01T00:00:00.000Z', 'millisecond'],
    [LAST_INSTANT, '9999-12-31T23:59:59.999Z', 'millisecond'],
    [new Date('2024-03-05T10:00:00.007Z'), '2024-03-05T10:00:00.007Z', 'millisecond'],
    [{ at: 1_709_632_800_007, precision: 'minute' }, '2024-03-05T10:00:00.000Z', 'minute'],
    [{ at: '2024-03-06T10:00Z', precision: 'week' }, '2024-03-04T00:00:00.000Z', 'week'],
    [
      { at: new Date(Date.UTC(2023, 5, 15)), precision: 'year' },
      '2023-01-01T00:00:00.000Z',
      'year',
    ],
    [{ at: '2024', precision: 'millisecond' }, '2024-01-01T00:00:00.000Z', 'millisecond'],
  ])('%j', (input, iso, precision) => {
    expect(told(input)).toEqual([iso, precision]);
    expect(InstantInputSchema.safeParse(input).success).toBe(true);
  });

  test('minus zero is zero', () => {
    expect(Object.is(read(-0).at, 0)).toBe(true);
    expect(Object.is(read('1970-01-01T00:00-00:00').at, 0)).toBe(true);
  });

  test.each<[string, string, string, Precision]>([
    ['2024-03-05', 'Asia/Shanghai', '2024-03-04T16:00:00.000Z', 'day'],
    ['2024-03', 'Asia/Shanghai', '2024-02-29T16:00:00.000Z', 'month'],
    ['2024', 'America/New_York', '2024-01-01T05:00:00.000Z', 'year'],
    ['2024-W10', 'Europe/Berlin', '2024-03-03T23:00:00.000Z', 'week'],
    ['2024-07-01T12:00', 'Europe/Berlin', '2024-07-01T10:00:00.000Z', 'minute'],
    ['2024-01-01T12:00:01.5', 'Europe/Berlin', '2024-01-01T11:00:01.500Z', 'millisecond'],
    ['2024-07-01T12:00Z', 'Europe/Berlin', '2024-07-01T12:00:00.000Z', 'minute'],
    ['2024-01-01', 'Australia/Lord_Howe', '2023-12-31T13:00:00.000Z', 'day'],
    ['1960-01-01', 'Africa/Monrovia', '1960-01-01T00:44:30.000Z', 'day'],
    ['1890-05-01', 'Asia/Shanghai', '1890-04-30T15:54:17.000Z', 'day'],
  ])('%s by the clocks of %s', (text, zone, iso, precision) => {
    expect(told(text, zone)).toEqual([iso, precision]);
  });

  test('a named precision means the unit that holds the instant, in the zone', () => {
    expect(told({ at: '2023-12-31T16:00Z', precision: 'year' }, 'Asia/Shanghai')).toEqual([
      '2023-12-31T16:00:00.000Z',
      'year',
    ]);
    expect(told({ at: '2023-12-31T15:59Z', precision: 'year' }, 'Asia/Shanghai')).toEqual([
      '2022-12-31T16:00:00.000Z',
      'year',
    ]);
  });
});

describe('anything else is refused, naming the field', () => {
  const outOfReach: readonly [string, unknown][] = [
    ['null', null],
    ['undefined', undefined],
    ['an empty object', {}],
    ['an array', ['2024']],
    ['true', true],
    ['a bigint', 2024n],
    ['a symbol', Symbol('2024')],
    ['a function', () => 0],
    ['an object made from the prototype of Date', Object.create(Date.prototype)],
    ['an invalid Date', new Date(Number.NaN)],
    ['a Date before year 1', new Date(FIRST_INSTANT - 1)],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['a half millisecond', 0.5],
    ['a number before year 1', FIRST_INSTANT - 1],
    ['a number after year 9999', LAST_INSTANT + 1],
    ['the largest number', Number.MAX_VALUE],
    ['no precision', { at: '2024' }],
    ['no instant', { precision: 'day' }],
    ['a field too many', { at: '2024', precision: 'day', zone: 'UTC' }],
  ];
  const texts: readonly string[] = [
    '',
    ' ',
    'yesterday',
    'now',
    '\ud83d',
    '2024-03-05T10:00\udc00Z',
    '２０２４',
    '24',
    '202',
    '20240',
    '20240305',
    '1709632800000',
    ' 2024',
    '2024\n',
    '2024-3',
    '2024-3-5',
    '2024/03/05',
    '05.03.2024',
    '2024-00',
    '2024-13',
    '2024-W00',
    '2024-W53',
    '2026-W54',
    '2024-W1',
    '2024-W10-1',
    '2024-10W',
    '2024-065',
    '2026-13-40',
    '2024-01-00',
    '2024-04-31',
    '2023-02-29',
    '1900-02-29',
    '2023-02-29T10:00Z',
    '2024-03-05T',
    '2024-03-05T10',
    '2024-03-05T10Z',
    '2024-03-05Z',
    '2024-03-05T1:00Z',
    '2024-03-05T24:00Z',
    '2024-03-05T25:00Z',
    '2024-03-05T10:60Z',
    '2024-03-05T10:00:60Z',
    '2016-12-31T23:59:60Z',
    '2024-03-05T10:00:00.Z',
    '2024-03-05T10:00z',
    '2024-03-05t10:00Z',
    '2024-03-05T10:00 Z',
    '2024-03-05T10:00+8',
    '2024-03-05T10:00+24:00',
    '2024-03-05T10:00+08:60',
    '2024-03-05T10:00+08:00[Asia/Shanghai]',
    '2024-03-05T10:00 UTC',
    '2024-03-05T10:00Z2024-03-05T10:00Z',
    '0000',
    '0000-W01',
    '0000-12',
    '0000-12-31',
    '0000-12-31T23:59Z',
    '0000-12-31T23:59-01:00',
    '-0001',
    '-000001-01-01T00:00Z',
    '+002024-01-01T00:00Z',
    '10000',
    '10000-01-01',
    '0001-01-01T00:00+01:00',
    '9999-12-31T23:59-01:00',
  ];

  test.each([
    ...outOfReach,
    ...texts.map((text): [string, unknown] => [JSON.stringify(text), text]),
  ])('%s', (_, input) => {
    const error = refusal(() => read(input));
    expect(error.code).toBe('INVALID_INSTANT');
    expect(error.field).toBe('validFrom');
    expect(error.message).toMatch(/^validFrom /);
    expect(error.hint).toMatch(/\w/);
    // It throws where half of a surrogate pair is left.
    expect(encodeURIComponent(error.message)).not.toBe('');
  });

  test('and the path within it', () => {
    const instant = refusal(() => read({ at: 'yesterday', precision: 'day' }));
    expect([instant.code, instant.field]).toEqual(['INVALID_INSTANT', 'validFrom.at']);
    const precision = refusal(() => read({ at: '2024', precision: 'decade' }));
    expect([precision.code, precision.field]).toEqual(['INVALID_INSTANT', 'validFrom.precision']);
    expect(precision.hint).toContain('year, month, week, day, minute, millisecond');
  });

  test('the hint says what is accepted', () => {
    for (const form of ['2024-03-05T10:00Z', '2024-W10', 'Date', 'epoch milliseconds']) {
      expect(refusal(() => read('yesterday')).hint).toContain(form);
    }
  });

  test('a long text is not repeated whole', () => {
    expect(refusal(() => read('x'.repeat(100_000))).message.length).toBeLessThan(400);
  });

  test('a unit that starts before year 1 in UTC', () => {
    expect(refusal(() => read('0001', 'Asia/Shanghai')).code).toBe('INVALID_INSTANT');
    expect(
      refusal(() => read({ at: FIRST_INSTANT, precision: 'day' }, 'America/New_York')).field,
    ).toBe('validFrom.at');
  });

  test.each([
    null,
    {},
    true,
    ['2024'],
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Date(Number.NaN),
    { at: '2024' },
    { at: '2024', precision: 'decade' },
    { at: { at: '2024', precision: 'day' }, precision: 'day' },
    { at: '2024', precision: 'day', zone: 'UTC' },
  ])('the schema knows the shape: %j', (input) => {
    expect(InstantInputSchema.safeParse(input).success).toBe(false);
    expect(refusal(() => read(input)).code).toBe('INVALID_INSTANT');
  });

  test('whatever comes in, it is read or refused as an instant', () => {
    const text = fc.stringMatching(/^[0-9]{3,5}(-[0-9W]{2,3}){0,2}([T ][0-9]{2}:[0-9]{2})?[Z+]?$/);
    fc.assert(
      fc.property(fc.oneof(fc.anything(), text, fc.string()), (input) => {
        try {
          const { at } = read(input, 'Europe/Berlin');
          expect(Number.isInteger(at) && at >= FIRST_INSTANT && at <= LAST_INSTANT).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_INSTANT' });
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('where the clocks jump ahead', () => {
  test.each([
    ['America/New_York', '2024-03-10T02:00', '2024-03-10T02:59:59.999'],
    ['Europe/Berlin', '2024-03-31T02:00', '2024-03-31T02:59:59.999'],
    ['Australia/Lord_Howe', '2024-10-06T02:00', '2024-10-06T02:29:59.999'],
    ['America/Sao_Paulo', '2018-11-04T00:00', '2018-11-04T00:59:59.999'],
    ['America/Toronto', '1919-03-30T23:30', '1919-03-31T00:29:59.999'],
    ['Asia/Shanghai', '1986-05-04T02:00', '1986-05-04T02:59:59.999'],
    ['Pacific/Apia', '2011-12-30T00:00', '2011-12-30T23:59:59.999'],
  ])('%s: from %s to %s there is no such time', (timeZone, first, last) => {
    for (const text of [first, last]) {
      const error = refusal(() => read(text, timeZone));
      expect([error.code, error.field]).toEqual(['INVALID_INSTANT', 'validFrom']);
      expect(error.message).toContain('gap');
      expect(error.message).not.toContain('fold');
    }
  });

  test.each([
    [
      'America/New_York',
      '2024-03-10T01:59',
      '2024-03-10T06:59',
      '2024-03-10T03:00',
      '2024-03-10T07:00',
    ],
    [
      'Europe/Berlin',
      '2024-03-31T01:59',
      '2024-03-31T00:59',
      '2024-03-31T03:00',
      '2024-03-31T01:00',
    ],
    [
      'Australia/Lord_Howe',
      '2024-10-06T01:59',
      '2024-10-05T15:29',
      '2024-10-06T02:30',
      '2024-10-05T15:30',
    ],
    [
      'America/Sao_Paulo',
      '2018-11-03T23:59',
      '2018-11-04T02:59',
      '2018-11-04T01:00',
      '2018-11-04T03:00',
    ],
    [
      'Pacific/Apia',
      '2011-12-29T23:59',
      '2011-12-30T09:59',
      '2011-12-31T00:00',
      '2011-12-30T10:00',
    ],
  ])('%s: %s and %s are the minutes around it', (timeZone, before, beforeUtc, after, afterUtc) => {
    expect(told(before, timeZone)).toEqual([`${beforeUtc}:00.000Z`, 'minute']);
    expect(told(after, timeZone)).toEqual([`${afterUtc}:00.000Z`, 'minute']);
  });

  test.each([
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    ['America/Toronto', '1919-03-31', '1919-03-31T04:30:00.000Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
  ])('%s: %s without its midnight starts at its first instant', (timeZone, date, iso) => {
    expect(told(date, timeZone)).toEqual([iso, 'day']);
    expect(formatInstant(read(date, timeZone), timeZone)).toBe(date);
  });

  test('a date that the zone left out is in the gap', () => {
    const error = refusal(() => read('2011-12-30', 'Pacific/Apia'));
    expect(error.code).toBe('INVALID_INSTANT');
    expect(error.message).toContain('gap');
    expect(told('2011-12-30', 'UTC')).toEqual(['2011-12-30T00:00:00.000Z', 'day']);
  });
});

describe('where the clocks go back', () => {
  test.each([
    [
      'America/New_York',
      '2024-11-03T01:30',
      '-04:00',
      '2024-11-03T05:30',
      '-05:00',
      '2024-11-03T06:30',
    ],
    [
      'Europe/Berlin',
      '2024-10-27T02:00',
      '+02:00',
      '2024-10-27T00:00',
      '+01:00',
      '2024-10-27T01:00',
    ],
    [
      'Australia/Lord_Howe',
      '2024-04-07T01:59',
      '+11:00',
      '2024-04-06T14:59',
      '+10:30',
      '2024-04-06T15:29',
    ],
    [
      'America/Sao_Paulo',
      '2019-02-16T23:30',
      '-02:00',
      '2019-02-17T01:30',
      '-03:00',
      '2019-02-17T02:30',
    ],
    [
      'America/St_Johns',
      '2006-10-29T00:00',
      '-02:30',
      '2006-10-29T02:30',
      '-03:30',
      '2006-10-29T03:30',
    ],
  ])('%s: %s needs an offset', (timeZone, text, summer, first, winter, second) => {
    const error = refusal(() => read(text, timeZone));
    expect([error.code, error.field]).toEqual(['INVALID_INSTANT', 'validFrom']);
    expect(error.message).toContain('fold');
    expect(error.message).not.toContain('gap');
    expect(error.hint).toBe(`An offset is needed: ${summer} or ${winter}.`);
    expect(told(text + summer, timeZone)).toEqual([`${first}:00.000Z`, 'minute']);
    expect(told(text + winter, timeZone)).toEqual([`${second}:00.000Z`, 'minute']);
  });

  test.each([
    [
      'America/New_York',
      '2024-11-03T00:59',
      '2024-11-03T04:59',
      '2024-11-03T02:00',
      '2024-11-03T07:00',
    ],
    [
      'Europe/Berlin',
      '2024-10-27T01:59',
      '2024-10-26T23:59',
      '2024-10-27T03:00',
      '2024-10-27T02:00',
    ],
    [
      'Australia/Lord_Howe',
      '2024-04-07T01:29',
      '2024-04-06T14:29',
      '2024-04-07T02:00',
      '2024-04-06T15:30',
    ],
  ])('%s: %s and %s are the minutes around it', (timeZone, before, beforeUtc, after, afterUtc) => {
    expect(told(before, timeZone)).toEqual([`${beforeUtc}:00.000Z`, 'minute']);
    expect(told(after, timeZone)).toEqual([`${afterUtc}:00.000Z`, 'minute']);
  });

  test.each([
    ['America/Sao_Paulo', '2019-02-17', '2019-02-17T03:00:00.000Z'],
    ['America/Havana', '2024-11-03', '2024-11-03T04:00:00.000Z'],
    ['America/St_Johns', '2006-10-29', '2006-10-29T02:30:00.000Z'],
  ])('%s: %s starts when its midnight is first shown', (timeZone, date, iso) => {
    expect(told(date, timeZone)).toEqual([iso, 'day']);
  });
});

describe('a unit of precision', () => {
  test.each<[string, string, string]>([
    ['2024', 'UTC', '2025-01-01T00:00:00.000Z'],
    ['2024-02', 'UTC', '2024-03-01T00:00:00.000Z'],
    ['2023-12', 'UTC', '2024-01-01T00:00:00.000Z'],
    ['2020-W53', 'UTC', '2021-01-04T00:00:00.000Z'],
    ['2024-02-28', 'UTC', '2024-02-29T00:00:00.000Z'],
    ['2024-03-05T10:00Z', 'UTC', '2024-03-05T10:01:00.000Z'],
    ['2024-03-05T10:00:00Z', 'UTC', '2024-03-05T10:00:00.001Z'],
    ['9999', 'UTC', '+010000-01-01T00:00:00.000Z'],
    ['2024-03-10', 'America/New_York', '2024-03-11T04:00:00.000Z'],
    ['2024-11-03', 'America/New_York', '2024-11-04T05:00:00.000Z'],
    ['2024-03', 'America/New_York', '2024-04-01T04:00:00.000Z'],
    ['2024-W13', 'Europe/Berlin', '2024-03-31T22:00:00.000Z'],
    ['2024-10-06', 'Australia/Lord_Howe', '2024-10-06T13:00:00.000Z'],
    ['2018-11-03', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-05T02:00:00.000Z'],
    ['2011-12-29', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2011-W52', 'Pacific/Apia', '2012-01-01T10:00:00.000Z'],
  ])('%s in %s ends at %s, and starts one unit before that', (text, timeZone, end) => {
    const point = read(text, timeZone);
    const found = precisionEnd(point, timeZone);
    expect(toIso(found)).toBe(end);
    expect(precisionStart(found, point.precision, timeZone)).toBe(point.at);
  });

  test.each<[string, Precision, string]>([
    ['2024-01', 'month', '2023-12-01T00:00:00.000Z'],
    ['2024', 'year', '2023-01-01T00:00:00.000Z'],
    ['2024-W01', 'week', '2023-12-25T00:00:00.000Z'],
    ['2024-03-01', 'day', '2024-02-29T00:00:00.000Z'],
  ])('until %s: the %s before it', (text, precision, start) => {
    expect(toIso(precisionStart(read(text).at, precision, 'UTC'))).toBe(start);
  });

  test.each<[string, Precision, string, string]>([
    ['2023-12-31T16:00:00.000Z', 'year', '2024-12-31T16:00:00.000Z', '2022-12-31T16:00:00.000Z'],
    ['2024-01-31T10:00:00.000Z', 'month', '2024-02-29T10:00:00.000Z', '2023-12-31T10:00:00.000Z'],
    ['2024-03-31T10:00:00.000Z', 'month', '2024-04-30T10:00:00.000Z', '2024-02-29T10:00:00.000Z'],
    ['2024-02-29T10:00:00.000Z', 'year', '2025-02-28T10:00:00.000Z', '2023-02-28T10:00:00.000Z'],
    ['2024-03-05T10:00:00.000Z', 'week', '2024-03-12T10:00:00.000Z', '2024-02-27T10:00:00.000Z'],
  ])('%s told in another zone keeps its time of day over a %s', (iso, precision, end, start) => {
    const at = Date.parse(iso);
    expect(toIso(precisionEnd({ at, precision }, 'UTC'))).toBe(end);
    expect(toIso(precisionStart(at, precision, 'UTC'))).toBe(start);
  });
});

describe('a person reads', () => {
  test.each<[InstantInput, string, string]>([
    ['2023', 'UTC', '2023'],
    ['0033', 'UTC', '0033'],
    ['2023-05', 'UTC', '2023-05'],
    ['2023-W10', 'UTC', '2023-W10'],
    ['2024-12-31', 'UTC', '2024-12-31'],
    ['2025-W01', 'UTC', '2025-W01'],
    ['2023-05-01', 'Asia/Shanghai', '2023-05-01'],
    ['2023', 'America/New_York', '2023'],
    ['2023-05-01T10:30Z', 'UTC', '2023-05-01 10:30Z'],
    ['2023-05-01T10:30Z', 'Etc/UTC', '2023-05-01 10:30Z'],
    ['2023-05-01T10:30Z', 'Asia/Shanghai', '2023-05-01 18:30+08:00'],
    ['2023-01-01T10:30Z', 'Europe/London', '2023-01-01 10:30+00:00'],
    ['2023-05-01T10:30:00Z', 'UTC', '2023-05-01T10:30:00.000Z'],
    ['2023-05-01T10:30:01.5Z', 'America/St_Johns', '2023-05-01T08:00:01.500-02:30'],
    ['1960-01-01T00:00', 'Africa/Monrovia', '1960-01-01 00:00-00:44:30'],
    ['1960-01-01T00:00Z', 'Africa/Monrovia', '1960-01-01 00:00Z'],
    [FIRST_INSTANT, 'America/New_York', '0001-01-01T00:00:00.000Z'],
    [LAST_INSTANT, 'Asia/Shanghai', '9999-12-31T23:59:59.999Z'],
  ])('%j in %s as %s', (input, timeZone, text) => {
    const point = read(input, timeZone);
    expect(formatInstant(point, timeZone)).toBe(text);
    expect(read(text, timeZone)).toEqual(point);
  });
});

describe.each(ZONES)('in %s', (timeZone) => {
  // A year less at each end: a unit must not start before the first instant.
  const year = 366 * 86_400_000;
  const anyTime = fc.integer({ min: FIRST_INSTANT + year, max: LAST_INSTANT - year });
  const withDst = fc.integer({ min: Date.UTC(1880, 0), max: Date.UTC(2040, 0) });
  const moment = fc.oneof(anyTime, withDst);

  test.each(PRECISIONS)('a %s is read back as it was written', (precision) => {
    fc.assert(
      fc.property(moment, (at) => {
        const point = read({ at, precision }, timeZone);
        expect(read(formatInstant(point, timeZone), timeZone)).toEqual(point);
      }),
    );
  });

  test.each(PRECISIONS)('a %s ends after it starts, where the next one does', (precision) => {
    fc.assert(
      fc.property(moment, (at) => {
        const point = read({ at, precision }, timeZone);
        const end = precisionEnd(point, timeZone);
        expect(end).toBeGreaterThan(point.at);
        expect(read({ at: end, precision }, timeZone).at).toBe(end);
        expect(precisionStart(end, precision, timeZone)).toBe(point.at);
      }),
    );
  });

  test.each(PRECISIONS)('so many milliseconds and a %s lie within bounds', (precision) => {
    fc.assert(
      fc.property(moment, (at) => {
        expect(precisionEnd({ at, precision }, timeZone)).toBeGreaterThan(at);
        expect(precisionStart(at, precision, timeZone)).toBeLessThan(at);
      }),
    );
  });

  test('a local time with its offset is the instant that it came from', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const text = formatInstant({ at, precision: 'millisecond' }, timeZone);
        expect(read(text).at).toBe(at);
        const local = text.replace(/(Z|[+-]\d\d:\d\d(:\d\d)?)$/, '');
        const agreed = readOrRefuse(local, timeZone);
        expect(agreed === 'fold' || agreed === at).toBe(true);
      }),
    );
  });
});

function readOrRefuse(text: string, timeZone: string): number | 'fold' | 'other' {
  try {
    return read(text, timeZone).at;
  } catch (error) {
    return error instanceof PalimpsestError && error.message.includes('fold') ? 'fold' : 'other';
  }
}

describe('a time zone', () => {
  test.each(['UTC', 'Etc/UTC', 'Asia/Shanghai', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
    '%s is known',
    (name) => {
      expect(checkTimeZone(name, 'timeZone')).toBe(name);
    },
  );

  test.each([
    '',
    'Mars/Olympus',
    '+08:00',
    'UTC+8',
    ' UTC',
    'UTC\n',
    undefined,
    null,
    8,
    {},
    '\ud83d',
  ])('%j is refused', (name) => {
    const error = refusal(() => checkTimeZone(name, 'space.timeZone'));
    expect([error.code, error.field]).toEqual(['INVALID_INPUT', 'space.timeZone']);
    expect(error.hint).toContain('IANA');
  });

  test('that is unknown is refused where it would be used', () => {
    expect(refusal(() => read('2024-03-05', 'Mars/Olympus')).code).toBe('INVALID_INPUT');
    const point = { at: 0, precision: 'day' } as const;
    expect(refusal(() => formatInstant(point, 'Mars/Olympus')).code).toBe('INVALID_INPUT');
    expect(refusal(() => precisionEnd(point, 'Mars/Olympus')).code).toBe('INVALID_INPUT');
  });
});
