import { isPlaceholder } from './look.js';
import type { SecretFound } from './rule.js';

/** An address whose password is the word for one. */
const isExample = (found: string): boolean =>
  isPlaceholder(/^[^\s:]+:\/\/[^\s:@]*:([^\s@]+)@/u.exec(found)?.[1] ?? found);

type Lint = (text: string) => Promise<readonly SecretFound[]>;

let engine: Promise<Lint> | undefined;

async function load(): Promise<Lint> {
  const [{ lintSource }, preset] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  // The preset obeys comments that switch it off: text must not be able to do so.
  const rules = preset.rules
    .filter((rule) => !rule.meta.id.includes('filter-comments'))
    .map((rule) => ({ id: rule.meta.id, rule }));
  return async (content) => {
    const { messages } = await lintSource({
      source: { content, filePath: 'text', contentType: 'text' },
      options: { config: { rules }, noPhysicFilePath: true },
    });
    // Only its ranges are used: its messages quote what it found.
    return messages
      .map(({ ruleId, range: [start, end] }) => ({
        kind: ruleId.replace(/^.*secretlint-rule-/u, ''),
        start,
        end,
      }))
      .filter(({ start, end }) => !isExample(content.slice(start, end)));
  };
}

/** Secretlint's recommended rules, loaded with the first text that needs them. */
export async function lint(text: string): Promise<readonly SecretFound[]> {
  engine ??= load();
  return (await engine)(text);
}
