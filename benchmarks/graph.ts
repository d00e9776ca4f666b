import { performance } from 'node:perf_hooks';
import type { Memory, OntologyDefinition } from '../lib/index.js';
import { contestant, race } from './measure.js';
import { cases, memoryWay, sampleIn, type Question } from './reads.js';
import type { Figure } from './report.js';
import { handleOf, openWorld } from './world.js';

const COLD = 40;

const AS_OF = `MATCH (s:Entity {id: $id})-[:SUBJECT]->(f:Fact)
WHERE CASE WHEN f.validFrom <= $valid AND f.validTo > $valid AND f.knownFrom <= $known AND f.knownTo > $known
  AND f.polarity = 'assert' THEN true ELSE false END
RETURN f.id AS id, f.predicate AS predicate, f.object AS object, f.validFrom AS validFrom, f.validTo AS validTo,
  f.knownFrom AS knownFrom, f.knownTo AS knownTo ORDER BY f.validFrom DESC, f.id LIMIT 20`;

const HOPS = `MATCH (s:Entity)-[a:SUBJECT]->(f:Fact)-[b:OBJECT]->(m:Entity)-[c:SUBJECT]->(g:Fact)
WHERE s.id = $id
  AND CASE WHEN f.validFrom <= $valid AND f.validTo > $valid AND f.knownFrom <= $known AND f.knownTo > $known THEN true ELSE false END
  AND CASE WHEN g.validFrom <= $valid AND g.validTo > $valid AND g.knownFrom <= $known AND g.knownTo > $known THEN true ELSE false END
RETURN count(*) AS edges`;

const HISTORY = `MATCH (s:Entity {id: $id})-[:SUBJECT]->(f:Fact)
WHERE CASE WHEN f.predicate = $predicate AND f.knownFrom <= $known THEN true ELSE false END
RETURN f.id AS id, f.predicate AS predicate, f.object AS object, f.validFrom AS validFrom, f.validTo AS validTo,
  f.knownFrom AS knownFrom, f.knownTo AS knownTo ORDER BY f.knownFrom, f.validFrom, f.id`;

/** The graph at rest: how fast it takes everything in, and how fast it answers where nothing is resident. */
export async function graphReads(
  part: string,
  folder: string,
  facts: number,
): Promise<readonly Figure[]> {
  const memory = await openWorld(folder, 'kuzu', false);
  const start = performance.now();
  const state = await memory.syncGraph();
  const seconds = (performance.now() - start) / 1000;
  if (state.state === 'failed' || state.state === 'unavailable')
    throw new Error(`No graph: ${state.why}`);
  const stats = await memory.stats();
  const figures: Figure[] = [
    {
      part,
      what: `graph built from the journal (${state.engine})`,
      unit: 'facts/s',
      value: stats.facts / seconds,
    },
  ];
  const handle = handleOf(memory);
  for (const { what, kind, questions } of cases(facts, stats.transactions, COLD)) {
    if (what.includes('any entity')) continue;
    const few = questions.slice(0, what.includes('hops') && what.includes('1,000') ? 5 : COLD);
    const text = { newest: AS_OF, hops: HOPS, history: HISTORY }[kind];
    const cold = await race(what, few, [memoryWay('cold', kind, handle)], 300);
    const raw = await race(
      what,
      await named(memory, few),
      [
        contestant('raw', {
          ask: ({ id, valid, known, predicate }: Question & { id: string }) =>
            memory.cypher(
              text,
              kind === 'history' ? { id, known, predicate } : { id, known, valid },
            ),
          answer: () => null,
        }),
      ],
      300,
    );
    const sample = sampleIn(cold, 'cold');
    const isBar =
      kind === 'newest' &&
      !what.includes('hub-many') &&
      (what.includes('10 edges') || what.includes('1,000 edges'));
    figures.push({
      part,
      what: `${what}, nothing resident`,
      unit: 'ms',
      value: sample.p50,
      sample,
      kuzu: sampleIn(raw, 'raw'),
      ...(isBar ? { bar: { text: 'under 20 ms', met: sample.p50 < 20 } } : {}),
    });
  }
  await memory.close();
  return figures;
}

async function named(
  memory: Memory<OntologyDefinition>,
  questions: readonly Question[],
): Promise<readonly (Question & { id: string })[]> {
  const ids = new Map<string, string>();
  const handle = handleOf(memory);
  for (const { subject } of questions) {
    if (ids.has(subject)) continue;
    const [entity] = await handle.entities.resolve(subject);
    if (entity === undefined) throw new Error(`There is no ${subject}.`);
    ids.set(subject, entity.id);
  }
  return questions.map((q) => ({ ...q, id: ids.get(q.subject) ?? '' }));
}
