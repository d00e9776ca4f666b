import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '@deepseek-ai/cordis';
import { onTestFinished } from 'vitest';
import * as palimpsest from '../../src/index.js';
import type { ConfigInput, MemoryEngine } from '../../src/index.js';
import type { Otherwise } from './scripted.js';
import { startHost, type Chat, type Host } from './host.js';
import type { Answer } from './scripted.js';

/** A home of the host in a folder of its own: its logs, its memory, and folders of projects. */
export interface Home {
  readonly logs: string;
  readonly memory: string;
  project(name: string): string;
}

export function makeHome(): Home {
  const root = mkdtempSync(join(tmpdir(), 'palimpsest-dsh-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return {
    logs: join(root, 'sessions'),
    memory: join(root, 'memory'),
    project: (name) => {
      const path = join(root, 'projects', name);
      mkdirSync(join(path, '.git'), { recursive: true });
      return path;
    },
  };
}

/** The host with the plugin in it. */
export async function startWithMemory(
  home: Home,
  options: {
    readonly script?: Answer[];
    readonly otherwise?: Otherwise;
    readonly config?: ConfigInput;
    readonly plugins?: readonly (readonly [plugin: object, config?: unknown])[];
  } = {},
): Promise<Host> {
  const { config, script, otherwise, plugins = [] } = options;
  const full: ConfigInput = {
    directory: home.memory,
    graph: 'none',
    ...config,
    extraction: { when: 'now', ...config?.extraction },
    recall: { deadlineMs: 20_000, ...config?.recall },
  };
  return startHost({
    root: home.logs,
    ...(script === undefined ? {} : { script }),
    ...(otherwise === undefined ? {} : { otherwise }),
    plugins: [...plugins, [palimpsest, full]],
  });
}

export const memoryOf = (ctx: Context): MemoryEngine => {
  const found: unknown = ctx.get('memory');
  return found as MemoryEngine;
};

/** Runs the plugin's own command, as a person would. */
export async function command(host: Host, chat: Chat, line: string): Promise<string> {
  const signal = new AbortController().signal;
  const done = await host.ctx.commands.execute(chat.agent, line, [], signal);
  return done?.result.text ?? '';
}

/** Waits until everything that was said is in the memory. */
export async function digested(host: Host, chat: Chat): Promise<void> {
  const told = await command(host, chat, '/memory curate');
  if (!told.includes('jobs done')) throw new Error(told);
  for (;;) {
    const { queued, running } = await memoryOf(host.ctx).health();
    if (queued + running === 0) return;
    await new Promise((done) => {
      setTimeout(done, 5);
    });
  }
}
