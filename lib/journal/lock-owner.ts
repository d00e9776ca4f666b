import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";

const lockOwner = z.object({
  pid: z.number().int().positive(),
  /** Tells a process from a later one with its number; `null` where the system does not say. */
  started: z.string().nullable(),
  host: z.string(),
  state: z.enum(["held", "released"]),
});

export type LockOwner = Readonly<z.infer<typeof lockOwner>>;

export function thisProcess(): LockOwner {
  return {
    pid: process.pid,
    started: readProcess(process.pid)?.started ?? null,
    host: hostname(),
    state: "held",
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

/** Whether a process of this machine is running still. When in doubt it is. */
export function isAlive({ pid, started }: LockOwner): boolean {
  if (!exists(pid)) return false;
  const found = readProcess(pid);
  // Where the system tells nothing, or it has ended since the line above.
  if (found === null) return exists(pid);
  return !found.ended && (started === null || started === found.started);
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
  /** It has ended, and its parent has not noticed yet. */
  readonly ended: boolean;
}

/** What Linux tells of a process; `null` elsewhere, and when it is gone. */
function readProcess(pid: number): FoundProcess | null {
  let stat: string;
  let boot: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return null;
  }
  // The second field is the name in parentheses, which may itself hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  // Counted from the third: field 20 is the count of threads, field 22 the start in ticks since boot.
  const threads = Number(fields[17]);
  return {
    started: `${boot}:${fields[19]}`,
    ended: (state === "Z" || state === "X") && threads <= 1,
  };
}
