import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { MemoryEngine } from '../engine/engine.js';
import type { Scope } from '../engine/vocabulary.js';
import { readGraphiti, readMcp, readMem0 } from './json.js';
import { readMarkdown } from './markdown.js';
import type { ReadStatements } from './statement.js';

export const IMPORT_FORMATS = ['markdown', 'mcp', 'mem0', 'graphiti'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** The format of a file, told from its name and what is in it; `null` when it is none of ours. */
export function formatOf(fileName: string, text: string): ImportFormat | null {
  if (/\.(?:md|markdown)$/iu.test(fileName)) return 'markdown';
  if (/"type"\s*:\s*"(?:entity|relation)"/u.test(text.slice(0, 4_000))) return 'mcp';
  if (/"(?:source_node_uuid|invalid_at|valid_at)"/u.test(text)) return 'graphiti';
  return /"(?:memory|results|memories)"/u.test(text) ? 'mem0' : null;
}

function read(format: ImportFormat, text: string, fileName: string): ReadStatements {
  if (format === 'markdown') return readMarkdown(text, fileName);
  if (format === 'mcp') return readMcp(text);
  return format === 'mem0' ? readMem0(text) : readGraphiti(text);
}

/** Takes the file of another memory in, or says what would come of it. */
export async function importFile(
  engine: MemoryEngine,
  scope: Scope,
  path: string,
  options: { readonly format?: ImportFormat | undefined; readonly dryRun: boolean },
): Promise<string> {
  const text = await readFile(path, 'utf8');
  const fileName = basename(path);
  const format = options.format ?? formatOf(fileName, text);
  if (format === null) {
    throw new Error(`What ${fileName} is cannot be told. Say --as ${IMPORT_FORMATS.join(' | ')}.`);
  }
  const { statements, problems } = read(format, text, fileName);
  const report = await engine.importStatements(scope, statements, {
    source: `${format} ${fileName}`,
    dryRun: options.dryRun,
  });
  const timed = statements.filter(({ knownAt }) => knownAt !== null).length;
  const known = report.keepsKnownTime
    ? 'kept as known time'
    : 'kept as the time at which it was said, since the memory is not empty';
  return [
    `${options.dryRun ? 'Would import' : 'Imported'} ${report.taken} statements from ${fileName} (${format}); ${report.skipped} had been imported before.`,
    `${timed} of ${statements.length} say when they became known: ${known}.`,
    ...problems.map((problem) => `Left out: ${problem}.`),
  ].join('\n');
}
