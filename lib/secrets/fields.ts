const TELLING = /pass|pwd|pin\b|secret|token|key|credential|auth|密码|口令|密钥|秘钥|令牌|凭证/iu;

const MAX_DEPTH = 256;

const step = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/**
 * Every text in an input, with its path: values, the names of properties, and what a name such as
 * `password` makes of its value. A claim's predicate is such a name for its object.
 *
 * @example
 * [...fieldsOf({ subject: 'shop', properties: { note: 'x' } })]
 * // [['subject', 'shop'], ['properties.note', 'x'], …]
 */
export function fieldsOf(input: unknown, path = ''): Iterable<[field: string, text: string]> {
  return walk(input, path, new Set());
}

function* walk(
  input: unknown,
  path: string,
  above: Set<object>,
): Generator<[field: string, text: string]> {
  if (typeof input === 'string') yield [path, input];
  if (typeof input !== 'object' || input === null || above.has(input)) return;
  // Deeper than any door lets through; what is nested without a bottom must not exhaust the stack here.
  if (above.size > MAX_DEPTH) return;
  above.add(input);
  if (Array.isArray(input)) {
    for (const [i, item] of input.entries()) yield* walk(item, `${path}[${i}]`, above);
  } else {
    for (const [key, value] of Object.entries(input)) {
      yield [path === '' ? 'a name' : `a name in ${path}`, key];
      if (isPlain(value) && TELLING.test(key)) yield [step(path, key), `${key}: "${value}"`];
      yield* walk(value, step(path, key), above);
    }
    const predicate = 'predicate' in input ? input.predicate : undefined;
    const object = 'object' in input ? input.object : undefined;
    if (typeof predicate === 'string' && isPlain(object) && TELLING.test(predicate)) {
      yield [step(path, 'object'), `${predicate}: "${object}"`];
    }
  }
  above.delete(input);
}
