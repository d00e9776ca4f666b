import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Config } from '../config.js';
import type { Scope } from '../engine/vocabulary.js';
import type { HostHeader } from './types.js';

/** The same folder is the same project, by whatever link or subfolder a session came to it. */
export function projectOf(cwd: string): string {
  const real = realPath(cwd);
  for (let folder = real; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return real;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A folder that is gone is still the one that the session was in.
    return path;
  }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

export const isSubagent = (header: HostHeader): boolean =>
  header.origin === 'subagent' || (header.delegationDepth ?? 0) > 0;

/**
 * What a session of this header sees, or `null` when it has no memory: it is outside of the configured
 * workspaces, or a sub-agent's where those are not listened to.
 */
export function scopeOf(header: HostHeader, config: Config): Scope | null {
  if (isSubagent(header) && !config.subagents) return null;
  const user = config.user === undefined ? {} : { user: config.user };
  const agent = header.agentPreset === undefined ? {} : { agent: header.agentPreset };
  // Without a folder it is of no project: the person's own, or nobody's.
  if (header.cwd === undefined) {
    const isOpen = config.workspaces === undefined && config.user !== undefined;
    return isOpen ? { org: config.org, ...user, ...agent } : null;
  }
  const project = projectOf(header.cwd);
  if (config.workspaces === undefined) return { org: config.org, project, ...user, ...agent };
  const cwd = realPath(header.cwd);
  const [best] = config.workspaces
    .map((w) => (typeof w === 'string' ? { path: w } : w))
    .map((w) => ({ ...w, path: realPath(w.path) }))
    .filter((w) => isWithin(cwd, w.path))
    .sort((a, b) => b.path.length - a.path.length);
  if (best === undefined) return null;
  return {
    org: best.org ?? config.org,
    project: best.project ?? project,
    ...(best.user === undefined ? user : { user: best.user }),
    ...agent,
  };
}

/** Where what was said goes: the same scope, for every agent. */
export const writeScope = ({ org, project, user }: Scope): Scope => ({
  org,
  ...(project === undefined ? {} : { project }),
  ...(user === undefined ? {} : { user }),
});
