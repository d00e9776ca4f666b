import { setTimeout as sleep } from 'node:timers/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  openMemory,
  PalimpsestError,
  readSession,
  type EventInput,
  type Memory,
  type OpenOptions,
  type Scope,
} from 'palimpsest';
import { remembering } from 'palimpsest/tools';
import { z } from 'zod';
import { readRollout } from './rollout.js';

/** What Claude Code and Codex write to a hook's stdin, as far as it is used here. */
const EventSchema = z.object({
  hook_event_name: z.string(),
  session_id: z.string().min(1),
  cwd: z.string().min(1),
  transcript_path: z.string().nullish(),
  prompt: z.string().nullish(),
});

/** What both hosts read from a hook's stdout. */
export interface HookAnswer {
  readonly hookSpecificOutput: {
    readonly hookEventName: 'UserPromptSubmit';
    readonly additionalContext: string;
  };
}

/** Pauses, in milliseconds, before a store that another process holds is tried again. */
const RETRIES = [250, 1_000, 4_000, 15_000];

/** What is known about a prompt, or `null` where there is nothing, or no memory to be had. */
export async function recallFor(
  event: unknown,
  args: readonly string[] = [],
): Promise<HookAnswer | null> {
  const { prompt, session_id: session, cwd } = EventSchema.parse(event);
  if (typeof prompt !== 'string' || prompt.trim() === '') return null;
  const { open, scope } = placeOf(args, cwd);
  await using memory = await openMemory(open);
  const memorizer = remembering({ memory: memory.in(scope), session, deadlineMs: 1_500 });
  const recalled = await memorizer.recall(prompt);
  if (recalled === null) return null;
  return {
    hookSpecificOutput: {
      hookEventName: 'UserPromptSubmit',
      additionalContext: recalled.text,
    },
  };
}

/** Takes in what a session's transcript holds; what was taken in before is left out. Returns how many events are new. */
export async function keep(event: unknown, args: readonly string[] = []): Promise<number> {
  const { transcript_path: path, session_id: session, cwd } = EventSchema.parse(event);
  if (typeof path !== 'string' || path === '') return 0;
  const events = await eventsOf(path, session);
  if (events.length === 0) return 0;
  const { open, scope } = placeOf(args, cwd);
  await using memory = await openWhenFree(open);
  let taken = 0;
  for (const some of bySession(events)) {
    taken += (await memory.in(scope).ingest(some)).seqs.length;
  }
  return taken;
}

async function eventsOf(path: string, session: string): Promise<readonly EventInput[]> {
  const rollout = await readRollout(path, session);
  if (rollout !== null) return rollout;
  const events: EventInput[] = [];
  for await (const reading of readSession(path, { format: 'claude-code' })) {
    if (reading.kind === 'event') events.push(reading.event);
  }
  return events;
}

function bySession(events: readonly EventInput[]): Iterable<readonly EventInput[]> {
  const groups = new Map<string, EventInput[]>();
  for (const event of events) {
    const group = groups.get(event.session);
    if (group === undefined) groups.set(event.session, [event]);
    else group.push(event);
  }
  return groups.values();
}

async function openWhenFree(open: OpenOptions): Promise<Memory> {
  for (const pause of RETRIES) {
    try {
      return await openMemory(open);
    } catch (error) {
      if (!(PalimpsestError.isInstance(error) && error.code === 'STORE_LOCKED')) throw error;
    }
    await sleep(pause);
  }
  return openMemory(open);
}

interface HookPlace {
  readonly open: OpenOptions;
  readonly scope: Scope;
}

/** `--store <folder>` and `--scope org=…,user=…`; the project is the working folder unless it is said. */
function placeOf(args: readonly string[], cwd: string): HookPlace {
  const path =
    valueOf(args, '--store') ??
    process.env['PALIMPSEST_STORE'] ??
    join(homedir(), '.palimpsest', 'store');
  const said = valueOf(args, '--scope') ?? process.env['PALIMPSEST_SCOPE'] ?? 'org=local';
  const dimensions = said.split(',').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1)] as const;
  });
  const { org = '', ...others } = Object.fromEntries(dimensions);
  return { open: { path, graph: 'none' }, scope: { org, project: cwd, ...others } };
}

function valueOf(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at < 0 ? undefined : args[at + 1];
}
