#!/bin/sh
# Installs the adapter for the DeepSeek Harness and runs its tests on the host's own packages, under a Node that
# the host supports. `--tarball` runs the packed plugin in the real `dsh` as well.
set -eu
cd "$(dirname "$0")/../adapters/dsh"
if [ ! -x node_modules/.bin/node ] || [ "${CI:-}" != "" ]; then
  # Not `npm ci`: it refuses a lock without the packages of platforms that a registry may lack.
  npm install --ignore-scripts --no-audit --no-fund
fi
PATH="$PWD/node_modules/.bin:$PATH"
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a >= 24 || (a == 22 && b >= 19) ? 0 : 1)'; then
  echo "dsh: the host needs Node 22.19 or 24, and this is $(node --version)." >&2
  if [ "${CI:-}" != "" ]; then exit 1; fi
  echo "dsh: skipped." >&2
  exit 0
fi
npm run --silent check
../../node_modules/.bin/oxlint -c oxlint.json --type-aware --deny-warnings
npm run --silent test
if [ "${1:-}" = "--tarball" ]; then node scripts/check-tarball.mjs; fi
