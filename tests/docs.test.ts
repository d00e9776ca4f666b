import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect, formatWithOptions } from 'node:util';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from './support/folder.js';

const ROOT = resolve(import.meta.dirname, '..');
/** Inside the project, so that the samples are compiled like the tests. */
const SAMPLES = join(ROOT, 'tests', '.samples');

const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

interface Sample {
  readonly name: string;
  readonly code: string;
  /** What each `console.log(…); // …` is said to print. */
  readonly prints: readonly string[];
}

function samplesOf(page: string): Sample[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/```ts\n([\s\S]*?)```/gu)].map((match, i) => ({
    name: `${page} #${i + 1}`,
    code: match[1]!,
    prints: [...match[1]!.matchAll(/^.*console\.log\(.*\);? \/\/ (.*)$/gmu)].map((m) => m[1]!),
  }));
}

afterAll(() => rmSync(SAMPLES, { recursive: true, force: true }));

describe('every sample in the docs runs and prints what it says', () => {
  for (const sample of pages.flatMap(samplesOf)) {
    test(sample.name, async () => {
      mkdirSync(SAMPLES, { recursive: true });
      const file = join(SAMPLES, `${sample.name.replace(/[^\w]+/gu, '-')}.ts`);
      const library = relative(SAMPLES, join(ROOT, 'lib', 'index.js'));
      writeFileSync(file, sample.code.replaceAll("'palimpsest'", `'${library}'`));
      const printed: string[] = [];
      const log = vi.spyOn(console, 'log').mockImplementation((...args: unknown[]) => {
        printed.push(formatWithOptions({ ...inspect.defaultOptions, colors: false }, ...args));
      });
      const before = process.cwd();
      process.chdir(temporaryFolder());
      try {
        await import(pathToFileURL(file).href);
      } finally {
        process.chdir(before);
        log.mockRestore();
      }
      expect(printed).toEqual(sample.prints);
    });
  }
});

test('every link between the pages leads somewhere', () => {
  const broken: string[] = [];
  for (const page of pages) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/gu)) {
      const path = join(ROOT, page, '..', target!);
      try {
        readdirSync(path);
      } catch (error) {
        const isFile = error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
        if (!isFile) broken.push(`${page} → ${target}`);
      }
    }
  }
  expect(broken).toEqual([]);
});
