import { existsSync } from 'node:fs';
import {
  access,
  constants,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
} from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { join } from 'node:path';

/**
 * Package managers block install scripts. Kuzu's only copies its binary and its JavaScript into place, and
 * without it the package cannot be imported; so the same copying is done here, once.
 */

const SOURCES = join('kuzu-source', 'tools', 'nodejs_api', 'src_js');

export interface Healed {
  /** The file to import. */
  readonly entry: string;
  /** Why the package itself could not take the files, where a cache folder took them. */
  readonly cached: string | null;
}

/** The file to import the package by, after putting its parts into place where they are missing; `null` when it has none for this platform. */
export async function healKuzu(
  packageFolder: string,
  cacheFolder = defaultCache(),
): Promise<Healed | null> {
  const entry = join(packageFolder, 'index.js');
  if (existsSync(entry) && existsSync(join(packageFolder, 'kuzujs.node')))
    return { entry, cached: null };
  const binary = join(packageFolder, 'prebuilt', `kuzujs-${process.platform}-${process.arch}.node`);
  if (!existsSync(binary) || !existsSync(join(packageFolder, SOURCES))) return null;
  try {
    await access(packageFolder, constants.W_OK);
    return { entry: await place(packageFolder, binary, packageFolder), cached: null };
  } catch (error) {
    const version = await versionOf(packageFolder);
    const folder = join(cacheFolder, `kuzu-${version}-${process.platform}-${process.arch}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (existsSync(join(folder, 'index.js')))
      return { entry: join(folder, 'index.js'), cached: String(error) };
    return { entry: await place(packageFolder, binary, folder), cached: String(error) };
  }
}

/** Copies by rename and `index.js` last, so that no other process imports a half-copied package. */
async function place(packageFolder: string, binary: string, target: string): Promise<string> {
  const sources = join(packageFolder, SOURCES);
  const scripts = (await readdir(sources)).filter(
    (name) => /\.(m?js|d\.ts)$/.test(name) && name !== 'index.js',
  );
  await put(binary, join(target, 'kuzujs.node'));
  for (const name of scripts) await put(join(sources, name), join(target, name));
  await put(join(sources, 'index.js'), join(target, 'index.js'));
  return join(target, 'index.js');
}

async function put(from: string, to: string): Promise<void> {
  const temporary = `${to}.${process.pid}.tmp`;
  try {
    await copyFile(from, temporary);
    await rename(temporary, to);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function versionOf(packageFolder: string): Promise<string> {
  const text = await readFile(join(packageFolder, 'package.json'), 'utf8');
  return /"version"\s*:\s*"([\w.+-]+)"/.exec(text)?.[1] ?? 'unknown';
}

function defaultCache(): string {
  const home = homedir();
  const base =
    platform() === 'win32'
      ? (process.env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'))
      : platform() === 'darwin'
        ? join(home, 'Library', 'Caches')
        : (process.env['XDG_CACHE_HOME'] ?? join(home, '.cache'));
  return join(base, 'palimpsest');
}
