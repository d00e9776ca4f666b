import { FIRST_INSTANT, LAST_INSTANT } from '../../model/instant.js';

/** Logs are other programs' data: each field is looked at before it is used. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const stringIn = (fields: Fields, key: string): string | null => {
  const value = fields[key];
  return typeof value === 'string' && value !== '' ? value : null;
};

export const fieldsIn = (fields: Fields, key: string): Fields | null => {
  const value = fields[key];
  return isFields(value) ? value : null;
};

export const countIn = (fields: Fields, key: string): number | null => {
  const value = fields[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
};

const ISO_WITH_OFFSET =
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/u;

/** Epoch ms of a host's time stamp, or null: what was said stays said when its time is unreadable. */
export function stampOf(value: unknown): number | null {
  const at =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && ISO_WITH_OFFSET.test(value)
        ? Date.parse(value)
        : Number.NaN;
  return Number.isInteger(at) && at >= FIRST_INSTANT && at <= LAST_INSTANT ? at + 0 : null;
}

const LABEL = /^[\w@./:+-]{1,80}$/u;

/** A log's own name for something, where it is short and plain enough to be shown in a list of reasons. */
export const labelOf = (value: unknown): string =>
  typeof value === 'string' && LABEL.test(value) ? value : 'unnamed';
