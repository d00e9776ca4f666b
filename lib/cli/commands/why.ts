import { Command } from 'commander';
import { PalimpsestError, type Handle, type View, type Why } from '../../index.js';
import { viewOf, withMemory, withMoment, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { printable } from '../width.js';
import { entityOf } from './facts.js';
import { unknownName } from './history.js';

export function whyCommand(): Command {
  return withMoment(new Command('why'))
    .description('the claims, events and quotes behind a fact, and what it took the place of')
    .argument(
      '<fact>',
      'id of a fact, or enough of it; or the name of a subject, for what holds of it',
    )
    .argument('[predicate...]', 'of a subject, only these')
    .action(async (fact: string, predicate: string[], flags: CommonOptions) => {
      const output = new Output(flags.json ?? false);
      await withMemory(flags, async (memory) => {
        const view = viewOf(memory, flags);
        const isId = /^f_[0-9a-f]{4,32}$/u.test(fact) && predicate.length === 0;
        const reasons = isId
          ? [await view.why(await wholeId(view, fact))]
          : await reasonsOf(view, fact, predicate);
        if (output.json) return output.document(isId ? reasons[0] : reasons);
        if (reasons.length === 0) output.remark('No facts.');
        const texts = reasons.map(({ text }) => text.split('\n').map(printable).join('\n'));
        await output.lines(texts.join('\n\n').split('\n'));
      });
    });
}

async function reasonsOf(
  view: Handle | View,
  subject: string,
  predicate: readonly string[],
): Promise<Why[]> {
  const meant = await view.entities.resolve(entityOf(subject));
  if (meant.length === 0) throw unknownName(subject);
  const reasons: Why[] = [];
  const facts = view.stream({
    subject: entityOf(subject),
    ...(predicate.length === 0 ? {} : { predicate }),
  });
  for await (const fact of facts) reasons.push(await view.why(fact));
  return reasons;
}

/** Length of an id of a fact, letter and hash. */
const WHOLE = 34;

/** The one fact, of all known times, whose id begins so. */
export async function wholeId(view: Handle | View, start: string): Promise<string> {
  if (start.length === WHOLE) return start;
  const found = new Set<string>();
  for await (const { opened } of view.changes()) {
    for (const { id } of opened) if (id.startsWith(start)) found.add(id);
  }
  const [id, ...others] = found;
  if (id !== undefined && others.length === 0) return id;
  throw new PalimpsestError(
    'NOT_FOUND',
    id === undefined
      ? `There is no fact ${start}, or it cannot be seen from here.`
      : `Several facts begin with ${start}: ${[...found].join(', ')}.`,
    { field: 'fact' },
  );
}
