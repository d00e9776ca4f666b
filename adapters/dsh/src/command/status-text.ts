import type { MemoryEngine } from '../engine/engine.js';
import type { Status } from '../status.js';

/** What is captured, what waits, how old it is, and what failed and why. */
export async function statusText(status: Status, engine: MemoryEngine | null): Promise<string> {
  const { off, turns, events, pending, lastCapture, injected, timedOut, gone, failures } = status;
  const lines =
    off === null
      ? [
          `Capture is on: ${turns} turns, ${events} events since the start, ${pending} on their way.`,
        ]
      : [`CAPTURE IS OFF: ${off}`];
  if (lastCapture !== null) lines.push(`Last: ${lastCapture.session} at ${lastCapture.at}.`);
  if (engine !== null) {
    const h = await engine.health();
    const age =
      h.oldestWaiting === null ? '' : `, the oldest for ${Math.round(h.oldestWaiting / 1000)} s`;
    lines.push(
      `Extraction is ${h.state}${h.reason === null ? '' : ` (${h.reason})`}: ${h.queued} jobs wait${age}, ${h.running} run, ${h.failed} failed, ${h.held} with claims held for review.`,
      `${h.facts} facts are believed, after ${h.transactions} transactions.`,
    );
  }
  lines.push(`Recall: ${injected} times shown, ${timedOut} times too late.`);
  if (gone.length > 0) lines.push(`Logs that are gone: ${gone.join(', ')}.`);
  for (const { at, what, why } of failures) lines.push(`Failed at ${at}: ${what}: ${why}`);
  return lines.join('\n');
}
