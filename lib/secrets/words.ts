import { entropy, HASHED, isHarmless, isPlaceholder, isSlug, UUID, variety } from './look.js';
import type { SecretRule } from './rule.js';

const PASSWORD = String.raw`pass(?:word|wd|phrase|code)?s?|pwd|pw|pin(?: code)?|密码|口令|暗号|密碼`;
const KEY = String.raw`secrets?|tokens?|api[ _-]?keys?|access[ _-]?keys?|private[ _-]?keys?|secret[ _-]?keys?|signing[ _-]?keys?|encryption[ _-]?keys?|auth[ _-]?keys?|account[ _-]?keys?|client[ _-]?secrets?|credentials?|bearer|密钥|秘钥|令牌|凭证|凭据|密鑰|金鑰`;

/** The word, perhaps inside a name such as DB_PASSWORD_PROD, and not the start of another word. */
const named = (words: string): string =>
  String.raw`(?<![A-Za-z])(?:[A-Za-z0-9]{1,20}[_.-]){0,4}(?:${words})(?:[_-](?:prod|production|dev|staging|live|test|value|hex|b64|base64|\d{1,3}))?(?![A-Za-z_-])["'’${'`'}」”]?`;

/** What joins the word and the value. */
const JOIN = String.raw`\s*(?:[:：=]=?>?|is|was|are|=|->|→|就?是|为|為|改[成为]了?|[设設]置?[成为]了?|更新为|叫)\s*(?:still|now|just|currently|set to|仍然|现在)?\s*[:：]?\s*`;
const QUOTE = String.raw`["'${'`'}“‘「『(（]?`;
const VALUE = String.raw`(?<value>[\x21-\x7E]{4,512})`;

/** What closes the sentence or the quotes around a value. */
const CLOSING = /[.,;:)\]}"'`”>]+$/u;

const rule = (kind: string, source: string, accepts: SecretRule['accepts'] & {}): SecretRule => ({
  kind,
  pattern: new RegExp(source, 'dgiu'),
  closing: CLOSING,
  accepts: (value, match) => accepts(trimmed(value), match),
});

const trimmed = (value: string): string => value.replace(/^["'`“(]+/u, '').replace(CLOSING, '');

/** Words that follow "password:" in forms and documents. */
const isDigits = (value: string): boolean =>
  /^\d{4,12}$/u.test(value) && !/^(?:19|20)\d\d$/u.test(value);

function isPassword(value: string, match: RegExpMatchArray): boolean {
  if (value.length < 4 || isPlaceholder(value)) return false;
  if (isDigits(value)) return true;
  if (value.length < 5 || isHarmless(value)) return isGlued(value, match);
  return (
    variety(value) >= 2 &&
    (/\d/u.test(value) || (/[^A-Za-z]/u.test(value) && /[^A-Za-z\s._'’/:,;-]/u.test(value)))
  );
}

/** `password=swordfish`: a word, but where only a value can be. */
const isGlued = (value: string, match: RegExpMatchArray): boolean =>
  /^[A-Za-z]{6,}$/u.test(value) &&
  /(?:=["'`]?|[:：]\s?["'`“])$/u.test(before(match)) &&
  !FIELDS.test(value);

const FIELDS =
  /^(?:required|optional|string|number|boolean|hidden|unknown|changed|rotated|expired|missing|invalid|default|random|varchar|SecretStr|disabled|enabled|prompt|generated|encrypted|hashed|stored)$/iu;

const before = (match: RegExpMatchArray): string => {
  const value = match.groups?.['value'] ?? '';
  return match[0].slice(0, match[0].length - value.length);
};

const lead = (match: RegExpMatchArray): string =>
  `${(match.input ?? '').slice(Math.max(0, (match.index ?? 0) - 80), match.index)}${before(match)}`;

function isKey(value: string): boolean {
  if (value.length < 8 || isHarmless(value) || isSlug(value)) return false;
  return /\d/u.test(value) && /[A-Za-z]/u.test(value) && entropy(value) >= 2.5;
}

/** Near the word, but not said to be it: it must look drawn at random, and be no hash of something. */
function isNear(value: string, match: RegExpMatchArray): boolean {
  if (value.length < 16 || isHarmless(value) || isSlug(value) || UUID.test(value)) return false;
  if (HASHED.test(lead(match))) return false;
  return variety(value) >= 2 && /\d/u.test(value) && /[A-Za-z]/u.test(value) && entropy(value) >= 3;
}

const isNamedKey = (value: string, match: RegExpMatchArray): boolean =>
  isKey(value) && !HASHED.test(lead(match)) && !/\barn:\S*$/u.test(lead(match));

const FOR = String.raw`(?:\s+(?:for|of|to|on|in|at)\s[^\n.:=]{1,40}?)?`;

/** "password hunter2": letters and figures in one, right after the word. */
const isMixed = (value: string, match: RegExpMatchArray): boolean =>
  value.length >= 6 && /\d/u.test(value) && /[A-Za-z]/u.test(value) && isPassword(value, match);

/** dbPassword, apiKey: only here do capitals matter. */
const camel = (kind: string, words: string, accepts: SecretRule['accepts'] & {}): SecretRule => ({
  ...rule(kind, '', accepts),
  pattern: new RegExp(
    String.raw`(?<![A-Za-z])[a-z][A-Za-z0-9]{0,24}(?:${words})["'${'`'}]?\s*[:=]\s*${QUOTE}${VALUE}`,
    'dgu',
  ),
});

const OWNER = String.raw`(?:the|my|our|his|her|their|your)\s+(?:[a-z]+\s+){0,3}`;

export const WORDS: readonly SecretRule[] = [
  rule('password', `${named(PASSWORD)}${FOR}${JOIN}${QUOTE}${VALUE}`, isPassword),
  camel('password', 'Password|Passwd|Passphrase|Pwd', isPassword),
  rule(
    'password',
    String.raw`(?<![A-Za-z])(?:password|passwd|pwd|passphrase)\s+(?:[-–]\s+)?${QUOTE}${VALUE}`,
    isMixed,
  ),
  // 密码 abc123
  rule('password', String.raw`(?:密码|口令|密碼)\s*${VALUE}`, isPassword),
  rule('secret', `${named(KEY)}${FOR}${JOIN}${QUOTE}${VALUE}`, isNamedKey),
  camel('secret', 'Secret|Token|ApiKey|AccessKey|PrivateKey|SecretKey', isNamedKey),
  rule(
    'password',
    String.raw`(?<![\x21-\x7E])(?<value>[\x21-\x7E]{5,128})["'’”]?\s*(?:(?:is|was|as)\s+${OWNER}(?:password|passphrase|passwd|pwd)|(?:就是|是|当作?|作为)[^，。,.\n]{0,12}(?:密码|口令))`,
    isPassword,
  ),
  rule(
    'secret',
    String.raw`(?<![A-Za-z0-9+/=_.-])(?<value>[A-Za-z0-9+/=_.~-]{16,512})["'’”]?\s*(?:(?:is|was|as)\s+${OWNER}(?:${KEY})|(?:就是|是|当作?|作为)[^，。,.\n]{0,12}(?:密钥|令牌|凭证))`,
    isNear,
  ),
  rule(
    'secret',
    String.raw`${named(`${PASSWORD}|${KEY}`)}[^\n]{0,40}?(?<![A-Za-z0-9+/=_.-])(?<value>[A-Za-z0-9+/=_.~-]{16,512})`,
    isNear,
  ),
];
