// Builds the package as users install it: the plugin with the library in one file, and types. What the library
// needs at run time becomes a dependency; packages of the host stay the host's.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const here = join(import.meta.dirname, '..');
const root = join(here, '../..');
const out = join(here, 'dist');
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const library = json(join(root, 'package.json'));
const own = json(join(here, 'package.json'));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const bundle = await rolldown({
  input: {
    index: join(here, 'src/index.ts'),
    conformance: join(here, 'src/conformance/cases.ts'),
  },
  platform: 'node',
  resolve: { alias: { palimpsest: join(root, 'lib/index.ts') } },
  external: (id) => !id.startsWith('.') && !id.startsWith('/') && id !== 'palimpsest',
});
const { output } = await bundle.write({ dir: out, format: 'esm', entryFileNames: '[name].js' });
await bundle.close();

const chunks = new Set(output.map((file) => file.fileName));

/** Names of the packages that the built files import. */
const imported = new Set(
  output
    .filter((file) => file.type === 'chunk')
    .flatMap((file) => [...file.imports, ...file.dynamicImports])
    .filter((id) => !id.startsWith('.') && !id.startsWith('node:') && !chunks.has(id))
    .map((id) =>
      id
        .split('/')
        .slice(0, id.startsWith('@') ? 2 : 1)
        .join('/'),
    ),
);
// Some are loaded only when they are needed, by a require of their own.
for (const name of Object.keys(library.dependencies)) {
  const required = new RegExp(`require\\("${name}[/"]`, 'u');
  if (output.some((file) => file.type === 'chunk' && required.test(file.code))) imported.add(name);
}
const known = {
  ...library.dependencies,
  ...own.dependencies,
  '@deepseek-ai/schemastery': '^3.18.1',
};
const dependencies = {};
const missing = [];
const elsewhere = { ...library.optionalDependencies, ...library.peerDependencies };
for (const name of [...imported].sort()) {
  if (name in known) dependencies[name] = known[name];
  else if (!(name in elsewhere)) missing.push(name);
}
if (missing.length > 0) throw new Error(`Nothing says which version of ${missing.join(', ')}.`);

execFileSync(
  process.execPath,
  [join(here, 'node_modules/typescript/bin/tsc'), '-p', join(here, 'tsconfig.build.json')],
  { stdio: 'inherit' },
);

writeFileSync(
  join(out, 'package.json'),
  `${JSON.stringify(
    {
      name: own.name,
      version: library.version,
      description: own.description,
      license: own.license,
      keywords: ['dsh-plugin', 'deepseek-harness', 'memory'],
      type: 'module',
      types: './types/adapters/dsh/src/index.d.ts',
      exports: {
        '.': { types: './types/adapters/dsh/src/index.d.ts', default: './index.js' },
        './conformance': {
          types: './types/adapters/dsh/src/conformance/cases.d.ts',
          default: './conformance.js',
        },
        './package.json': './package.json',
        './cordis.patch.yml': './cordis.patch.yml',
      },
      files: ['*.js', 'types', 'cordis.patch.yml', 'README.md', 'LICENSE'],
      dependencies,
      optionalDependencies: library.optionalDependencies,
      dsh: { bundle: { patch: './cordis.patch.yml' } },
    },
    null,
    2,
  )}\n`,
);
cpSync(join(here, 'cordis.patch.yml'), join(out, 'cordis.patch.yml'));
cpSync(join(here, 'README.md'), join(out, 'README.md'));
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
const target = process.argv[2] ?? here;
execFileSync('npm', ['pack', '--silent', '--pack-destination', target], {
  cwd: out,
  stdio: 'inherit',
});
