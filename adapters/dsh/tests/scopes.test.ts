import { expect, test } from 'vitest';
import { resolveConfig } from '../src/config.js';
import { scopeOf, writeScope } from '../src/host/project.js';
import type { HostHeader } from '../src/host/types.js';
import { makeHome } from './support/workspace.js';

const header = (more: Partial<HostHeader>): HostHeader => ({
  version: 0,
  id: 's-1',
  createdAt: 0,
  ...more,
});

test('the preset of an agent is a dimension of what it reads, and not of what is said', () => {
  const cwd = makeHome().project('shop');
  const scope = scopeOf(header({ cwd, agentPreset: 'coder' }), resolveConfig({ user: 'ana' }));
  expect(scope).toMatchObject({ org: 'local', user: 'ana', agent: 'coder' });
  expect(scope === null ? null : writeScope(scope)).not.toHaveProperty('agent');
});

test('a session without a folder is of the person, or has no memory', () => {
  expect(scopeOf(header({}), resolveConfig({ user: 'ana' }))).toEqual({
    org: 'local',
    user: 'ana',
  });
  expect(scopeOf(header({}), resolveConfig({}))).toBe(null);
  expect(scopeOf(header({}), resolveConfig({ user: 'ana', workspaces: ['/shop'] }))).toBe(null);
});

test('of nested workspaces the nearest counts, and a folder with the same beginning is another one', () => {
  const home = makeHome();
  const [shop, shopTwo] = [home.project('shop'), home.project('shop-2')];
  const config = resolveConfig({
    workspaces: [shop, { path: `${shop}/.git`, project: 'inner', org: 'acme', user: 'ben' }],
  });
  expect(scopeOf(header({ cwd: shop }), config)).toMatchObject({ org: 'local' });
  expect(scopeOf(header({ cwd: `${shop}/.git` }), config)).toEqual({
    org: 'acme',
    project: 'inner',
    user: 'ben',
  });
  expect(scopeOf(header({ cwd: shopTwo }), config)).toBe(null);
});

test('sub-agents have a memory only where that is wanted', () => {
  const cwd = makeHome().project('shop');
  const child = header({ cwd, origin: 'subagent', delegationDepth: 1 });
  expect(scopeOf(child, resolveConfig({}))).toBe(null);
  expect(scopeOf(child, resolveConfig({ subagents: true }))).not.toBe(null);
  expect(scopeOf(header({ cwd, delegationDepth: 1 }), resolveConfig({}))).toBe(null);
});
