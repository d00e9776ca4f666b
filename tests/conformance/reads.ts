import type { Memory } from '../../lib/index.js';
import type { Model } from './model.js';
import type { Random } from './random.js';
import { LONER, PEOPLE, PREDICATES, SCOPES, THINGS, day } from './world.js';
import { outcome } from './work.js';

export interface Question {
  readonly name: string;
  readonly ask: (memory: Memory) => Promise<unknown>;
}

/** Something to ask, at a random point of both axes. */
export function nextQuestion(random: Random, model: Model, lastTx: number): Question {
  const scope = random.pick(SCOPES);
  const validAt = day(random);
  const knownAt = { tx: random.chance(0.4) ? lastTx : random.below(lastTx + 1) };
  const moment = { validAt, knownAt };
  const subject = random.pick([...PEOPLE, ...THINGS, LONER]);
  const predicate = random.pick([...PREDICATES, 'owns', 'lead']);
  const question = (
    what: string,
    ask: (h: ReturnType<Memory['in']>) => Promise<unknown>,
  ): Question => ({
    name: `${what} of ${JSON.stringify({ scope, ...moment, subject, predicate })}`,
    ask: (memory) => outcome(() => ask(memory.in(scope))),
  });
  switch (random.below(11)) {
    case 0:
      return question('all facts', (h) => h.facts(moment));
    case 1:
      return question('facts of a subject', (h) => h.facts({ subject, ...moment }));
    case 2:
      return question('facts of a predicate', (h) =>
        h.facts({ predicate, orderBy: 'subject', ...moment }),
      );
    case 3: {
      const object =
        predicate === 'uses' ? random.pick([{ entity: 'shop' }, 1, 'MySQL', true]) : subject;
      return question('facts of an object', (h) => h.facts({ predicate, object, ...moment }));
    }
    case 4:
      return question('facts during', (h) =>
        h.facts({
          during: { from: validAt, to: `${Number(validAt.slice(0, 4)) + 1}-12-31` },
          knownAt,
          limit: 20,
        }),
      );
    case 5:
      return question('history', (h) => h.history({ subject, knownAt }));
    case 6:
      return question('history of a key', (h) => h.history({ subject, predicate, knownAt }));
    case 7: {
      const hops = 1 + random.below(3);
      return question('neighbours', (h) => h.neighbors({ subject, hops, ...moment }));
    }
    case 8: {
      const to = random.pick(PEOPLE);
      return question('paths', (h) => h.paths({ from: subject, to, maxHops: 3, ...moment }));
    }
    case 9: {
      const facts = model.all();
      const fact = facts.length === 0 ? 'f_0' : random.pick(facts).id;
      return question('why', (h) => h.asOf({ valid: validAt, known: knownAt }).why(fact));
    }
    default:
      return question('entities', async (h) => ({
        resolved: await h.asOf({ known: knownAt }).entities.resolve(subject),
        all: await h.asOf({ known: knownAt }).entities.list().toArray(),
      }));
  }
}

/** A round of questions that touches every scope and every verb, the same for two memories. */
export async function everything(memory: Memory): Promise<unknown> {
  const answers: unknown[] = [];
  for (const scope of SCOPES) {
    const h = memory.in(scope);
    for (const validAt of ['2021-03-05', '2024-08-01']) answers.push(await h.facts({ validAt }));
    for (const subject of [LONER, ...THINGS]) {
      answers.push(await outcome(() => h.history({ subject })));
      answers.push(await outcome(() => h.neighbors({ subject, hops: 3, validAt: '2023-05-05' })));
    }
    answers.push(await h.changes().toArray());
    answers.push(await h.entities.list().toArray());
  }
  answers.push(await memory.admin({ org: 'acme' }).scopes());
  return answers;
}
