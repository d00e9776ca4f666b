import { z } from 'zod';
import { check } from './check.js';
import { LIMITS, text } from './text.js';

/**
 * Where a claim and its facts belong. `org` is the wall between tenants; the others narrow it.
 * Values are opaque strings, compared unit by unit: no patterns, no separators, no folding.
 */
const value = () =>
  text(LIMITS.scopeValue).refine((s) => s !== '', {
    error: 'is empty',
    params: { code: 'INVALID_SCOPE' },
  });

export const ScopeSchema = z
  .strictObject({
    org: value(),
    project: value().optional(),
    user: value().optional(),
    agent: value().optional(),
  })
  .readonly();

export interface Scope {
  readonly org: string;
  readonly project?: string | undefined;
  readonly user?: string | undefined;
  readonly agent?: string | undefined;
}

export const DIMENSIONS = ['org', 'project', 'user', 'agent'] as const;

/** @throws PalimpsestError `INVALID_SCOPE`: missing `org`, empty values, unknown dimensions. */
export const readScope = (input: unknown, field = 'scope'): Scope =>
  check(ScopeSchema, input, field);

/** One text for one scope, and another for any other. Made by JSON, so no value can imitate a border. */
export function scopeKey(s: Scope): string {
  let key = keys.get(s);
  if (key === undefined) {
    key = JSON.stringify([s.org, s.project ?? null, s.user ?? null, s.agent ?? null]);
    if (Object.isFrozen(s)) keys.set(s, key);
  }
  return key;
}

/** Of scopes that cannot change: a handle writes its own with every claim. */
const keys = new WeakMap<Scope, string>();

const KeySchema = z.tuple([
  z.string(),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
]);

export function scopeOfKey(key: string): Scope {
  const [org, project, user, agent] = KeySchema.parse(JSON.parse(key));
  return {
    org,
    ...(project === null ? {} : { project }),
    ...(user === null ? {} : { user }),
    ...(agent === null ? {} : { agent }),
  };
}

/** A handle sees a scope if every dimension which that scope sets has the handle's value. */
export const sees = (handle: Scope, scope: Scope): boolean =>
  DIMENSIONS.every((d) => scope[d] === undefined || scope[d] === handle[d]);

/** Every scope that a handle sees, the most specific first. At most eight. */
export function visibleScopes(handle: Scope): readonly Scope[] {
  const { org } = handle;
  const out: Scope[] = [];
  for (const project of optional(handle.project)) {
    for (const user of optional(handle.user)) {
      for (const agent of optional(handle.agent)) {
        out.push({
          org,
          ...(project === undefined ? {} : { project }),
          ...(user === undefined ? {} : { user }),
          ...(agent === undefined ? {} : { agent }),
        });
      }
    }
  }
  return out.sort((a, b) => specificity(b) - specificity(a));
}

const optional = (value: string | undefined): readonly (string | undefined)[] =>
  value === undefined ? [undefined] : [undefined, value];

/** Higher wins a read: more dimensions first, then user before agent before project. */
export function specificity(s: Scope): number {
  const user = s.user === undefined ? 0 : 1;
  const agent = s.agent === undefined ? 0 : 1;
  const project = s.project === undefined ? 0 : 1;
  return (user + agent + project) * 8 + user * 4 + agent * 2 + project;
}

/** True when `scope` sets fewer dimensions than the handle: writing there reaches more readers. */
export const isBroader = (scope: Scope, handle: Scope): boolean =>
  specificity(scope) < specificity(handle);
