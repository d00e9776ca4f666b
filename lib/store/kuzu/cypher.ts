import { PalimpsestError } from '../../model/errors.js';

/**
 * Lets a caller's query through when it only reads. The engine refuses writes as well, within a read-only transaction; but it
 * takes `COPY … TO 'file'`, `LOAD FROM 'file'`, settings and extensions for reading, so these words are refused here.
 */
const REFUSED = new Set(
  `ALTER ATTACH BEGIN CHECKPOINT COMMENT COMMIT COPY CREATE DELETE DETACH DROP EXPLAIN EXPORT FORCE IMPORT INSERT INSTALL LOAD MERGE
   MACRO PROFILE PROJECT REMOVE ROLLBACK SET START TRANSACTION UNINSTALL UPDATE USE`.split(/\s+/),
);

const FIRST = new Set(['MATCH', 'OPTIONAL', 'UNWIND', 'WITH', 'RETURN', 'CALL']);

/** What `CALL` may name: it looks at the graph's form, and changes nothing. */
const CALLABLE = new Set([
  'SHOW_TABLES',
  'TABLE_INFO',
  'SHOW_CONNECTION',
  'DB_VERSION',
  'SHOW_FUNCTIONS',
]);

type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'param'; readonly text: string }
  | { readonly kind: 'sign'; readonly text: string };

/**
 * Checks that a query has one statement, which reads, and gets every parameter it names.
 *
 * @throws PalimpsestError `INVALID_INPUT` with field `cypher`, or the parameter's name
 */
export function checkCypher(text: string, params: Readonly<Record<string, unknown>>): void {
  const tokens = tokensOf(text);
  const first = tokens[0];
  if (first?.kind !== 'word' || !FIRST.has(first.text.toUpperCase())) {
    throw refusal(`A query starts with one of ${[...FIRST].join(', ')}.`);
  }
  const end = tokens.findIndex((t) => t.kind === 'sign' && t.text === ';');
  if (end !== -1 && tokens.slice(end).some((t) => t.text !== ';'))
    throw refusal('Only one statement at a time.');
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== 'word') continue;
    const word = token.text.toUpperCase();
    if (REFUSED.has(word) && !isName(tokens, i))
      throw refusal(`${word} is not allowed: the graph is read-only here.`);
    if (word === 'CALL' && !isName(tokens, i)) checkCall(tokens[i + 1]);
  }
  checkNames(new Set(tokens.filter((t) => t.kind === 'param').map((t) => t.text)), params);
}

function checkCall(target: Token | undefined): void {
  // `CALL {…}` is a subquery, whose words are looked at like all others.
  if (target?.text === '{') return;
  if (target?.kind !== 'word' || !CALLABLE.has(target.text.toUpperCase())) {
    throw refusal(`CALL may name ${[...CALLABLE].join(', ').toLowerCase()} only.`);
  }
}

/** The engines fill in null for a parameter that is missing, or ignore one too many. */
function checkNames(named: ReadonlySet<string>, params: Readonly<Record<string, unknown>>): void {
  for (const name of named) {
    if (!Object.hasOwn(params, name))
      throw new PalimpsestError('INVALID_INPUT', `Parameter ${name} is missing.`, { field: name });
  }
  for (const name of Object.keys(params)) {
    if (!named.has(name))
      throw new PalimpsestError('INVALID_INPUT', `The query has no parameter ${name}.`, {
        field: name,
      });
  }
}

/** After a dot, a colon or AS, or before a colon, a word names a property, a label, a column or a map's key. */
function isName(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]?.text.toUpperCase();
  return before === '.' || before === ':' || before === 'AS' || tokens[i + 1]?.text === ':';
}

const TOKEN =
  /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|`[^`]*`|\$(?<param>[\p{L}\p{N}_]+)|(?<word>[\p{L}_][\p{L}\p{N}_]*)|[\p{N}]+|(?<sign>[^\s])/guy;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const { groups } of text.matchAll(TOKEN)) {
    if (groups === undefined) continue;
    const { param, word, sign } = groups;
    // Outside of a whole text a quotation mark opens one that never ends: what follows could not be judged.
    if (sign === "'" || sign === '"' || sign === '`')
      throw refusal('A quotation mark is not closed.');
    if (param !== undefined) tokens.push({ kind: 'param', text: param });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
  }
  return tokens;
}

const refusal = (message: string): PalimpsestError =>
  new PalimpsestError('INVALID_INPUT', message, { field: 'cypher' });
