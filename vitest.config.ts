import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const from = (path: string): string => resolve(import.meta.dirname, path);

export default defineConfig({
  resolve: {
    // The package by its own name, from its sources.
    alias: [
      { find: /^palimpsest$/u, replacement: from('lib/index.ts') },
      { find: /^palimpsest\/([a-z-]+)$/u, replacement: from('adapters/$1/index.ts') },
    ],
  },
  test: {
    include: ['tests/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
