import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const victim = fileURLToPath(new URL('./victim.ts', import.meta.url));
const start = `import('vite').then((v) => v.runnerImport(process.argv[1], { configFile: false })).then((m) => m.module.main(JSON.parse(process.argv[2])))`;

/** Runs victim.ts in a process of its own. */
export function startVictim(input: object): ChildProcess {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return spawn(process.execPath, ['-e', start, victim, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
}

/** Kills it at once `ms` after it prints `ready`; resolves when it is gone. */
export async function killAfter(child: ChildProcess, ms: number): Promise<void> {
  const gone = once(child, 'exit');
  if (child.stdout !== null) {
    for await (const piece of child.stdout) if (String(piece).includes('ready')) break;
  }
  setTimeout(() => child.kill('SIGKILL'), ms);
  await gone;
}
