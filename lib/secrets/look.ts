/** What stands where a credential would, in documents and examples. */
const PLACEHOLDERS = [
  /^<[^>]*>?$/u,
  /^\[[\w -]*\]?$/u,
  /^\{.*\}?$/u,
  /^(?:\$\{.*|\$\(.*|\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[sdv]|%\w+%|%\(\w+\)s?)$/u,
  /^\.{2,}|\.{3}$|…/u,
  // One sign over and over.
  /^(.)\1*$/u,
  /[xX]{4}|\*{3}|0{8}|[•●]{3}|EXAMPLE|REDACTED|PLACEHOLDER/u,
  /^(?:sk-)?(?:your|example|dummy|redacted|placeholder|fake)[-_ ]|[-_](?:example|dummy|placeholder|redacted|here)$/iu,
  /^(?:the|my|your|new|old|some|user|admin|db|test)?[-_]?(?:password|passwd|passphrase|pass|pwd|pw|secret|token|key|api[-_]?key|username)$/iu,
  /^(?:changeme|change[-_]me|placeholder|redacted|hidden|dummy|sample|example|test|todo|none|null|nil|undefined|true|false|string|required|optional|empty)$/iu,
  /^(?:process\.env|os\.environ|import\.meta\.env)\b|^env[.(:]|^(?:secrets?|vars|config|settings)\.\w|^vault:/u,
];

/** A word, a variable or a row of crosses where a credential would be. */
export function isPlaceholder(value: string): boolean {
  if (PLACEHOLDERS.some((shape) => shape.test(value))) return true;
  const body = value.replace(/^[A-Za-z]{1,7}[-_]/u, '');
  return body.length >= 8 && new Set(body.toLowerCase()).size <= 3;
}

/** Shannon's measure, in bits a character. */
export function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / value.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}

const hasDigit = (value: string): boolean => /\d/u.test(value);
const hasLetter = (value: string): boolean => /[A-Za-z]/u.test(value);

/** How many of small letters, capitals, digits and other signs a value has. */
export const variety = (value: string): number =>
  [/[a-z]/u, /[A-Z]/u, /\d/u, /[^A-Za-z\d]/u].filter((kind) => kind.test(value)).length;

/** Drawn at random, as far as can be seen: letters and digits, and none of them often. */
export const looksRandom = (value: string): boolean =>
  !isPlaceholder(value) && hasDigit(value) && hasLetter(value) && entropy(value) >= 3;

/** Names of algorithms and formats, which stand next to "password" as often as passwords do. */
const TECHNICAL =
  /^(?:sha-?\d+(?:-\d+)?|sha3-\d+|md[45]|aes-?\d+(?:-\w+)*|rsa-?\d+|argon2(?:id?)?|pbkdf2|base-?(?:32|58|64)(?:url)?|utf-?\d+|oauth-?[12](?:\.0)?|oauth1\.0a|http\/?[123](?:\.\d)?|ed25519|x25519|p-?256|secp256k1|[hre]s(?:256|384|512)|2fa|mfa2?|k8s|ipv[46]|auth0|v\d+|\d+(?:st|nd|rd|th)|i18n|s3|ec2|oidc|saml2?)(?:-\w+)?$/iu;

const HARMLESS = [
  TECHNICAL,
  // Words, joined or not, with or without a case of their own.
  /^[A-Za-z]+(?:[-_./'’:@][A-Za-z]+)*$/u,
  // Dates, times, versions, amounts, telephone numbers.
  /^v?\d[\d.,:/+%$€¥T-]*Z?$/u,
  /^\d{4}-\d\d-\d\d\S*$/u,
  /^\d+(?:\.\d+)?[-_]?(?:[kKMGT]i?[bB]?|ms|s|m|h|d|w|bit|bits|byte|bytes|chars?|characters?|days?|hours?|minutes?|months?|weeks?|years?|times|x)(?:-\w+)*$/u,
  /^\d+-[A-Za-z]+(?:-[A-Za-z]+)*$/u,
  // Ids such as SR-2023-052, and those of our own claims, facts and entities.
  /^[A-Z]{2,8}-\d[\d-]*$/u,
  /^[a-z]_[0-9a-f]{32}$/u,
  // An account on a chain is public; its key is longer.
  /^0x[0-9a-fA-F]{40}$/u,
  // Paths, addresses, and calls of functions.
  /^(?:\.{0,2}|~)\/\S*$/u,
  /^(?:[a-z0-9][a-z0-9._-]{0,30}\/)+[a-z0-9._-]{1,30}$/u,
  /^(?:https?|file|data|mailto|ftp|git|ssh):\S*$/iu,
  /^[^@\s]+@[\w-]+(?:\.[\w-]+)+$/u,
  /^[\w./-]+\.(?:ya?ml|json|txt|env|ts|js|py|go|rs|md|toml|ini|conf|cfg|pem|key|sh|html?|css|kdbx|gpg|enc)(?::\d+)*$/iu,
  /^[\w.]+\(.*\)?$/u,
];

/** Something with a known shape that is no credential, wherever it stands. */
export const isHarmless = (value: string): boolean =>
  isPlaceholder(value) || HARMLESS.some((shape) => shape.test(value));

/** `gpt-4o`, `task-force-2024`: words and short numbers, joined. */
export const isSlug = (value: string): boolean =>
  /^(?:[A-Za-z]+\d{0,2}|\d{1,4}[a-z]?)(?:[-_./:](?:[A-Za-z]+\d{0,2}|\d{1,4}[a-z]?))+$/u.test(
    value,
  ) && !/[a-z][A-Z][a-z]*[A-Z]/u.test(value);

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** What stands before a hash that is no credential. */
export const HASHED =
  /(?:commit|revision|rev|tree|blob|sha-?\d*|hash|digest|checksum|fingerprint|md5|etag|integrity|id|uuid|image|names?|哈希|摘要|校验和|提交|指纹)[\s:：=#@"'`(是为]*(?:is|of)?\s*$/iu;
