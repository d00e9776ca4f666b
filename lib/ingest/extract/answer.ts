import { CandidateSchema } from '../candidate.js';
import { wellFormed } from '../../model/text.js';
import { jsonIn } from './json-in-text.js';

/** An answer as it was read. */
export interface ReadAnswer {
  /** Candidates, tidied; those that are none as they came. */
  readonly candidates: readonly unknown[];
  /** How many of them have the form of a candidate. */
  readonly good: number;
  /** What is wrong with it, in words that a model can act on; none for a valid answer. */
  readonly problems: readonly string[];
}

/** Problems that a model is told about. */
const TOLD = 8;
/** Candidates of one answer: nobody says more in one turn, and what follows is rambling. */
const CANDIDATES = 200;

const bad = (problem: string): ReadAnswer => ({ candidates: [], good: 0, problems: [problem] });

/** Reads what a model answered. Never throws, whatever it is. */
export function readAnswer(text: string): ReadAnswer {
  if (text.trim() === '') return bad('The answer was empty.');
  const values = jsonIn(text);
  if (values.length === 0) return bad('The answer holds no JSON that is valid and complete.');
  // Who thinks aloud first answers last; a bare list in the prose around is not the answer.
  const list =
    listOf(
      values.findLast((v) => isObject(v) && Array.isArray(v['candidates'])),
      0,
    ) ??
    values.map((v) => listOf(v, 0)).findLast((l) => l !== null) ??
    null;
  if (list === null) return bad('The JSON has no member "candidates" that is a list.');
  const candidates = list.slice(0, CANDIDATES).map(tidied);
  const problems: string[] = [];
  let good = 0;
  for (const [i, candidate] of candidates.entries()) {
    const { error } = CandidateSchema.safeParse(candidate);
    if (error === undefined) good += 1;
    else {
      const [issue] = error.issues;
      problems.push(`candidates[${i}].${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
    }
  }
  return { candidates, good, problems: problems.slice(0, TOLD) };
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a call of a tool carries its answer in. */
const CARRIERS = ['arguments', 'parameters', 'input', 'function', 'tool_calls'];
const DEEPEST = 6;

/** The list of candidates, wherever a model has put it; `null` when there is none. */
function listOf(value: unknown, depth: number): readonly unknown[] | null {
  if (depth > DEEPEST) return null;
  if (typeof value === 'string') {
    const inner = jsonIn(value).at(-1);
    return inner === undefined || typeof inner === 'string' ? null : listOf(inner, depth + 1);
  }
  if (Array.isArray(value)) {
    const [first] = value;
    if (value.length === 1 && isObject(first) && !('action' in first)) {
      return listOf(first, depth + 1);
    }
    return value.every(isObject) ? value : null;
  }
  if (!isObject(value)) return null;
  if (Array.isArray(value['candidates'])) return value['candidates'];
  if ('action' in value && 'subject' in value) return [value];
  for (const carrier of CARRIERS) {
    if (carrier in value) return listOf(value[carrier], depth + 1);
  }
  const members = Object.values(value);
  return members.length === 1 && typeof members[0] === 'object'
    ? listOf(members[0], depth + 1)
    : null;
}

const MEMBERS = Object.keys(CandidateSchema.shape);
/** Where the text "null" can mean nothing else. */
const OPTIONAL: ReadonlySet<string> = new Set([
  'subjectType',
  'objectType',
  'validFrom',
  'validTo',
  'statement',
  'target',
]);
const KINDS: ReadonlySet<unknown> = new Set(CandidateSchema.shape.objectKind.unwrap().options);

/** What is plain is put right without asking again; nothing is made up. */
function tidied(value: unknown): unknown {
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const member of MEMBERS) {
    const given = Object.hasOwn(value, member) ? value[member] : null;
    out[member] = tidiedMember(member, given);
  }
  if (out['objectKind'] === null && value['objectKind'] === undefined) {
    const { object } = value;
    if (typeof object === 'number' || typeof object === 'boolean')
      out['objectKind'] = typeof object;
  }
  return out;
}

function tidiedMember(member: string, value: unknown): unknown {
  if (typeof value === 'string') {
    const text = wellFormed(value);
    if (member === 'action') return text.trim().toLowerCase();
    if (member === 'objectKind') return KINDS.has(text) ? text : null;
    if (member === 'seq' || member === 'confidence') {
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    }
    // Models write the word where they mean the value.
    return OPTIONAL.has(member) && /^\s*(?:null|none)?\s*$/iu.test(text) ? null : text;
  }
  const isText = member !== 'seq' && member !== 'confidence';
  if (isText && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  return value;
}
