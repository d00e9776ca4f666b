import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** Where the sets lie; from the root of the repository unless told. */
const FOLDER = resolve(process.env['PALIMPSEST_FIXTURES'] ?? '../shared/fixtures');

const QuestionsSchema = z.array(
  z.object({
    question: z.string(),
    question_type: z.string(),
    question_date: z.string(),
    sessions: z.array(
      z.object({
        date: z.string(),
        turns: z.array(z.object({ role: z.string(), content: z.string() })),
      }),
    ),
  }),
);

const BankSchema = z.array(
  z.object({
    user: z.string(),
    days: z.array(
      z.object({
        date: z.string(),
        exchanges: z.array(z.object({ id: z.string(), user: z.string(), assistant: z.string() })),
      }),
    ),
    questions: z.array(z.object({ q: z.string(), gold: z.array(z.string()) })),
  }),
);

async function read(path: string): Promise<unknown> {
  return JSON.parse(await readFile(join(FOLDER, path), 'utf8'));
}

/** An event of a conversation, as the benchmarks search it. */
export interface BenchEvent {
  readonly scope: number;
  /** `2023-05-02`. */
  readonly day: string;
  readonly speaker: string | null;
  readonly text: string;
  /** What was said in one sitting, in order; neighbours are of one sitting. */
  readonly sitting: number;
}

export interface BenchQuestion {
  readonly text: string;
  readonly scope: number;
  /** When it was asked, epoch milliseconds. */
  readonly askedAt: number;
  /** The events which answer it, by their place in the set. */
  readonly gold: ReadonlySet<number>;
}

export interface BenchSet {
  readonly events: readonly BenchEvent[];
  readonly questions: readonly BenchQuestion[];
}

/** `2023/04/10 (Mon) 23:07` */
const dayOf = (date: string): string => date.slice(0, 10).replaceAll('/', '-');
const instantOf = (date: string): number => Date.parse(`${dayOf(date)}T${date.slice(-5)}Z`);

/** All turns of all questions in one pool. */
export async function longMemEval(): Promise<BenchSet> {
  const events: BenchEvent[] = [];
  let sitting = 0;
  const questions = QuestionsSchema.parse(await read('longmemeval-evidence/questions.json')).map(
    (question): BenchQuestion => {
      const gold = new Set<number>();
      for (const { date, turns } of question.sessions) {
        for (const { role, content } of turns) {
          gold.add(events.length);
          events.push({ scope: 0, day: dayOf(date), speaker: role, text: content, sitting });
        }
        sitting++;
      }
      const askedAt = instantOf(question.question_date);
      return { text: question.question, scope: 0, askedAt, gold };
    },
  );
  return { events, questions };
}

/** A statement and when it was said, epoch milliseconds. */
export interface Statement {
  readonly text: string;
  readonly at: number;
}

/** A question whose answer a second statement has changed. */
export interface Update {
  readonly question: string;
  readonly askedAt: number;
  readonly stale: Statement;
  readonly newest: Statement;
}

/** The questions of the pool that are about updates and have two sessions. */
export async function knowledgeUpdates(): Promise<readonly Update[]> {
  const all = QuestionsSchema.parse(await read('longmemeval-evidence/questions.json'));
  return all.flatMap(({ question, question_type, question_date, sessions }): Update[] => {
    const [stale, newest] = sessions.map(({ date, turns }) => ({
      text: turns.map(({ content }) => content).join('\n'),
      at: instantOf(date),
    }));
    if (question_type !== 'knowledge-update' || stale === undefined || newest === undefined) {
      return [];
    }
    return [{ question, askedAt: instantOf(question_date), stale, newest }];
  });
}

/** Each user's events in a scope of their own, or all in one. */
export async function memoryBank(pooled: boolean): Promise<BenchSet> {
  const events: BenchEvent[] = [];
  const questions: BenchQuestion[] = [];
  let sitting = 0;
  for (const [index, { user, days, questions: asked }] of BankSchema.parse(
    await read('memorybank-zh/bank.json'),
  ).entries()) {
    const scope = pooled ? 0 : index;
    const places = new Map<string, number>();
    for (const { date, exchanges } of days) {
      for (const { id, user: said, assistant } of exchanges) {
        places.set(id, events.length);
        const text = `${said}\nassistant: ${assistant}`;
        events.push({ scope, day: date, speaker: user, text, sitting });
      }
      sitting++;
    }
    // The set names no day of asking: the evening of the last one.
    const askedAt = Date.parse(`${days.at(-1)?.date ?? '1970-01-01'}T23:00Z`);
    for (const { q, gold } of asked) {
      const known = gold.flatMap((id) => places.get(id) ?? []);
      questions.push({ text: q, scope, askedAt, gold: new Set(known) });
    }
  }
  return { events, questions };
}
