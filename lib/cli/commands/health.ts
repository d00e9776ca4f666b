import { Command } from 'commander';
import type { Health } from '../../index.js';
import { EXIT } from '../failure.js';
import { withMemory, withStore, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { tableLines } from '../table.js';

export function healthCommand(done: (exit: number) => void): Command {
  return withStore(new Command('health'))
    .description(
      'whether what came in was processed; exits with 1 when something failed or waits in vain',
    )
    .action(async (flags: CommonOptions) => {
      const output = new Output(flags.json ?? false);
      await withMemory(flags, async (memory) => {
        const told = await memory.health();
        // This command has no extractor of its own; what counts is what others have left.
        const health: Health = { ...told, state: told.reason === null ? 'ok' : 'degraded' };
        if (health.state === 'degraded') done(EXIT.failed);
        if (output.json) return output.document(health);
        await output.lines(healthLines(health, output));
      });
    });
}

function healthLines(health: Health, output: Output): string[] {
  const { state, queued, running, held, failed, oldestWaiting, reason, vectors } = health;
  const rows = [
    ['state', output.style(state === 'ok' ? 'green' : 'red', state)],
    ['queued', String(queued + running)],
    ['held for a review', String(held)],
    ['failed', String(failed)],
    ['oldest waiting', oldestWaiting === null ? 'nothing' : ageText(oldestWaiting)],
    ...(reason === null ? [] : [['reason', reason]]),
    ...(vectors.stored === null ? [] : [['vectors of', vectors.stored.model]]),
  ];
  return tableLines([{ title: '' }, { title: '' }], rows, output).slice(1);
}

function ageText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
