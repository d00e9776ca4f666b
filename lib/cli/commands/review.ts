import { Command } from 'commander';
import { PalimpsestError, type Handle, type HeldClaim } from '../../index.js';
import { UsageError } from '../failure.js';
import { collect, scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { edgeText, scopeText, stampText } from '../show.js';
import { printable } from '../width.js';

interface ReviewFlags extends CommonOptions {
  readonly approve?: readonly string[];
  readonly reject?: readonly string[];
  readonly reason?: string;
  readonly actor?: string;
}

/** What was decided about one claim. */
interface Decision {
  readonly verdict: 'approved' | 'rejected';
  readonly tx: number;
  readonly held: HeldClaim;
}

export function reviewCommand(): Command {
  return withScope(new Command('review'))
    .description(
      'claims that wait for somebody’s approval, with their evidence; approve or reject them',
    )
    .option('--approve <claim>', 'believe it (an id, or enough of it); may be repeated', collect)
    .option('--reject <claim>', 'refuse it for good; may be repeated', collect)
    .option('--reason <text>', 'why, for the journal')
    .option('--actor <name>', 'who decides, for the journal')
    .action(async (flags: ReviewFlags) => {
      const output = new Output(flags.json ?? false);
      const { approve = [], reject = [] } = flags;
      const both = approve.filter((id) => reject.includes(id));
      if (both.length > 0)
        throw new UsageError(`${both.join(', ')}: approved and rejected at once.`);
      await withMemory(flags, async (memory) => {
        const handle = memory.in(scopeOf(flags));
        const { timeZone } = await memory.stats();
        const held = await handle.held();
        if (approve.length + reject.length === 0) {
          if (output.json) {
            for (const claim of held) await output.record(claim);
            return;
          }
          if (held.length === 0) return output.remark('Nothing waits for a review.');
          return output.lines(held.flatMap((claim) => heldLines(claim, timeZone, output)));
        }
        // All are found before the first is decided upon.
        const approved = approve.map((id) => theOne(held, id));
        const rejected = reject.map((id) => theOne(held, id));
        const decisions = await decide(handle, approved, rejected, flags);
        for (const decision of decisions) {
          const { verdict, tx, held: claim } = decision;
          if (output.json) await output.record({ verdict, tx, claim });
          else await output.line(`${verdict}  ${edgeText(claim.claim, timeZone)}  tx ${tx}`);
        }
      });
    });
}

async function decide(
  handle: Handle,
  approved: readonly HeldClaim[],
  rejected: readonly HeldClaim[],
  { reason, actor }: ReviewFlags,
): Promise<Decision[]> {
  const options = {
    ...(reason === undefined ? {} : { reason }),
    ...(actor === undefined ? {} : { actor }),
  };
  const out: Decision[] = [];
  for (const held of approved) {
    const { tx } = await handle.approve(held.id, options);
    out.push({ verdict: 'approved', tx, held });
  }
  for (const held of rejected) {
    const { tx } = await handle.reject(held.id, options);
    out.push({ verdict: 'rejected', tx, held });
  }
  return out;
}

function heldLines(
  { id, why, since, claim }: HeldClaim,
  timeZone: string,
  output: Output,
): string[] {
  const not = claim.polarity === 'deny' ? 'not so: ' : '';
  return [
    `${output.style('bold', id.slice(0, 10))}  ${not}${edgeText(claim, timeZone)}  ${claim.valid}`,
    `  waits since ${stampText(since)}  ${scopeText(claim.scope)}: ${printable(why)}`,
    ...(claim.statement === null ? [] : [`  “${printable(claim.statement)}”`]),
    ...claim.evidence.map(
      (e) =>
        `  ${printable(e.session)} #${e.seq} (${e.role})${e.quote === undefined ? '' : ` “${printable(e.quote)}”`}`,
    ),
  ];
}

function theOne(held: readonly HeldClaim[], start: string): HeldClaim {
  const [found, ...others] = held.filter(({ id }) => id.startsWith(start));
  if (found !== undefined && others.length === 0) return found;
  throw new PalimpsestError(
    'NOT_FOUND',
    found === undefined
      ? `No claim ${start} waits for approval that this scope can see.`
      : `Several claims begin with ${start}.`,
    { field: 'claim' },
  );
}
