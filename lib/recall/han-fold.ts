import { z } from 'zod';

/** Traditional Chinese characters by their simplified form, so that 會議 and 会议 are found by each other. */
export type HanFold = ReadonlyMap<string, string>;

/** No folding: each script is found by itself only. */
export const NO_HAN_FOLD: HanFold = new Map();

const TABLE = 'opencc-js/dict/TSCharacters';
const TableSchema = z.object({ default: z.string() });

/**
 * Reads a table as OpenCC writes it: `traditional simplified` pairs with `|` between them, of which only
 * those of one character count. Where a character has several simplified forms the first is taken.
 *
 * @example
 * readHanFold('會 会|議 议').get('會') // '会'
 */
export function readHanFold(table: string): HanFold {
  const fold = new Map<string, string>();
  for (const line of table.split('|')) {
    const [from, to] = line.split(' ');
    if (from === undefined || to === undefined || from === to) continue;
    if (one(from) && one(to) && !fold.has(from)) fold.set(from, to);
  }
  return fold;
}

const one = (text: string): boolean => /^.$/su.test(text);

/** The table of the optional package `opencc-js`, or `NO_HAN_FOLD` where that is not installed. */
export async function loadHanFold(): Promise<HanFold> {
  try {
    // Named by a constant, since the package has no types for its tables.
    const module: unknown = await import(TABLE);
    return readHanFold(TableSchema.parse(module).default);
  } catch (error) {
    if (isMissing(error)) return NO_HAN_FOLD;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED');
