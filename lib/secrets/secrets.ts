import { PalimpsestError } from '../model/errors.js';
import { lint } from './engine.js';
import { fold } from './fold.js';
import { piecesOf } from './pieces.js';
import { matches, type SecretFound } from './rule.js';
import { SHAPES } from './shapes.js';
import { WORDS } from './words.js';

export { fieldsOf } from './fields.js';
export type { SecretFound } from './rule.js';

/** A field's path, and the text that stands in it. */
export type FieldText = readonly [field: string, text: string];

/** No credential is without one of these: most text has none, and costs one scan. */
const SUSPICIOUS =
  /[A-Za-z0-9+/=_-]{16}|:\/\/[^\s/:@]{0,128}:[^\s@]{1,256}@|-----BEGIN|pass|pwd|\bpw\b|\bpin\b|secret|token|key|credential|bearer|authorization|sig=|密码|口令|暗号|密碼|密钥|秘钥|令牌|凭证|凭据|密鑰|金鑰/iu;
const TELLING =
  /pass|pwd|\bpw\b|\bpin\b|secret|token|key|credential|bearer|密码|口令|暗号|密碼|密钥|秘钥|令牌|凭证|凭据|密鑰|金鑰/iu;

/** What the engine's rules start from: long runs, and addresses with a name and a password. */
const FOR_ENGINE = /[A-Za-z0-9+/=_-]{20}|:\/\/[^\s]{0,256}@|-----BEGIN|_authToken/u;

/** An id of ours is long and tells nothing: answers that are handed back are full of them. */
const OWN_ID = /^[cef]_[0-9a-f]{32}$/u;

/** The views of a text in which credentials are looked for: as it is, and as a reader sees it. */
interface View {
  readonly text: string;
  /** `null` for what another view has found. */
  readonly origin: (found: SecretFound) => SecretFound | null;
}

function viewsOf(text: string): readonly View[] {
  const views: View[] = piecesOf(text).map((piece) => ({ text: piece.text, origin: piece.place }));
  const folded = fold(text);
  if (folded === null) return views;
  for (const piece of piecesOf(folded.text)) {
    const origin = (found: SecretFound): SecretFound | null => {
      const placed = piece.place(found);
      if (placed === null) return null;
      const [start, end] = folded.origin(placed.start, placed.end);
      return { kind: placed.kind, start, end };
    };
    views.push({ text: piece.text, origin });
  }
  return views;
}

/** In order; what overlaps is one, of the kind that starts first or whose rule comes first. */
function apart(found: readonly SecretFound[]): readonly SecretFound[] {
  const kept: SecretFound[] = [];
  for (const secret of [...found].sort((a, b) => a.start - b.start)) {
    const last = kept.at(-1);
    if (last === undefined || secret.start >= last.end) kept.push(secret);
    else if (secret.end > last.end) kept[kept.length - 1] = { ...last, end: secret.end };
  }
  return kept;
}

function scan({ text, origin }: View): SecretFound[] {
  if (!SUSPICIOUS.test(text)) return [];
  const rules = TELLING.test(text) ? [...SHAPES, ...WORDS] : SHAPES;
  return rules.flatMap((rule) => [...matches(rule, text)].flatMap((found) => origin(found) ?? []));
}

/**
 * Credentials in a text, by our own rules, without waiting: keys and tokens that are told by their shape,
 * private keys, connection strings, and what is said to be a password or looks like one next to such a
 * word. Letters in disguise (full-width, with characters of no width between them) are read as they look.
 *
 * @example
 * findSecrets('the password is hunter2') // [{ kind: 'password', start: 16, end: 23 }]
 */
export const findSecrets = (text: string): readonly SecretFound[] =>
  apart(viewsOf(text).flatMap(scan));

/** `findSecrets`, and secretlint's recommended rules over text that might hold something for them. */
export async function findAllSecrets(text: string): Promise<readonly SecretFound[]> {
  if (OWN_ID.test(text)) return [];
  const views = viewsOf(text);
  const found = views.flatMap(scan);
  for (const view of views) {
    if (FOR_ENGINE.test(view.text)) {
      found.push(...(await lint(view.text)).flatMap((secret) => view.origin(secret) ?? []));
    }
  }
  return apart(found);
}

/** Names of fields and predicates come again with every claim: what of them is harmless is looked at once. */
const HARMLESS = 1024;
const SHORT = 32;
const harmless = new Set<string>();

/** Nothing in it that any rule starts from. */
function isHarmless(text: string): boolean {
  if (harmless.has(text) || OWN_ID.test(text)) return true;
  const is = viewsOf(text).every((v) => !SUSPICIOUS.test(v.text) && !FOR_ENGINE.test(v.text));
  if (is && text.length <= SHORT) {
    if (harmless.size >= HARMLESS) harmless.clear();
    harmless.add(text);
  }
  return is;
}

function refusal(field: string, { kind }: SecretFound): PalimpsestError {
  // A path may hold names from the input, and they may hold what was found.
  const named = field.length > 120 || findSecrets(field).length > 0 ? 'a field' : field;
  return new PalimpsestError('SECRET_REFUSED', `${named} holds a credential (${kind}).`, {
    field: named,
    hint: 'Say where it is kept, not what it is.',
  });
}

/**
 * The check of every door that cannot wait, by `findSecrets`.
 *
 * @throws PalimpsestError `SECRET_REFUSED`, naming the field and the kind, and nothing of the value.
 * @example
 * ensureNoSecrets([['statement', 'The password is rotated monthly']]) // passes
 */
export function ensureNoSecrets(fields: Iterable<FieldText>): void {
  for (const [field, text] of fields) {
    const [found] = findSecrets(text);
    if (found !== undefined) throw refusal(field, found);
  }
}

/**
 * The check of every door, by `findAllSecrets`.
 *
 * @throws PalimpsestError `SECRET_REFUSED`, naming the field and the kind, and nothing of the value.
 * @example
 * await checkSecrets(fieldsOf({ subject: 'shop', predicate: 'database', object: 'Postgres 16' }))
 */
export async function checkSecrets(fields: Iterable<FieldText>): Promise<void> {
  for (const [field, text] of fields) {
    // Waiting takes longer than looking, and nearly every text holds nothing to look at.
    if (isHarmless(text)) continue;
    const [found] = await findAllSecrets(text);
    if (found !== undefined) throw refusal(field, found);
  }
}
