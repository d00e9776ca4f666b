import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as TypeScript from 'typescript';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
// Below node_modules, so that packages resolve as they do for the sources.
const CACHE = join(ROOT, 'node_modules/.cache/palimpsest-test-children');

/** JavaScript of this process's sources, so that each file is looked at once. */
const compiled = new Set<string>();

/**
 * Starts a TypeScript file of this repository in a Node process of its own, which Node 20 cannot by itself.
 * It and all it imports are compiled file by file, without type check, and kept for the next run. The child
 * has an IPC channel: `process.send` there, `child.on('message')` here. What it writes to stderr is shown.
 *
 * @example
 * const child = runChild(new URL('./children/appender.ts', import.meta.url), [folder]);
 * child.on('message', (tx) => …);
 * child.kill('SIGKILL');
 */
export function runChild(
  script: URL | string,
  args: readonly string[] = [],
  options: { readonly env?: NodeJS.ProcessEnv; readonly execArgv?: readonly string[] } = {},
): ChildProcess {
  return fork(scriptFor(script), args, {
    execArgv: [...(options.execArgv ?? [])],
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** The JavaScript of a TypeScript file of this repository, for Node to run. */
export function scriptFor(script: URL | string): string {
  const source = script instanceof URL ? fileURLToPath(script) : resolve(script);
  compile(source);
  return outputOf(source);
}

/** Resolves once the process has ended, with its exit code or the signal that ended it. */
export function ended(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve(child.exitCode ?? child.signalCode);
  }
  return new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
}

function outputOf(source: string): string {
  const path = relative(ROOT, source);
  if (path.startsWith('..')) throw new Error(`${source} is outside the repository.`);
  return join(CACHE, path.split(sep).join('/').replace(/\.ts$/, '.js'));
}

function compile(source: string): void {
  if (compiled.has(source)) return;
  compiled.add(source);
  const text = readFileSync(source, 'utf8');
  const mark = `// ${createHash('sha256').update(text).digest('hex')}\n`;
  const output = outputOf(source);
  let code = existsSync(output) ? readFileSync(output, 'utf8') : '';
  if (!code.startsWith(mark)) {
    // A `#!` line may only be the first.
    code = mark + byPath(transpile(text, source).replace(/^#!.*\n/u, ''), source);
    write(output, code);
    write(join(CACHE, 'package.json'), '{ "type": "module" }\n');
  }
  for (const [, specifier = ''] of code.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)) {
    const imported = resolve(dirname(source), specifier.replace(/\.js$/, '.ts'));
    if (existsSync(imported)) compile(imported);
  }
}

/** The package by its own name, as adapters import it. */
const OWN_NAME = /\b(from|import)(\s*\(?\s*)["']palimpsest(?:\/([a-z-]+))?["']/gu;

/** Leads it to the sources: what is built may be older than they are, or not be there. */
const byPath = (code: string, source: string): string =>
  code.replaceAll(OWN_NAME, (_, word: string, gap: string, adapter: string | undefined) => {
    const file = adapter === undefined ? 'lib/index.js' : `adapters/${adapter}/index.js`;
    const path = relative(dirname(source), join(ROOT, file)).split(sep).join('/');
    return `${word}${gap}'${path.startsWith('.') ? path : `./${path}`}'`;
  });

let typescript: typeof TypeScript | undefined;

function transpile(text: string, fileName: string): string {
  // Loaded only when something has changed: it takes longer than all else here.
  const ts: typeof TypeScript = (typescript ??= createRequire(import.meta.url)('typescript'));
  return ts.transpileModule(text, {
    fileName,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      inlineSourceMap: false,
    },
  }).outputText;
}

/** In one step, since test files that run side by side compile the same sources. */
function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}
