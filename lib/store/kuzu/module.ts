import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PalimpsestError } from '../../model/errors.js';
import { healKuzu } from './heal.js';
import type { NativeModule } from './native.js';

export type EngineName = 'kuzu' | 'ladybug';

export interface LoadedEngine {
  readonly name: EngineName;
  readonly version: string;
  /** Version of the files it writes. */
  readonly storage: string;
  /** The file it was imported by, for a child process. */
  readonly entry: string;
  readonly native: NativeModule;
}

const PACKAGES = { kuzu: 'kuzu', ladybug: '@ladybugdb/core' } as const;
const BINARIES = { kuzu: 'kuzu_native.js', ladybug: 'lbug_native.js' } as const;
const INSTALL = {
  kuzu: 'Run `npm install kuzu@0.11.3`, or `npm rebuild kuzu --ignore-scripts=false` where its install script was blocked.',
  ladybug:
    'Run `npm install @ladybugdb/core`, or `npm rebuild @ladybugdb/core --ignore-scripts=false` where its install script was blocked.',
} as const;

const require = createRequire(import.meta.url);

/**
 * Finds and imports a graph engine. Without a name: Kuzu where it is installed, else LadybugDB.
 *
 * @throws PalimpsestError `ENGINE_UNAVAILABLE`: not installed, not importable, or the other engine is in this process already
 */
export async function loadEngine(name?: EngineName): Promise<LoadedEngine> {
  if (name !== undefined) return importEngine(name);
  const loaded = (['kuzu', 'ladybug'] as const).find(isLoaded);
  if (loaded !== undefined) return importEngine(loaded);
  if (packageFolder('ladybug') === null) return importEngine('kuzu');
  // Kuzu may be there without a binary for this platform.
  return importEngine('kuzu').catch(() => importEngine('ladybug'));
}

async function importEngine(name: EngineName): Promise<LoadedEngine> {
  const other = name === 'kuzu' ? 'ladybug' : 'kuzu';
  // Both in one process end in a segmentation fault when it exits.
  if (isLoaded(other)) {
    throw new PalimpsestError(
      'ENGINE_UNAVAILABLE',
      `${PACKAGES[name]} cannot be loaded beside ${PACKAGES[other]} in one process.`,
      { field: 'engine', hint: 'Open all stores of a process with the same engine.' },
    );
  }
  const folder = packageFolder(name);
  if (folder === null) {
    throw new PalimpsestError('ENGINE_UNAVAILABLE', `${PACKAGES[name]} is not installed.`, {
      field: 'engine',
      hint: INSTALL[name],
    });
  }
  try {
    const entry = await entryOf(name, folder);
    const native: unknown = require(entry);
    if (!isNative(native)) throw new Error(`${entry} exports no Database and Connection`);
    return {
      name,
      version: native.VERSION,
      storage: String(native.STORAGE_VERSION),
      entry,
      native,
    };
  } catch (error) {
    throw new PalimpsestError(
      'ENGINE_UNAVAILABLE',
      `${PACKAGES[name]} cannot be imported: ${messageOf(error)}.`,
      {
        field: 'engine',
        hint: INSTALL[name],
        cause: error,
      },
    );
  }
}

async function entryOf(name: EngineName, folder: string): Promise<string> {
  if (name === 'kuzu') {
    const healed = await healKuzu(folder);
    if (healed === null)
      throw new Error(`it has no binary for ${process.platform}-${process.arch}`);
    return healed.entry;
  }
  if (existsSync(join(folder, 'lbugjs.node'))) return join(folder, 'index.js');
  // Without its install script the binary is in the platform's own package only, which is complete.
  const platformFolder = folderOf(
    `${PACKAGES.ladybug}-${process.platform}-${process.arch}`,
    folder,
  );
  if (platformFolder === null)
    throw new Error(`it has no binary for ${process.platform}-${process.arch}`);
  return join(platformFolder, 'index.js');
}

const packageFolder = (name: EngineName): string | null => folderOf(PACKAGES[name], null);

/** By the folder, not by resolution: a package whose install script was blocked has no file to resolve to. */
function folderOf(name: string, beside: string | null): string | null {
  const paths = require.resolve.paths(name) ?? [];
  if (beside !== null) paths.unshift(join(dirname(dirname(beside))));
  for (const path of paths) {
    const folder = join(path, name);
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return null;
}

const isLoaded = (name: EngineName): boolean =>
  Object.keys(require.cache).some((file) => file.endsWith(BINARIES[name]));

function isNative(value: unknown): value is NativeModule {
  return (
    typeof value === 'object' &&
    value !== null &&
    'Database' in value &&
    typeof value.Database === 'function' &&
    'Connection' in value &&
    typeof value.Connection === 'function'
  );
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
