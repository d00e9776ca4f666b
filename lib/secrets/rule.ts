/** A credential in a text: where it stands, in UTF-16 code units, and of what kind it is. */
export interface SecretFound {
  /** Such as `github-token`, `private-key` or `password`. */
  readonly kind: string;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface SecretRule {
  readonly kind: string;
  /** Must have the flags `d` and `g`. The group `value`, where there is one, is the credential. */
  readonly pattern: RegExp;
  /** Looks at the credential and says whether it is one; left out where the pattern says enough. */
  readonly accepts?: (value: string, match: RegExpMatchArray) => boolean;
  /** Signs at the end of what was matched that close a sentence or a quote, and are not of the value. */
  readonly closing?: RegExp;
}

export function* matches(rule: SecretRule, text: string): Generator<SecretFound> {
  for (const match of text.matchAll(rule.pattern)) {
    const value = match.groups?.['value'] ?? match[0];
    if (rule.accepts !== undefined && !rule.accepts(value, match)) continue;
    const [start, end] = match.indices?.groups?.['value'] ?? [
      match.index,
      match.index + match[0].length,
    ];
    const closing = rule.closing?.exec(value)?.[0].length ?? 0;
    yield { kind: rule.kind, start, end: end - closing };
  }
}
