import { Command, Option } from 'commander';
import { UsageError } from '../failure.js';
import { onInterrupt } from '../interrupt.js';
import { scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { packageVersion } from '../version.js';

interface McpFlags extends CommonOptions {
  readonly shareWith?: readonly string[];
  readonly guarded?: boolean;
}

export function mcpCommand(): Command {
  return withScope(new Command('mcp'))
    .description('serve one scope to an agent, over the Model Context Protocol on stdin and stdout')
    .addOption(
      new Option(
        '--share-with <dimensions>',
        'a broader scope that the agent may tell something; it waits for a review',
      ).argParser((value: string, before: readonly string[] | undefined) => [
        ...(before ?? []),
        value,
      ]),
    )
    .option('--guarded', 'offer what takes back and erases, too; the client asks its user')
    .action(async (flags: McpFlags) => {
      const scope = scopeOf(flags);
      const shareWith =
        flags.shareWith === undefined ? undefined : scopeOf({ scope: flags.shareWith });
      const { serveMcp } = await adapter();
      const { signal, release } = onInterrupt();
      try {
        await withMemory(
          flags,
          (memory) =>
            serveMcp({
              memory: memory.in(scope),
              shareWith,
              approve: flags.guarded === true ? () => true : undefined,
              version: packageVersion(),
              signal,
              onError: (error) => process.stderr.write(`palimpsest: ${String(error)}\n`),
            }),
          { make: true },
        );
      } finally {
        release();
      }
    });
}

/** The protocol's package is the user's to install. */
async function adapter(): Promise<typeof import('palimpsest/mcp')> {
  try {
    return await import('palimpsest/mcp');
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw error;
    throw new UsageError(
      'palimpsest mcp needs a package that is not installed: npm install @modelcontextprotocol/server',
    );
  }
}
