import { isPlaceholder, looksRandom } from './look.js';
import type { SecretRule } from './rule.js';

/** A token that is told by how it starts. Letters or digits before it make it a part of something else. */
const token = (kind: string, source: string, accepts?: SecretRule['accepts']): SecretRule => ({
  kind,
  pattern: new RegExp(`(?<![A-Za-z0-9])(?:${source})`, 'dgu'),
  accepts: accepts ?? ((value) => !isPlaceholder(value)),
});

const random = (value: string): boolean => looksRandom(value);

const MODELS: readonly SecretRule[] = [
  token('api-key', 'sk-[A-Za-z0-9]{20,}(?![A-Za-z0-9])', random),
  token(
    'api-key',
    'sk-(?:proj|ant|svcacct|admin|or|live|test|lf|None|kimi|cp)-[A-Za-z0-9_-]{16,}',
    random,
  ),
  token('api-key', '(?:gsk|hf|r8|pplx|nvapi|fw|tgp_v1|csk|jina)[_-][A-Za-z0-9_-]{28,}', random),
  token('api-key', 'xai-[A-Za-z0-9]{40,}', random),
];

const CLOUDS: readonly SecretRule[] = [
  token('aws-access-key', '(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])'),
  token('google-api-key', 'AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])'),
  token(
    'google-oauth',
    String.raw`GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{40,}`,
  ),
  token('azure-key', '(?:AccountKey|SharedAccessKey)=(?<value>[A-Za-z0-9+/]{40,}={0,2})'),
  token('azure-key', String.raw`[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}`),
  { kind: 'azure-key', pattern: /[?&]sig=(?<value>[A-Za-z0-9%+/]{40,}={0,2})/dgu },
  token('alibaba-access-key', 'LTAI[A-Za-z0-9]{16,20}(?![A-Za-z0-9])', random),
  token('tencent-access-key', 'AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])', random),
  token(
    'cloud-token',
    '(?:dop|doo|dor)_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}|hv[sbr]\\.[A-Za-z0-9_-]{24,}|tskey-[a-z]+-[A-Za-z0-9-]{20,}|pul-[0-9a-f]{40}',
  ),
];

const SERVICES: readonly SecretRule[] = [
  token('github-token', 'gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{50,}'),
  token(
    'gitlab-token',
    '(?:glpat|gldt|glrt|glcbt|glptt|glsoat|glft|gloas|glagent|glimt)-[A-Za-z0-9_.-]{20,}',
  ),
  token(
    'slack-token',
    'xox[abeoprs]-(?:\\d-)?[A-Za-z0-9-]{10,}|xapp-\\d-[A-Za-z0-9-]{10,}|xoxe\\.xox[bp]-[A-Za-z0-9-]{10,}',
    (value) => /\d/u.test(value) && !isPlaceholder(value),
  ),
  {
    kind: 'webhook',
    pattern:
      /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows)\/T[A-Za-z0-9]+\/[A-Za-z0-9]+\/[A-Za-z0-9/]{16,}|discord(?:app)?\.com\/api\/webhooks\/\d{16,}\/[A-Za-z0-9_-]{40,}|(?:oapi\.dingtalk\.com\/robot\/send\?access_token=|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=|open\.(?:feishu|larksuite)\.(?:cn|com)\/open-apis\/bot\/v2\/hook\/)[A-Za-z0-9-]{20,})/dgiu,
    accepts: (value) => !isPlaceholder(value),
  },
  token('npm-token', 'npm_[A-Za-z0-9]{36}'),
  {
    kind: 'npm-token',
    pattern: /_authToken\s*=\s*["']?(?<value>[^\s"'$<{]{16,})/dgu,
    accepts: (value) => !isPlaceholder(value),
  },
  token('pypi-token', 'pypi-[A-Za-z0-9_-]{40,}', random),
  token('stripe-key', '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}', random),
  token(
    'service-token',
    String.raw`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|shp(?:pa|ca|at|ss)_[A-Za-z0-9]{32,}|lin_api_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{40,}|figd_[A-Za-z0-9_-]{40,}|gl(?:c|sa)_[A-Za-z0-9+/_]{32,}|dckr_pat_[A-Za-z0-9_-]{20,}|ops_eyJ[A-Za-z0-9+/=_-]{50,}|vc[piark]_[A-Za-z0-9]{20,}|sntry[su]_[A-Za-z0-9+/=_-]{40,}|NRAK-[A-Z0-9]{27}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}|key-[0-9a-f]{32}`,
    random,
  ),
  token('telegram-token', String.raw`\d{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])`, random),
  token(
    'discord-token',
    String.raw`[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])`,
    random,
  ),
];

const KEYS: readonly SecretRule[] = [
  token('jwt', String.raw`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`),
  token(
    'jwt',
    String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`,
  ),
  {
    // Line ends may be real, written as \n, or gone. A header alone is talk about keys.
    kind: 'private-key',
    pattern:
      /-----BEGIN[ ]?[A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\+[nr])*(?:[A-Z][A-Za-z-]+: [^\n\\]{1,80}(?:\s|\\+[nr])+)*(?:[A-Za-z0-9+/=]|\s|\\+[nr]){24,20000}(?:-----END[ ]?[A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----)?/dgu,
    accepts: (value) => /[A-Za-z0-9+/]{16}/u.test(value.replace(/-----[^-]*-----/gu, '')),
  },
  {
    kind: 'private-key',
    pattern: /PuTTY-User-Key-File-\d[\s\S]{1,4000}?Private-Lines: \d+\s+[A-Za-z0-9+/=\s]{24,}/dgu,
  },
  token('age-key', 'AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}'),
];

const PART = /^(?:p|pw)$/u;
/** Documents write such words where a password would be; a single letter may be one. */
const isPassword = (value: string): boolean => PART.test(value) || !isPlaceholder(value);

const ADDRESSES: readonly SecretRule[] = [
  {
    kind: 'connection-string',
    pattern:
      /(?<![A-Za-z0-9])(?!https?:|ftps?:)[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/?#:@"'<>`]{0,128}:(?=(?<value>[^\s"'<>`@]{1,256}))\k<value>@[^\s/@"'`]/dgiu,
    accepts: isPassword,
  },
  {
    kind: 'basic-auth-url',
    pattern:
      /(?<![A-Za-z0-9])(?:https?|ftps?):\/\/[^\s/?#:@"'<>`]{0,128}:(?=(?<value>[^\s"'<>`@/]{1,256}))\k<value>@[^\s/@"'`]/dgiu,
    accepts: isPassword,
  },
  {
    // jdbc:…?user=u&password=p, and the ADO style.
    kind: 'connection-string',
    pattern:
      /(?:jdbc:|Server=|Data Source=|Host=|[?&;]user(?:name| id)?=)[^\s"']{0,300}?[?&;](?:password|pwd)=(?<value>[^\s;&"']{1,128})/dgiu,
    accepts: isPassword,
  },
  {
    kind: 'authorization',
    pattern:
      /authorization["']?\s*[:=]\s*["']?(?:Bearer|Basic|Token|Digest|ApiKey)?\s*(?<value>[A-Za-z0-9._~+/=-]{8,})/dgiu,
    accepts: (value) =>
      !isPlaceholder(value) &&
      !/^(?:Bearer|Basic|Token|Digest|ApiKey|headers?|required|[a-z-]+)$/iu.test(value),
  },
  {
    kind: 'authorization',
    pattern: /(?<![A-Za-z])(?:Bearer|Basic)\s+(?<value>[A-Za-z0-9._~+/=-]{16,})/dgu,
    accepts: random,
  },
];

export const SHAPES: readonly SecretRule[] = [
  ...KEYS,
  ...MODELS,
  ...CLOUDS,
  ...SERVICES,
  ...ADDRESSES,
];
