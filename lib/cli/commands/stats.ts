import { Command } from 'commander';
import type { GraphState, ScopeCount, Stats } from '../../index.js';
import { scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { bytesText, scopeText } from '../show.js';
import { tableLines } from '../table.js';

export function statsCommand(): Command {
  return withScope(new Command('stats'))
    .description(
      'how much a store holds; with --scope org=… also what is in each scope of that org',
    )
    .action(async (flags: CommonOptions) => {
      const output = new Output(flags.json ?? false);
      const org = flags.scope === undefined ? null : scopeOf(flags).org;
      await withMemory(flags, async (memory) => {
        // The engine is opened for this alone: what cannot be opened says so in its state.
        await memory.syncGraph();
        const stats = await memory.stats();
        const scopes = org === null ? null : await memory.admin({ org }).scopes();
        if (output.json) return output.document(scopes === null ? stats : { ...stats, scopes });
        await output.lines(statLines(stats, output));
        if (scopes !== null) await output.lines(['', ...scopeLines(scopes, output)]);
      });
    });
}

function statLines(stats: Stats, output: Output): string[] {
  const { predicates } = stats;
  return tableLines(
    [{ title: '' }, { title: '' }],
    [
      ['transactions', String(stats.transactions)],
      ['claims', String(stats.claims)],
      ['entities', String(stats.entities)],
      ['facts of all times', String(stats.facts)],
      ['facts believed now', String(stats.believed)],
      ['waiting for approval', String(stats.held)],
      ['journal', bytesText(stats.journalBytes)],
      ['index in memory', bytesText(stats.indexBytes)],
      ['graph', graphText(stats.graph)],
      ['time zone', stats.timeZone],
      ['declared predicates', predicates.length === 0 ? 'none' : predicates.join(', ')],
    ],
    output,
  ).slice(1);
}

export function graphText(graph: GraphState): string {
  switch (graph.state) {
    case 'ready':
      return `${graph.engine}, up to tx ${graph.appliedTx}`;
    case 'rebuilt':
      return `${graph.engine}, up to tx ${graph.appliedTx}, built anew: ${graph.why}`;
    case 'unavailable':
      return `none: ${graph.why}`;
    case 'failed':
      return `${graph.engine} failed: ${graph.why}`;
  }
}

function scopeLines(scopes: readonly ScopeCount[], output: Output): string[] {
  return tableLines(
    ['scope', 'claims', 'facts', 'entities'].map((title) => ({ title })),
    scopes.map(({ scope, claims, facts, entities }) => [
      scopeText(scope),
      String(claims),
      String(facts),
      String(entities),
    ]),
    output,
  );
}
