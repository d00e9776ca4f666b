import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Scope } from '../engine/vocabulary.js';
import { scopeOf } from '../host/project.js';
import type { HostContext } from '../host/types.js';
import { importFile, IMPORT_FORMATS } from '../importers/import.js';
import type { Status } from '../status.js';
import { forgottenText } from '../tools/governing.js';
import { cut, factLines, outcomeText } from '../tools/text.js';
import type { Writer } from '../writer/writer.js';
import { statusText } from './status-text.js';

export interface CommandParts {
  readonly engine: MemoryEngine;
  readonly writer: Writer;
}

/** The command is there from the start: it is what tells that the memory is not. */
export interface Command {
  attach(parts: CommandParts): void;
  detach(): void;
}

const ACTOR = 'person';

const HINT =
  'status | search WORDS | history SUBJECT | why FACT | review | approve CLAIM | reject CLAIM | forget [--erase] FACT or session:ID | revert TX | curate | sweep | import FILE [--as FORMAT] [--dry-run] | export FILE';

export function mountCommand(ctx: HostContext, config: Config, status: Status): Command {
  let parts: CommandParts | null = null;
  ctx.inject(['commands'], (c) => {
    c.get('commands')?.register({
      name: config.command,
      description: 'Looks into the long-term memory, and decides what it keeps.',
      input: { hint: HINT },
      handler: async ({ agent, rawInput }) => {
        const [verb = 'status', ...rest] = rawInput
          .trim()
          .split(/\s+/u)
          .filter((w) => w !== '');
        try {
          if (verb === 'status') {
            return { kind: 'success', text: await statusText(status, parts?.engine ?? null) };
          }
          if (parts === null) return { kind: 'error', text: `Capture is off: ${status.off}` };
          const scope = scopeOf(agent.session.header, config);
          if (scope === null) return { kind: 'error', text: 'This session has no memory.' };
          return { kind: 'success', text: cut(await run(verb, rest, scope, parts)) };
        } catch (error) {
          return { kind: 'error', text: error instanceof Error ? error.message : String(error) };
        }
      },
    });
  });
  return {
    attach(given) {
      parts = given;
    },
    detach() {
      parts = null;
    },
  };
}

async function run(
  verb: string,
  words: readonly string[],
  scope: Scope,
  { engine, writer }: CommandParts,
): Promise<string> {
  const text = words.join(' ');
  const [first = ''] = words;
  switch (verb) {
    case 'search': {
      const hits = await engine.search(scope, text, { limit: 20 });
      return factLines(hits.map(({ fact }) => fact));
    }
    case 'history':
      return factLines(await engine.history(scope, { subject: text }));
    case 'why':
      return (await engine.why(scope, first)).text;
    case 'review': {
      const held = await engine.held(scope);
      if (held.length === 0) return 'Nothing waits for review.';
      return held.map(({ id, text, why }) => `${id}: ${text}. ${why}`).join('\n');
    }
    case 'approve':
      return outcomeText(await engine.approve(scope, first, ACTOR));
    case 'reject':
      return outcomeText(await engine.reject(scope, first, ACTOR));
    case 'revert':
      return outcomeText(await engine.revert(scope, Number(first), ACTOR));
    case 'forget': {
      const erase = words.includes('--erase');
      const [what = ''] = words.filter((word) => word !== '--erase');
      const selected = what.startsWith('session:')
        ? { session: what.slice('session:'.length) }
        : { fact: what };
      return forgottenText(await engine.forget(scope, selected, { erase, actor: ACTOR }));
    }
    case 'curate': {
      const { jobs, failed } = await writer.curate(scope);
      return `${jobs} jobs done${failed.length === 0 ? '' : `, failed for ${failed.join(', ')}`}.`;
    }
    case 'sweep':
      await writer.sweep();
      return 'Looked through the logs.';
    case 'import': {
      const at = words.indexOf('--as');
      const format = IMPORT_FORMATS.find((known) => at >= 0 && known === words[at + 1]);
      if (at >= 0 && format === undefined) throw new Error(`--as ${IMPORT_FORMATS.join(' | ')}`);
      const path = words
        .filter((word, i) => !word.startsWith('--') && (at < 0 || i !== at + 1))
        .join(' ');
      const dryRun = words.includes('--dry-run');
      return importFile(engine, scope, path, { format, dryRun });
    }
    case 'export': {
      if (text === '') throw new Error('Say to which file.');
      await pipeline(
        Readable.from(withLineEnds(engine.exportLines(scope.org))),
        createWriteStream(text, { flags: 'wx' }),
      );
      return `Exported to ${text}.`;
    }
    default:
      throw new Error(`There is no ${JSON.stringify(verb)}. ${HINT}`);
  }
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
