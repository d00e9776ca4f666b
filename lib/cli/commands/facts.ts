import { Command, Option } from 'commander';
import type { Fact, FactSelector } from '../../index.js';
import { UsageError } from '../failure.js';
import {
  collect,
  isPositiveCount,
  viewOf,
  withMemory,
  withMoment,
  type CommonOptions,
} from '../options.js';
import { Output } from '../output.js';
import { certaintyText, objectText, scopeText, stampText } from '../show.js';
import { tableLines } from '../table.js';

interface FactsFlags extends CommonOptions {
  readonly predicate?: readonly string[];
  readonly object?: string;
  readonly during?: string;
  readonly orderBy?: FactSelector['orderBy'];
  readonly order?: FactSelector['order'];
  readonly limit?: number;
  readonly after?: string;
}

export function factsCommand(): Command {
  return withMoment(new Command('facts'))
    .description(
      'what holds at an instant, as believed at another; both are now unless said otherwise',
    )
    .argument('[subject]', 'name or id of an entity')
    .argument('[predicate...]')
    .option('--predicate <name>', 'only this predicate, of any subject; may be repeated', collect)
    .option('--object <value>', 'only with this object: a name or a text')
    .option(
      '--during <from..to>',
      'what holds at some time within, such as 2024-01..2024-06; either end may be left out',
    )
    .addOption(
      new Option('--order-by <field>').choices(['validFrom', 'knownFrom', 'subject', 'predicate']),
    )
    .addOption(new Option('--order <direction>').choices(['asc', 'desc']))
    .option('--limit <count>', 'so many at most', isPositiveCount)
    .option('--after <fact>', 'start after this fact of the page before')
    .action(async (subject: string | undefined, named: string[], flags: FactsFlags) => {
      const predicate = [...named, ...(flags.predicate ?? [])];
      const output = new Output(flags.json ?? false);
      if (flags.during !== undefined && flags.valid !== undefined) {
        throw new UsageError('--during takes the place of --valid: give one of them.');
      }
      await withMemory(flags, async (memory) => {
        const found = viewOf(memory, flags).stream({
          subject: subject === undefined ? undefined : entityOf(subject),
          predicate: predicate.length === 0 ? undefined : predicate,
          object: flags.object,
          during: flags.during === undefined ? undefined : duringOf(flags.during),
          orderBy: flags.orderBy,
          order: flags.order,
          limit: flags.limit,
          after: flags.after,
        });
        if (output.json) {
          for await (const fact of found) await output.record(fact);
          return;
        }
        const facts = await found.toArray();
        if (facts.length === 0) output.remark('No facts.');
        else await output.lines(factLines(facts, (await memory.stats()).timeZone, output));
      });
    });
}

/** A name, or an id as answers show it. */
export const entityOf = (text: string): string | { readonly id: string } =>
  /^e_[0-9a-f]{32}$/u.test(text) ? { id: text } : text;

function duringOf(text: string): NonNullable<FactSelector['during']> {
  const [from, to, ...others] = text.split('..');
  if (from === undefined || to === undefined || others.length > 0) {
    throw new UsageError('--during: write from..to, such as 2024-01..2024-06.');
  }
  return { ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) };
}

function factLines(facts: readonly Fact[], timeZone: string, output: Output): string[] {
  const columns = [
    'subject',
    'predicate',
    'object',
    'valid',
    'certainty',
    'known since',
    'scope',
    'id',
  ];
  const rows = facts.map((fact) => [
    fact.subject.name,
    fact.predicate,
    objectText(fact.object, timeZone) + (fact.instance === null ? '' : ` (${fact.instance})`),
    fact.valid,
    certaintyText(fact),
    stampText(fact.knownFrom),
    scopeText(fact.scope),
    shortId(fact.id),
  ]);
  return tableLines(
    columns.map((title) => ({ title, max: title === 'object' ? 48 : 40 })),
    rows,
    output,
  );
}

/** Enough of an id to tell facts apart; `why` takes it. */
export const shortId = (id: string): string => id.slice(0, 10);
