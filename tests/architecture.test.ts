import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** From the ground up: a folder may import itself and what stands before it. */
const LAYERS = [
  'model',
  'secrets',
  'endpoint',
  'belief',
  'journal',
  'store',
  'memory',
  'ingest',
  'recall',
  'govern',
  'transfer',
  'api',
  'share',
  'cli',
] as const;

/** Folders side by side, none of which imports another. */
const SIDE_BY_SIDE = new Set(['recall', 'transfer']);

interface Import {
  readonly from: string;
  readonly to: string;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .filter((entry) => !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

const SPECIFIER = /(?:from|import)\s*\(?\s*'([^']+)'/gu;

function importsOf(file: string): string[] {
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(SPECIFIER)].map((m) => m[1]!);
}

const files = sourcesIn('lib');
const imports: Import[] = files.flatMap((from) =>
  importsOf(from)
    .filter((to) => to.startsWith('.'))
    .map((to) => ({
      from,
      to: relative(ROOT, resolve(ROOT, dirname(from), to.replace(/\.js$/u, '.ts'))),
    })),
);

const layerOf = (file: string): string => file.split('/')[1] ?? '';

describe('the arrows between folders', () => {
  test('point one way', () => {
    const wrong = imports.filter(({ from, to }) => {
      const above = LAYERS.findIndex((layer) => layer === layerOf(from));
      const below = LAYERS.findIndex((layer) => layer === layerOf(to));
      if (from === 'lib/index.ts') return false;
      // The command line is a user of the library like any other.
      if (to === 'lib/index.ts') return layerOf(from) !== 'cli';
      return above < 0 || below < 0 || below > above;
    });
    expect(wrong).toEqual([]);
  });

  test('do not lead from one neighbour to the other', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        layerOf(from) !== layerOf(to) &&
        SIDE_BY_SIDE.has(layerOf(from)) &&
        SIDE_BY_SIDE.has(layerOf(to)),
    );
    expect(wrong).toEqual([]);
  });

  test('form no circle', () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
        return;
      }
      if (done.has(file)) return;
      for (const to of next.get(file) ?? []) walk(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) walk(file, []);
    expect(circles).toEqual([]);
  });
});

test('the pure core does no I/O and asks nobody for the time', () => {
  const PURE = ['node:crypto', 'node:util/types'];
  for (const file of files.filter((f) => ['model', 'belief'].includes(layerOf(f)))) {
    const outside = importsOf(file).filter((to) => to.startsWith('node:') && !PURE.includes(to));
    expect(outside, file).toEqual([]);
  }
});

test('only the clock asks the machine for the time', () => {
  const asking = files.filter(
    (file) =>
      file !== 'lib/model/clock.ts' &&
      /\bDate\.now\(|new Date\(\)/u.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(asking).toEqual([]);
});

test('adapters import the library by its public name only, and never a sibling', () => {
  const wrong = sourcesIn('adapters').flatMap((from) =>
    importsOf(from)
      .filter((to) => to.startsWith('.'))
      .filter(
        (to) =>
          !resolve(ROOT, dirname(from), to).startsWith(join(ROOT, 'adapters', from.split('/')[1]!)),
      )
      .map((to) => `${from} → ${to}`),
  );
  expect(wrong).toEqual([]);
});
