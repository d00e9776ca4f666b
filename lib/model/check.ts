import type { z } from 'zod';
import { ERROR_CODES, PalimpsestError, type ErrorCode } from './errors.js';

const isCode = (value: unknown): value is ErrorCode => ERROR_CODES.some((code) => code === value);

/** `['evidence', 0, 'session']` as `evidence[0].session`. */
function fieldName(path: readonly PropertyKey[], root: string): string {
  let out = root;
  for (const step of path) {
    if (typeof step === 'number') out += `[${step}]`;
    else out += out === '' ? String(step) : `.${String(step)}`;
  }
  return out;
}

/** What a field's own kind of error is, where the schema names none. */
const CODE_BY_FIELD: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^evidence/u, 'INVALID_EVIDENCE'],
  [/^(selector\.)?(scope|to$|to\.|org$|project$|user$|agent$)/u, 'INVALID_SCOPE'],
  [/(^|\.)id$|^(was|fact|claim|after|snapshot)$|^corrects/u, 'INVALID_ID'],
  [/^confidence$/u, 'INVALID_CONFIDENCE'],
  [/^object/u, 'INVALID_OBJECT'],
  [/^ontology/u, 'INVALID_ONTOLOGY'],
];

/**
 * The door for everything that comes from outside: the parsed value, or an error that names the field.
 *
 * @throws PalimpsestError with the code that the schema or the field calls for.
 */
export function check<S extends z.ZodType>(schema: S, value: unknown, root = ''): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = deepest(result.error.issues);
  const field = fieldName(issue.path, root);
  const params: unknown = 'params' in issue ? issue.params : undefined;
  const named =
    typeof params === 'object' && params !== null && 'code' in params ? params.code : undefined;
  const code = isCode(named)
    ? named
    : (CODE_BY_FIELD.find(([pattern]) => pattern.test(field))?.[1] ?? 'INVALID_INPUT');
  throw new PalimpsestError(code, `${field === '' ? 'The input' : field}: ${inWords(issue)}.`, {
    field,
  });
}

type Issue = z.core.$ZodIssue;

/** What zod says, where that means something to who has not read the schema. */
function inWords(issue: Issue): string {
  if (issue.message.endsWith('received undefined')) return 'is missing';
  if (issue.code === 'invalid_union') return 'is of none of the accepted forms';
  return issue.message;
}

/** Of a union's many complaints, the one which got furthest into the value. */
function deepest(issues: readonly Issue[]): Issue {
  let best: Issue | undefined;
  for (const issue of issues) {
    let candidate = issue;
    if (issue.code === 'invalid_union') {
      const inner = issue.errors
        .filter((errors) => errors.length > 0)
        .map((errors) => deepest(errors))
        .sort((a, b) => b.path.length - a.path.length || rank(b) - rank(a))[0];
      if (inner !== undefined && (inner.path.length > 0 || rank(inner) > 0)) {
        candidate = { ...inner, path: [...issue.path, ...inner.path] };
      }
    }
    if (best === undefined || rank(candidate) > rank(best)) best = candidate;
  }
  if (best === undefined) throw new Error('A failed parse without an issue.');
  return best;
}

/** Our own refinements say more than a mismatch of types. */
const rank = (issue: Issue): number => (issue.code === 'custom' ? 1 : 0);
