import { describe, expect, test } from 'vitest';
import { ontology, type Dialogue, type Expected } from '../../../benchmarks/extraction/label.js';
import { LABELLED } from '../../../benchmarks/extraction/labelled.js';
import { dialogueLines, scoreLines } from '../../../benchmarks/extraction/report.js';
import { runDialogue, type Outcome } from '../../../benchmarks/extraction/run.js';
import { match, score } from '../../../benchmarks/extraction/score.js';
import { openAiExtractor, type ExtractedCandidate } from '../../../lib/index.js';
import { candidate } from './asking.js';
import { answer, startEndpoint, type ChatRequest } from './endpoint.js';

const ACTIONS = { says: 'add', denies: 'deny', ends: 'end', same: 'merge' } as const;

/** The events of a prompt, as the model sees them. */
const shown = (request: ChatRequest): { seq: number; text: string }[] =>
  (request.messages[1]?.content.split('<events>\n')[1]?.split('\n</events>')[0] ?? '')
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; text: string });

const candidateOf = (e: Expected, quote: string): Record<string, unknown> =>
  candidate({
    action: ACTIONS[e.stance],
    subject: e.subject[0],
    predicate: e.predicate,
    object: e.object[0],
    validFrom: e.from ?? null,
    validTo: e.to ?? null,
    statement: null,
    confidence: e.doubtful === true ? 0.4 : 0.95,
    seq: e.seq,
    quote,
  });

/** What comes of the dialogues when the model answers each turn by the labels, changed by `change`. */
async function outcomesOf(
  dialogues: readonly Dialogue[],
  change: (claims: readonly object[], event: { text: string }) => readonly object[] = (c) => c,
): Promise<Outcome[]> {
  const endpoint = await startEndpoint();
  const extractor = openAiExtractor({ baseURL: endpoint.url, apiKey: 'none', model: 'scripted' });
  const outcomes: Outcome[] = [];
  for (const dialogue of dialogues) {
    endpoint.script((response, request) => {
      const claims = shown(request).flatMap((event) =>
        change(
          dialogue.expected
            .filter((e) => e.seq === event.seq)
            .map((e) => candidateOf(e, event.text)),
          event,
        ),
      );
      answer(...claims)(response, request);
    });
    outcomes.push(await runDialogue(dialogue, extractor));
  }
  return outcomes;
}

describe('the labelled set', () => {
  test('has enough turns, in both languages, and no name twice', () => {
    const turns = LABELLED.flatMap((dialogue) => dialogue.turns);
    const chinese = turns.filter((turn) => /\p{Script=Han}/u.test(turn.text));
    expect(turns.length).toBeGreaterThanOrEqual(60);
    expect(chinese.length).toBeGreaterThanOrEqual(25);
    expect(turns.length - chinese.length).toBeGreaterThanOrEqual(25);
    expect(new Set(LABELLED.map((d) => d.name)).size).toBe(LABELLED.length);
  });

  test('labels turns that exist, with predicates that are declared', () => {
    for (const { turns, expected, name } of LABELLED) {
      for (const { seq, predicate } of expected) {
        expect(turns[seq], `${name} #${seq}`).toBeDefined();
        expect(Object.keys(ontology.predicates)).toContain(predicate);
      }
    }
  });

  test('whoever answers by the labels gets full marks, and nothing of it is refused', async () => {
    const outcomes = await outcomesOf(LABELLED);
    expect(outcomes.flatMap((o) => [...o.refused, ...o.failed])).toEqual([]);
    const s = score(outcomes);
    expect(s.recall.of).toBeGreaterThan(45);
    expect(s.recall.right).toBe(s.recall.of);
    expect(s.precision.right).toBe(s.precision.of);
    expect(s.times.of).toBeGreaterThan(10);
    expect(s.times.right).toBe(s.times.of);
    expect(s.doubts.right).toBe(s.doubts.of);
    expect(s.leaks).toBe(0);
  });

  test('dates in the words of the turn are resolved to those of the labels', async () => {
    const words = ['Yesterday', 'last year', 'last month', '昨天', '去年', '上个月'];
    const relative = LABELLED.filter((d) => ['relative dates', '相对日期'].includes(d.name));
    const outcomes = await outcomesOf(relative, (claims, { text }) =>
      claims.map((c) => ({ ...c, validFrom: words.find((word) => text.includes(word)) })),
    );
    expect(score(outcomes).times).toEqual({ right: 6, of: 6 });
  });

  test('no secret of a turn reaches the model', async () => {
    const secret = LABELLED.filter((d) => d.secrets !== undefined);
    const seen: string[] = [];
    await outcomesOf(secret, (claims, { text }) => {
      seen.push(text);
      return claims;
    });
    expect(secret.length).toBeGreaterThanOrEqual(2);
    expect(seen.length).toBeGreaterThanOrEqual(4);
    for (const { secrets } of secret) {
      for (const value of secrets ?? []) expect(seen.join('\n')).not.toContain(value);
    }
  });
});

describe('the score', () => {
  const [plain] = LABELLED;
  const dialogue: Dialogue = plain!;

  test('counts what is missing and what is too much', async () => {
    const outcomes = await outcomesOf([dialogue], (claims) => [
      ...claims.slice(1),
      candidate({ ...claims[1], predicate: 'budget', object: 'nothing' }),
    ]);
    const { precision, recall } = score(outcomes);
    expect([precision, recall]).toEqual([
      { right: 2, of: 4 },
      { right: 2, of: 4 },
    ]);
    expect(
      dialogueLines(outcomes[0]!).filter((line) => /^ {2}(?:missed|extra)/u.test(line)),
    ).toHaveLength(4);
    expect(scoreLines(score(outcomes), outcomes[0]!.usage).join('\n')).toContain(
      '50.0 %  (2 of 4)',
    );
  });

  test('does not count a claim that code refuses', async () => {
    const [outcome] = await outcomesOf([dialogue], (claims) =>
      claims.map((c) => ({ ...c, quote: 'words that nobody has said' })),
    );
    expect(outcome?.got).toEqual([]);
    expect(outcome?.refused).toHaveLength(4);
    expect(score([outcome!])).toMatchObject({
      recall: { right: 0, of: 4 },
      precision: { right: 0, of: 0 },
    });
  });

  const expected: Expected = {
    stance: 'says',
    seq: 0,
    subject: ['Harbour'],
    predicate: 'region',
    object: ['eu-west'],
    from: '2024',
    doubtful: true,
  };
  const outcome = (claims: readonly object[], more: Partial<Dialogue> = {}): Outcome => ({
    dialogue: { ...dialogue, expected: [expected], ...more },
    got: claims.map((c) => ({
      candidate: {
        ...candidate({ subject: 'the  harbour', predicate: 'Region', object: 'EU-West' }),
        ...c,
      } as unknown as ExtractedCandidate,
      from: '2024',
      to: null,
    })),
    refused: [],
    failed: [],
    usage: { calls: 1, inputTokens: 0, outputTokens: 0, cost: null },
  });

  test('reads names without regard to case, width, articles and spaces', () => {
    expect(score([outcome([{}])]).recall).toEqual({ right: 1, of: 1 });
    expect(score([outcome([{ subject: 'Harbor' }])]).recall).toEqual({ right: 0, of: 1 });
  });

  test('tells a claim from its denial, its end and its repetition', () => {
    for (const action of ['deny', 'end', 'merge']) {
      expect(score([outcome([{ action }])]).recall.right).toBe(0);
    }
    expect(score([outcome([{}, {}])]).precision).toEqual({ right: 1, of: 2 });
    expect(
      match({ ...dialogue, expected: [expected] }, outcome([{ seq: 1 }]).got).missed,
    ).toHaveLength(1);
  });

  test('counts times and doubts of what was found', () => {
    const wrongTime = outcome([{ confidence: 0.5 }], { expected: [{ ...expected, from: '2023' }] });
    expect(score([wrongTime])).toMatchObject({
      times: { right: 0, of: 1 },
      doubts: { right: 1, of: 1 },
    });
    expect(score([outcome([{ confidence: 0.95 }])])).toMatchObject({
      times: { right: 1, of: 1 },
      doubts: { right: 0, of: 1 },
    });
  });

  test('leaves out of account what a reader may claim, and counts secrets', () => {
    const optional = { ...expected, optional: true as const };
    expect(score([outcome([{}], { expected: [optional] })])).toMatchObject({
      recall: { right: 0, of: 0 },
      precision: { right: 0, of: 0 },
    });
    expect(score([outcome([{ quote: 'It is hunter2.' }], { secrets: ['hunter2'] })]).leaks).toBe(1);
  });
});
