import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

const lockOwner = z.object({
  pid: z.number().int().positive(),
  /** Tells a process from a later one with its number; `null` where the system does not say. */
  started: z.string().nullable(),
  host: z.string(),
  state: z.enum(['held', 'released']),
});

export type LockOwner = Readonly<z.infer<typeof lockOwner>>;

export function thisProcess(): LockOwner {
  return {
    pid: process.pid,
    started: readProcess(process.pid)?.started ?? null,
    host: hostname(),
    state: 'held',
  };
}

/** The owner a lock file names, `null` when it names none. */
export function readOwner(text: string): LockOwner | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return lockOwner.safeParse(value).data ?? null;
}

/**
 * Whether a process of this machine is running still; when in doubt it is. `ending` is for a moment only: it
 * was killed, and some thread of it is yet to go.
 */
export function livenessOf({ pid, started }: LockOwner): 'running' | 'ending' | 'ended' {
  if (!exists(pid)) return 'ended';
  const found = readProcess(pid);
  // Where the system tells nothing, or it has ended since the line above.
  if (found === null) return exists(pid) ? 'running' : 'ended';
  return started === null || started === found.started ? found.liveness : 'ended';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and another user's.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

interface FoundProcess {
  readonly started: string;
  /** `ended` here: its parent has not noticed yet. */
  readonly liveness: 'running' | 'ending' | 'ended';
}

/** What Linux tells of a process; `null` elsewhere, and when it is gone. */
function readProcess(pid: number): FoundProcess | null {
  let stat: string;
  let boot: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return null;
  }
  // The second field is the name in parentheses, which may itself hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const hasEnded = state === 'Z' || state === 'X';
  // Counted from the third: field 20 is the count of threads, field 22 the start in ticks since boot.
  const hasThreads = Number(fields[17]) > 1;
  return {
    started: `${boot}:${fields[19]}`,
    liveness: hasEnded ? (hasThreads ? 'ending' : 'ended') : 'running',
  };
}
