import { describe, expect, test } from 'vitest';
import {
  checkSecrets,
  ensureNoSecrets,
  fieldsOf,
  findAllSecrets,
  findSecrets,
} from '../../lib/secrets/secrets.js';
import { PalimpsestError } from '../../lib/model/errors.js';

/** Put together at run time, so that no scanner takes this file for a leak. */
const glue = (...parts: readonly string[]): string => parts.join('');

/** Letters and digits as a machine draws them; always the same. */
function drawn(
  length: number,
  alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
): string {
  let state = 12_345;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)];
  }).join('');
}
const HEX = '0123456789abcdef';
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const header = (kind: string, word = 'BEGIN'): string =>
  glue('-----', word, ' ', kind, 'PRIVATE', ' KEY-----');
const pem = (kind: string, line: string): string =>
  [header(kind), drawn(64), drawn(64), header(kind, 'END')].join(line);
const jwt = [
  glue('ey', 'JhbGciOiJIUzI1NiJ9'),
  glue('ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0'),
  drawn(43),
].join('.');

const SECRETS: readonly (readonly [kind: string, secret: string])[] = [
  ['api-key', glue('s', 'k-', drawn(48))],
  ['api-key', glue('s', 'k-', drawn(32, HEX))],
  ['api-key', glue('s', 'k-proj-', drawn(60))],
  ['api-key', glue('s', 'k-ant-api03-', drawn(93), 'AA')],
  ['api-key', glue('gs', 'k_', drawn(52))],
  ['api-key', glue('h', 'f_', drawn(34))],
  ['api-key', glue('xa', 'i-', drawn(80))],
  ['aws-access-key', glue('AK', 'IA', drawn(16, CAPITALS))],
  ['aws-access-key', glue('AS', 'IA', drawn(16, CAPITALS))],
  ['google-api-key', glue('AI', 'za', drawn(35))],
  ['google-oauth', glue('GOC', 'SPX-', drawn(28))],
  ['azure-key', glue('Account', 'Key=', drawn(86), '==')],
  ['azure-key', glue('https://a.blob.core.windows.net/c?sv=2022&', 'sig=', drawn(43), '%3D')],
  ['alibaba-access-key', glue('LT', 'AI', drawn(20))],
  ['tencent-access-key', glue('AK', 'ID', drawn(32))],
  ['cloud-token', glue('dop', '_v1_', drawn(64, HEX))],
  ['github-token', glue('gh', 'p_', drawn(36))],
  ['github-token', glue('github', '_pat_', drawn(22), '_', drawn(59))],
  ['gitlab-token', glue('gl', 'pat-', drawn(20))],
  ['slack-token', glue('xo', 'xb-', '123456789012-1234567890123-', drawn(24))],
  ['webhook', glue('https://hooks.', 'slack.com/services/T0001/B0001/', drawn(24))],
  ['npm-token', glue('np', 'm_', drawn(36))],
  ['npm-token', glue('//registry.npmjs.org/:_auth', 'Token=', drawn(36, HEX))],
  ['pypi-token', glue('py', 'pi-AgEIcHlwaS5vcmc', drawn(60))],
  ['stripe-key', glue('s', 'k_live_', drawn(24))],
  ['stripe-key', glue('wh', 'sec_', drawn(32))],
  ['service-token', glue('S', 'G.', drawn(22), '.', drawn(43))],
  ['service-token', glue('shp', 'at_', drawn(32, HEX))],
  ['telegram-token', glue('123456789', ':A', 'A', drawn(33))],
  ['jwt', jwt],
  ['private-key', pem('RSA ', '\n')],
  ['private-key', pem('OPENSSH ', '\n')],
  ['private-key', pem('', '\\n')],
  ['private-key', pem('EC ', '\\\\n')],
  ['private-key', `{"private_key": "${pem('', '\\n')}"}`],
  ['age-key', glue('AGE-SECRET', '-KEY-1', drawn(58, CAPITALS))],
  ['connection-string', glue('postgres', '://u:', 'p@h')],
  ['connection-string', glue('postgresql', '://shop:', 'Tr0ub4dor', '@db.internal:5432/shop')],
  ['connection-string', glue('mongodb+srv', '://shop:', 'Tr0ub4dor', '@c0.mongodb.net/shop')],
  ['connection-string', glue('redis', '://:', 'Tr0ub4dor', '@cache:6379/0')],
  ['connection-string', glue('amqp', '://guest:', 'Tr0ub4dor', '@mq/vhost')],
  ['connection-string', glue('jdbc', ':mysql://db/shop?user=shop&', 'password=', 'Tr0ub4dor')],
  ['connection-string', glue('jdbc', ':postgresql://shop:', 'Tr0ub4dor', '@db/shop')],
  ['connection-string', glue('Server=db;User Id=sa;', 'Password=', 'Tr0ub4dor;')],
  ['basic-auth-url', glue('https', '://ana:', 'Tr0ub4dor', '@example.org/x')],
  ['authorization', glue('Authori', 'zation: Bearer ', drawn(32))],
  ['authorization', glue('Authori', 'zation: Basic ', 'YW5hOnRyMHViNGQ=')],
  ['authorization', glue('curl -H "Bea', 'rer ', drawn(40), '"')],
  ['password', glue('the pass', 'word is ', 'hunter2')],
  ['password', glue('pass', 'word: ', 'P@ssw0rd!')],
  ['password', glue('DB_PASS', 'WORD=', 'Tr0ub4dor')],
  ['password', glue('pass', 'word="', 'swordfish"')],
  ['password', glue('The pass', 'word for the staging database is ', 'Tr0ub4dor&3')],
  ['password', glue('pass', 'word ', 'hunter2')],
  ['password', glue('p', 'w: ', 'hunter2x')],
  ['password', glue('{"dbPass', 'word": "', 'Tr0ub4dor"}')],
  ['password', glue('密', '码就是', 'hunter2')],
  ['secret', glue('{"api', 'Key":"', drawn(32), '"}')],
  ['secret', glue(drawn(32), ' is my access to', 'ken')],
  ['password', glue('my pin', ' is ', '4711')],
  ['password', glue('use ', 'Tr0ub4dor&3', ' as the root pass', 'word')],
  ['password', glue('数据库密', '码是 ', 'abc123')],
  ['password', glue('密', '码：', '12345678')],
  ['password', glue('密', '码改成了', 'Abc@2024')],
  ['password', glue('口', '令为 ', 'Zx9!kk')],
  ['secret', glue('to', 'ken: ', drawn(24))],
  ['secret', glue('api ', 'key = ', drawn(32, HEX))],
  ['secret', glue('AWS_SECRET_', 'ACCESS_KEY=', drawn(40))],
  ['secret', glue('client_', 'secret: "', drawn(32), '"')],
  ['secret', glue('here is the API ', 'key I promised you, ', drawn(40))],
  ['secret', glue('令', '牌是 ', drawn(24))],
  ['secret', glue('密', '钥为 ', drawn(32))],
];

describe('credentials', () => {
  test.each(SECRETS)('%s is found, alone and in a sentence', async (kind, secret) => {
    expect(findSecrets(secret).map((found) => found.kind)).toEqual([kind]);
    const sentence = `Ana wrote: ${secret} and left.`;
    const [found] = await findAllSecrets(sentence);
    expect(found).toBeDefined();
    expect(sentence.slice(found!.start, found!.end).length).toBeGreaterThan(0);
    expect(found!.start).toBeGreaterThanOrEqual('Ana wrote: '.length);
  });

  test('are all found in one text', () => {
    const key = glue('gh', 'p_', drawn(36));
    const text = `one ${key}, two ${jwt}, three ${key}`;
    expect(findSecrets(text)).toEqual([
      { kind: 'github-token', start: 4, end: 4 + key.length },
      { kind: 'jwt', start: 4 + key.length + 6, end: 4 + key.length + 6 + jwt.length },
      { kind: 'github-token', start: text.length - key.length, end: text.length },
    ]);
  });

  test('the engine knows more shapes than we do, and a comment does not switch it off', async () => {
    const token = glue('hv', 's.', drawn(95));
    expect((await findAllSecrets(`// secretlint-disable\n${token}`)).length).toBe(1);
    const letters = glue('xo', 'xp-', 'abcdefgh-', 'ijklmnopqrst');
    expect(findSecrets(letters)).toEqual([]);
    expect(await findAllSecrets(letters)).toMatchObject([{ kind: 'slack' }]);
  });
});

describe('a token in disguise', () => {
  const key = glue('s', 'k-', drawn(32));
  const wide = (text: string): string =>
    text.replace(/[!-~]/gu, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));

  test.each([
    ['in full-width letters', wide(key)],
    [
      'with full-width letters here and there',
      key.slice(0, 10) + wide(key.slice(10, 14)) + key.slice(14),
    ],
    ['with spaces of no width', key.split('').join('\u200B')],
    ['with joiners', `${key.slice(0, 9)}\u2060\u200D${key.slice(9)}`],
    ['with soft hyphens', `${key.slice(0, 9)}\u00AD${key.slice(9)}`],
    ['with marks of direction', `\u202E${key.slice(0, 9)}\u200F${key.slice(9)}`],
    [
      'in mathematical letters',
      key.replace(/[a-z]/gu, (c) => String.fromCodePoint(0x1d41a + c.charCodeAt(0) - 97)),
    ],
  ])('%s is found where it stands', (_, disguised) => {
    const text = `备注 ${disguised} 。`;
    const [found, ...others] = findSecrets(text);
    expect(others).toEqual([]);
    expect(found?.kind).toBe('api-key');
    expect(text.slice(found?.start, found?.end).replace(/^\u202E/u, '')).toBe(
      disguised.replace(/^\u202E/u, ''),
    );
  });

  test('a character of no width in front of it does not hide it', () => {
    expect(findSecrets(`key\u200B${key}`)).toHaveLength(1);
    expect(findSecrets(wide(glue('pass', 'word: hunter2')))).toHaveLength(1);
  });
});

const UUID = '550e8400-e29b-41d4-a716-446655440000';

const HARMLESS: readonly string[] = [
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  '3f786850e387550fdab836ed7e6dc881de23001b',
  'the token check came with commit 3f786850e387550fdab836ed7e6dc881de23001b',
  UUID,
  `session ${UUID}`,
  `sha256: ${drawn(64, HEX)}`,
  `token image digest sha256:${drawn(64, HEX)}`,
  `integrity sha512-${drawn(86)}==`,
  `<img src="data:image/png;base64,${drawn(200)}">`,
  'pip install sk-learn',
  'sk-learn-contrib and sk-image',
  'sk-xxxx',
  glue('s', 'k-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'),
  glue('s', 'k-your-api-key-goes-here'),
  'risk-assessment-2024-final-report-version',
  'task-force-2024-kickoff',
  'The password is rotated monthly',
  'Passwords are stored hashed with argon2id',
  'The password is SHA-256 hashed',
  'The password must be at least 12 characters long',
  'the password field is required',
  'password: <password>',
  'password: ********',
  'password: $DB_PASSWORD',
  'password=${DB_PASSWORD}',
  'DB_PASSWORD=process.env.DB_PASSWORD',
  'password: string',
  'password_hash and password_reset_token are columns',
  'tokens: 128000',
  'max_tokens: 4096',
  'The token limit is 200k',
  'the token expires after 30 days',
  'token is valid until 2025-03-05',
  'secret: none',
  'the secret is in vault:kv/shop',
  'api key: see secrets.yaml',
  'The API key is kept in 1Password',
  'Ana owns the API keys',
  'the key is customer_id',
  'primary key: order_id',
  'public key: RSA-2048',
  'passenger 12345678',
  'bypass: 12345678',
  'compass: N45E12',
  'password manager Bitwarden 2024.6.1',
  'api_key=os.environ["API_KEY1"]',
  'password = getPassword(user1)',
  'K8S secret name: db-credentials-7f9c4d',
  'secret: projects/123456/secrets/db-pass/versions/3',
  'arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbC123',
  `the token contract is 0x${drawn(40, HEX)}`,
  'token: eslint-plugin-import@2.29',
  'tokenizer: cl100k_base',
  'The secretary called at 10:30',
  'postgres://localhost/db',
  'postgres://localhost:5432/shop',
  'postgresql://user:password@localhost:5432/db',
  'postgres://$USER:$PASSWORD@host/db',
  'mongodb://<user>:<password>@host/db',
  'redis://cache:6379/0',
  'https://example.com:8443/a@b',
  'git@github.com:acme/shop.git',
  'ssh-ed25519 is the type of the public key',
  `c_${drawn(32, HEX)}`,
  `f_${drawn(32, HEX)}`,
  `e_${drawn(32, HEX)} holds the token`,
  '2024-03-05T10:00:00.000Z',
  'call +86 138 0013 8000',
  'ISBN 978-3-16-148410-0',
  'SR-2023-052 is about tokens',
  '密码每个月轮换一次',
  '密码是用 bcrypt 加密的',
  '密码至少 12 位',
  '密码忘了，请重置密码',
  '令牌三十天后过期',
  '密钥由安全团队保管',
  '她的密码学课程在 2024 年',
  'files that start with -----BEGIN PRIVATE KEY----- are refused',
  'Authorization: Bearer <token>',
  'the Authorization header is required',
  'Bearer tokens are short-lived',
  'a basic understanding of authentication',
  'AKIA is the prefix of access key ids',
  glue('AKIA', 'IOSFODNN7', 'EXAMPLE'),
  'model gpt-4o-mini-2024-07-18 counts tokens',
  'eyJ is how a JWT starts',
  '',
];

describe('what only looks like a credential', () => {
  test.each(HARMLESS)('%s', async (text) => {
    expect(findSecrets(text)).toEqual([]);
    expect(await findAllSecrets(text)).toEqual([]);
  });
});

describe('a refusal', () => {
  const value = drawn(40);
  const text = glue('to', 'ken: ', value);

  const thrown = async (act: () => void | Promise<void>): Promise<unknown> => {
    try {
      await act();
    } catch (error) {
      return error;
    }
    throw new Error('Nothing was refused.');
  };

  test.each([
    ['at once', () => ensureNoSecrets([['statement', text]])],
    ['after the engine', () => checkSecrets([['statement', text]])],
  ])('%s names the field and the kind, and no part of the value', async (_, act) => {
    const error = await thrown(act);
    if (!PalimpsestError.isInstance(error)) throw error;
    expect(error).toMatchObject({ code: 'SECRET_REFUSED', field: 'statement' });
    const told = error;
    const all = [told.message, told.stack, told.hint, told.cause, JSON.stringify(told)].join('\n');
    expect(told.message).toContain('(secret)');
    for (let i = 0; i + 5 <= value.length; i++) expect(all).not.toContain(value.slice(i, i + 5));
  });

  test('a path that holds the credential itself is not named', async () => {
    const error = await thrown(() => ensureNoSecrets([[`scope.${text}`, text]]));
    expect(error).toMatchObject({ field: 'a field' });
    expect(String(error)).not.toContain(value.slice(0, 8));
  });

  test('harmless fields pass', async () => {
    expect(() => ensureNoSecrets([['statement', 'The password is rotated monthly']])).not.toThrow();
    await expect(checkSecrets([['object', 'Postgres 16']])).resolves.toBeUndefined();
  });
});

describe('the fields of an input', () => {
  const refused = (input: unknown): string | undefined => {
    try {
      ensureNoSecrets(fieldsOf(input));
      return undefined;
    } catch (error) {
      return PalimpsestError.isInstance(error) ? error.field : 'no refusal';
    }
  };
  const key = glue('s', 'k-', drawn(48));

  test('are its values, names, and what names say of values', () => {
    expect(refused({ subject: 'shop', predicate: 'database', object: 'Postgres' })).toBeUndefined();
    expect(refused({ subject: { name: key } })).toBe('subject.name');
    expect(refused({ evidence: [{ session: 's', quote: `use ${key}` }] })).toBe(
      'evidence[0].quote',
    );
    expect(refused({ object: { a: [{ b: key }] } })).toBe('object.a[0].b');
    expect(refused({ properties: { [key]: 1 } })).toBe('a name in properties');
    expect(refused({ properties: { password: 'hunter2' } })).toBe('properties.password');
    expect(refused({ predicate: 'password', object: 'hunter2' })).toBe('object');
    expect(refused({ predicate: 'wifi password', object: 12345678 })).toBe('object');
    expect(refused({ predicate: 'password rotation', object: 'every 90 days' })).toBeUndefined();
    expect(refused({ predicate: 'primary key', object: 'order_id' })).toBeUndefined();
    expect(
      refused({ instance: 'primary', idempotencyKey: 'import-2024-03-05-000123' }),
    ).toBeUndefined();
  });

  test('a circle ends', () => {
    const circle: { self?: unknown; note: string } = { note: 'x' };
    circle.self = circle;
    expect(refused(circle)).toBeUndefined();
  });
});

test('ordinary claims cost microseconds, and hostile text is read in a bearable time', () => {
  const claims = [
    'Ana works at Acme since March 2024.',
    '她去年搬到了上海，数据库换成了 Postgres。',
  ];
  const rounds = 20_000;
  const started = performance.now();
  for (let i = 0; i < rounds; i++) for (const claim of claims) findSecrets(claim);
  const each = (performance.now() - started) / (rounds * claims.length);
  expect(each).toBeLessThan(0.2);
  for (const part of [
    'a',
    'password ',
    'a://b:',
    '-----BEGIN PRIVATE KEY-----',
    'token is ',
    'eyJa.',
    '密码',
    'A1',
  ]) {
    const long = part.repeat(Math.ceil(100_000 / part.length));
    const begun = performance.now();
    findSecrets(long);
    expect(performance.now() - begun).toBeLessThan(5_000);
  }
});
