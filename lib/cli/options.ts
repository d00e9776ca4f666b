import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { z } from 'zod';
import {
  openMemory,
  PalimpsestError,
  type Handle,
  type KnownInput,
  type Memory,
  type OpenOptions,
  type Scope,
  type View,
} from '../index.js';
import { UsageError } from './failure.js';

export const GRAPHS = ['auto', 'kuzu', 'ladybug', 'none'] as const;

/** Options of every command. */
export interface CommonOptions {
  readonly store?: string;
  readonly scope?: readonly string[];
  readonly valid?: string;
  readonly known?: string;
  readonly json?: boolean;
  readonly graph?: (typeof GRAPHS)[number];
}

/** For options that may be repeated. */
export const collect = (
  value: string,
  before: readonly string[] | undefined,
): readonly string[] => [...(before ?? []), value];

/** Adds the options that every command has. */
export function withStore(command: Command): Command {
  return command
    .option('--store <folder>', 'folder of the store (PALIMPSEST_STORE, else ./.palimpsest)')
    .addOption(
      new Option('--graph <engine>', 'engine that keeps the graph at rest')
        .choices(GRAPHS)
        .default('auto'),
    )
    .option('--json', 'answer in JSON, or JSON Lines where there may be many');
}

export function withScope(command: Command): Command {
  return withStore(command).option(
    '--scope <dimensions>',
    'org=…,project=…,user=…,agent=… or a JSON object; may be repeated',
    collect,
  );
}

export function withKnown(command: Command): Command {
  return withScope(command).option(
    '--known <instant|tx:n>',
    'as the memory believed then (default: the latest)',
  );
}

export function withMoment(command: Command): Command {
  return withKnown(command).option(
    '--valid <instant>',
    'when it holds in the world, such as 2024-05-01 (default: now)',
  );
}

export function storePath(options: CommonOptions): string {
  const named = options.store ?? process.env['PALIMPSEST_STORE'];
  return named === undefined || named === '' ? '.palimpsest' : named;
}

const ScopeObjectSchema = z.record(z.string(), z.string());

/**
 * `org=acme,project=shop`, several of them, or a JSON object for values that hold commas and equals signs.
 *
 * @throws PalimpsestError `INVALID_SCOPE`
 */
export function scopeOf(options: CommonOptions): Scope {
  if (options.scope === undefined) {
    throw invalidScope('--scope is missing.', 'Say whose memory: --scope org=acme,project=shop');
  }
  const found = new Map<string, string>();
  for (const [dimension, value] of options.scope.flatMap(dimensionsOf)) {
    if (found.has(dimension)) throw invalidScope(`--scope names ${dimension} twice.`);
    found.set(dimension, value);
  }
  // The library refuses what is unknown; here it only has to be taken apart.
  const { org = '', ...others } = Object.fromEntries(found);
  if (org === '') throw invalidScope('--scope names no org.', 'Write --scope org=acme');
  return { org, ...others };
}

function dimensionsOf(text: string): [string, string][] {
  if (!text.trimStart().startsWith('{')) {
    return text.split(',').map((part) => {
      const at = part.indexOf('=');
      if (at > 0) return [part.slice(0, at).trim(), part.slice(at + 1)];
      throw invalidScope(
        `--scope: ${JSON.stringify(part)} is no dimension with its value.`,
        'Write org=acme,project=shop or {"org":"acme","project":"a,b"}',
      );
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalidScope('--scope is no JSON object.', undefined, cause);
  }
  const scope = ScopeObjectSchema.safeParse(value);
  if (!scope.success) throw invalidScope('--scope is no JSON object of texts.');
  return Object.entries(scope.data);
}

const invalidScope = (message: string, hint?: string, cause?: unknown): PalimpsestError =>
  new PalimpsestError('INVALID_SCOPE', message, {
    field: 'scope',
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  });

/** `tx:12`, or an instant. */
export function knownOf(text: string): KnownInput {
  if (!text.startsWith('tx:')) return text;
  const tx = Number(text.slice(3));
  if (/^tx:\d+$/u.test(text) && Number.isSafeInteger(tx)) return { tx };
  throw new UsageError(`${JSON.stringify(text)} is no transaction: write tx:12.`);
}

export const isPositiveCount = (text: string): number => {
  const count = Number(text);
  if (/^\d+$/u.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`${JSON.stringify(text)} is no count of one or more.`);
};

/**
 * Opens the store of the options for one command, and closes it whatever comes of that.
 *
 * @throws PalimpsestError `NOT_FOUND` where there is no store: reading never makes one.
 */
export async function withMemory<T>(
  options: CommonOptions,
  work: (memory: Memory) => Promise<T>,
  opening: Pick<OpenOptions, 'ontology' | 'timeZone' | 'clock' | 'ingest' | 'recall'> & {
    readonly make?: boolean;
  } = {},
): Promise<T> {
  const path = storePath(options);
  const { make = false, ...rest } = opening;
  if (!make && !isStore(path)) {
    throw new PalimpsestError('NOT_FOUND', `There is no store in ${path}.`, {
      field: 'store',
      hint: 'Name its folder with --store, or make one with `palimpsest import` or `ingest`.',
    });
  }
  const onProgress = progressLine();
  await using memory = await openMemory({
    path,
    ...rest,
    graph: options.graph ?? 'auto',
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  return await work(memory);
}

export const isStore = (path: string): boolean =>
  existsSync(join(path, 'store.json')) || existsSync(join(path, 'journal'));

/** The scope's memory at the asked moment. */
export function viewOf(memory: Memory, options: CommonOptions): Handle | View {
  const handle = memory.in(scopeOf(options));
  const { valid, known } = options;
  if (valid === undefined && known === undefined) return handle;
  return handle.asOf({
    ...(valid === undefined ? {} : { valid }),
    ...(known === undefined ? {} : { known: knownOf(known) }),
  });
}

/** How far something has come; `all` is `null` where nobody knows. */
export type ShowProgress = (progress: {
  readonly what: string;
  readonly done: number;
  readonly all: number | null;
}) => void;

/** One line that is written over, for somebody who is looking. */
export function progressLine(): ShowProgress | undefined {
  if (!process.stderr.isTTY) return undefined;
  let last = '';
  return ({ what, done, all }) => {
    const share =
      all === null || all === 0 ? '' : ` of ${all} (${Math.floor((done / all) * 100)} %)`;
    const line = `${what}: ${done}${share}`;
    if (line === last) return;
    last = line;
    process.stderr.write(`\r\u001B[K${line}${all !== null && done >= all ? '\n' : ''}`);
  };
}
