import { Command } from 'commander';
import type { ForgetOptions, ForgetSelector, Memory, Receipt, Scope } from '../../index.js';
import { UsageError } from '../failure.js';
import { plural } from '../job-lines.js';
import { scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { edgeText } from '../show.js';
import { printable } from '../width.js';
import { entityOf } from './facts.js';
import { wholeId } from './why.js';

interface ForgetFlags extends CommonOptions {
  readonly fact?: string;
  readonly claim?: string;
  readonly entity?: string;
  readonly session?: string;
  readonly event?: string;
  readonly user?: string;
  readonly everything?: boolean;
  readonly orgWide?: boolean;
  readonly erase?: boolean;
  readonly yes?: boolean;
  readonly reason?: string;
  readonly actor?: string;
}

const KINDS = ['fact', 'claim', 'entity', 'session', 'event', 'user', 'everything'] as const;

export function forgetCommand(): Command {
  return withScope(new Command('forget'))
    .description('show what forgetting something would change; with --yes, forget it')
    .option('--fact <id>', 'the claims behind a fact (an id, or enough of it)')
    .option('--claim <id>', 'one claim')
    .option('--entity <name>', 'an entity, with all that is said of it')
    .option('--session <id>', 'what a session said')
    .option('--event <session#seq>', 'what one event of a session said')
    .option('--user <name>', 'all scopes of a user, over the whole org')
    .option('--everything', 'all of the scope, and of the scopes within it')
    .option('--org-wide', 'look in every scope of the org, and not only in those seen from here')
    .option('--erase', 'leave nothing to be read; cannot be reverted (default: withdraw)')
    .option('--yes', 'do it')
    .option('--reason <text>', 'why, for the journal')
    .option('--actor <name>', 'who asks for it, for the journal')
    .action(async (flags: ForgetFlags) => {
      const output = new Output(flags.json ?? false);
      const kinds = KINDS.filter((kind) => flags[kind] !== undefined);
      if (kinds.length !== 1) {
        throw new UsageError(`Give one of ${KINDS.map((kind) => `--${kind}`).join(', ')}.`);
      }
      const scope = scopeOf(flags);
      await withMemory(flags, async (memory) => {
        const { timeZone } = await memory.stats();
        const receipt = await forget(memory, scope, flags);
        if (output.json) return output.document(receipt);
        await output.lines(receiptLines(receipt, timeZone, output));
        if (!receipt.nothingLeft && !receipt.committed) {
          output.remark('Nothing was changed. With --yes it is.');
        }
      });
    });
}

async function forget(memory: Memory, scope: Scope, flags: ForgetFlags): Promise<Receipt> {
  const { user, everything, orgWide } = flags;
  const options: ForgetOptions = {
    mode: flags.erase === true ? 'erase' : 'retract',
    dryRun: flags.yes !== true,
    ...(flags.reason === undefined ? {} : { reason: flags.reason }),
    ...(flags.actor === undefined ? {} : { actor: flags.actor }),
  };
  const isWide = user !== undefined || everything === true || orgWide === true;
  const selector = await selectorOf(memory, scope, flags);
  return isWide
    ? memory.admin({ org: scope.org }).forget(selector, options)
    : memory.in(scope).forget(selector, options);
}

async function selectorOf(
  memory: Memory,
  scope: Scope,
  { fact, claim, entity, session, event, user }: ForgetFlags,
): Promise<ForgetSelector> {
  if (fact !== undefined) return { fact: await wholeId(memory.in(scope), fact) };
  if (claim !== undefined) return { claim };
  if (entity !== undefined) return { entity: entityOf(entity) };
  if (session !== undefined) return { session };
  if (user !== undefined) return { user };
  if (event === undefined) return { scope };
  const found = /^(.+)#(\d+)$/su.exec(event);
  const [, name, seq] = found ?? [];
  if (name === undefined) throw new UsageError('--event: write the session and the number, s-1#4.');
  return { event: { session: name, seq: Number(seq) } };
}

function receiptLines(receipt: Receipt, timeZone: string, output: Output): string[] {
  const { mode, claims, entities, facts, events, sessions, effect, nothingLeft } = receipt;
  if (nothingLeft) return ['There is nothing left to forget.'];
  const verb = mode === 'erase' ? 'erased' : 'withdrawn';
  const would = receipt.committed ? `tx ${receipt.tx}:` : 'Would be';
  const counts = [
    plural(claims, 'claim'),
    ...(mode === 'retract'
      ? []
      : [
          plural(entities, 'entity', 'entities'),
          `${plural(facts, 'row')} of facts`,
          plural(events, 'event'),
        ]),
  ];
  return [
    `${would} ${verb}: ${counts.join(', ')}.`,
    ...(effect?.closed ?? []).map(
      ({ fact, reason }) =>
        `  ${output.style('red', '-')} ${edgeText(fact, timeZone)}  ${fact.valid}  (${reason})`,
    ),
    ...(effect?.opened ?? []).map(
      (fact) => `  ${output.style('green', '+')} ${edgeText(fact, timeZone)}  ${fact.valid}`,
    ),
    ...(sessions.length === 0
      ? []
      : [`Logs that hosts keep may still hold it: ${sessions.map(printable).join(', ')}.`]),
  ];
}
