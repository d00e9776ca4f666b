import { isPlaceholder } from './look.js';
import type { SecretFound } from './rule.js';

/** An address whose password is the word for one. */
const isExample = (found: string): boolean =>
  isPlaceholder(/^[^\s:]+:\/\/[^\s:@]*:([^\s@]+)@/u.exec(found)?.[1] ?? found);

type Preset = typeof import('@secretlint/secretlint-rule-preset-recommend');
type RuleOf = Preset['rules'][number];
type SourceOf = Parameters<NonNullable<ReturnType<RuleOf['create']>['file']>>[0];

let preset: Promise<readonly RuleOf[]> | undefined;

/** The preset obeys comments that switch it off: text must not be able to do so. */
async function load(): Promise<readonly RuleOf[]> {
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend');
  return rules.filter((rule) => !rule.meta.id.includes('filter-comments'));
}

/**
 * Secretlint's recommended rules, loaded with the first text that needs them. They are run by
 * themselves: its engine keeps a mark of every run in the process for good, and of the host's own.
 */
export async function lint(content: string): Promise<readonly SecretFound[]> {
  preset ??= load();
  const source = textSource(content);
  const found: SecretFound[] = [];
  for (const rule of await preset) {
    const kind = rule.meta.id.replace(/^.*secretlint-rule-/u, '');
    const handlers = rule.create(
      {
        sharedOptions: {},
        // Messages quote what was found, so none is made: only ranges are used.
        createTranslator: () => (messageId) => ({
          message: '',
          messageId: String(messageId),
          data: undefined,
        }),
        report: ({ range: [start, end] }) => {
          found.push({ kind, start, end });
        },
        ignore: () => undefined,
      },
      {},
    );
    await handlers.file?.(source);
  }
  return found.filter(({ start, end }) => !isExample(content.slice(start, end)));
}

/** A text that is no file: rules for files find nothing to open. */
function textSource(content: string): SourceOf {
  const line = { line: 1, column: 0 };
  return {
    content,
    contentType: 'text',
    hasBOM: false,
    filePath: undefined,
    physicalFilePath: undefined,
    ext: '',
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: () => [0, content.length],
    rangeToLocation: () => ({ start: line, end: line }),
    positionToIndex: () => 0,
    indexToPosition: () => line,
  };
}
