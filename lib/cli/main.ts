#!/usr/bin/env node
import { run } from './program.js';

// Not `process.exit`: what was written to a pipe is to arrive first.
process.exitCode = await run(process.argv.slice(2));
