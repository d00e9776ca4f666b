import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { palimpsest: fileURLToPath(new URL('../../lib/index.ts', import.meta.url)) },
  },
  test: {
    include: ['tests/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // What is waited for comes, on a busy machine a little later.
    expect: { poll: { timeout: 30_000 } },
  },
});
