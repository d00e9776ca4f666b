import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { PalimpsestError, type OntologyDefinition } from '../index.js';
import { UsageError } from './failure.js';

/** @throws PalimpsestError `NOT_FOUND` for what is no file. `-` is standard input. */
export function ensureReadable(file: string): void {
  if (file === '-') return;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory() === false) return;
  throw new PalimpsestError(
    'NOT_FOUND',
    found === undefined ? `There is no file ${file}.` : `${file} is a folder.`,
    { field: 'file' },
  );
}

/** The JSON in a file that an option names. */
export function readJson(option: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    const why = isSyntax ? 'is no JSON' : error instanceof Error ? error.message : String(error);
    throw new UsageError(`${option}: ${file}: ${why}`);
  }
}

const OntologySchema = z.looseObject({
  predicates: z.record(z.string(), z.record(z.string(), z.unknown())),
});

export function readOntology(file: string): OntologyDefinition {
  const found = OntologySchema.safeParse(readJson('--ontology', file));
  if (found.success) return found.data;
  throw new UsageError(`--ontology: ${file} has no object "predicates".`);
}
