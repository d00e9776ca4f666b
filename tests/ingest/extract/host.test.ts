import { describe, expect, test } from 'vitest';
import { ExtractionError, hostExtractor, recordedExtractor } from '../../../lib/index.js';
import { candidate, event, failureOf, patience, request } from './asking.js';

const asked = request([event(0, 'We use Postgres now.')]);
const whole = JSON.stringify({ candidates: [candidate()] });

function host(...answers: readonly (string | Error)[]) {
  const prompts: string[] = [];
  const extractor = hostExtractor({
    name: 'our-model',
    version: '7',
    complete: async (prompt) => {
      prompts.push(prompt);
      const next = answers[prompts.length - 1] ?? new Error('Nothing is scripted.');
      if (next instanceof Error) throw next;
      return next;
    },
  });
  return { extractor, prompts };
}

describe("a host's own model", () => {
  test('is asked in one text, and read like any other', async () => {
    const { extractor, prompts } = host(`Of course!\n${whole}`);
    expect(await extractor.extract(asked, patience)).toEqual({
      candidates: [candidate()],
      usage: { calls: 1, inputTokens: 0, outputTokens: 0, cost: null },
    });
    expect(prompts[0]).toContain('"text":"We use Postgres now."');
    expect([extractor.name, extractor.version]).toEqual(['our-model', '7']);
  });

  test('is asked once more, with what it said', async () => {
    const { extractor, prompts } = host('no "idea"', whole);
    expect((await extractor.extract(asked, patience)).usage.calls).toBe(2);
    expect(prompts[1]?.startsWith(prompts[0] ?? '')).toBe(true);
    expect(prompts[1]).toContain('You answered: "no \\"idea\\""');
  });

  test('has failed for good after that', async () => {
    const { extractor } = host('', '');
    expect(await failureOf(extractor.extract(asked, patience))).toMatchObject({
      retry: 'never',
      usage: { calls: 2 },
    });
  });

  test('says itself whether trying again helps, and what was used before counts', async () => {
    const { extractor } = host(
      '?',
      new ExtractionError('Busy.', { retry: 'later', retryAfterMs: 5 }),
    );
    expect(await failureOf(extractor.extract(asked, patience))).toMatchObject({
      message: 'Busy.',
      retry: 'later',
      retryAfterMs: 5,
      usage: { calls: 1 },
    });
  });

  test('may fail in its own way', async () => {
    const { extractor } = host(new TypeError('out of order'));
    await expect(extractor.extract(asked, patience)).rejects.toThrow(TypeError);
  });

  test('that never answers is left when the work is broken off', async () => {
    const abort = new AbortController();
    const extractor = hostExtractor({
      name: 'mute',
      version: '1',
      complete: () => {
        setTimeout(() => abort.abort(new Error('enough')), 10);
        return new Promise(() => undefined);
      },
    });
    await expect(extractor.extract(asked, abort.signal)).rejects.toThrow('enough');
  });

  test('needs a name and a function', () => {
    const complete = async (): Promise<string> => '';
    expect(() => hostExtractor({ name: '', version: '1', complete })).toThrow('name');
    expect(() => hostExtractor({ name: 'a', version: '1', complete: 'x' as never })).toThrow(
      'complete',
    );
  });
});

describe('recorded answers', () => {
  const extractor = recordedExtractor([
    {
      session: 's-1',
      seq: 0,
      candidates: [
        {
          action: 'add',
          subject: 'shop',
          predicate: 'database',
          object: 'Postgres',
          quote: 'Postgres',
        },
      ],
    },
    { session: 's-1', seq: 1, candidates: [] },
  ]);

  test('come with their event, and without a call', async () => {
    const events = [event(0, 'We use Postgres now.'), event(1, 'The weather is fine.')];
    const { candidates, usage } = await extractor.extract(request(events), patience);
    expect(candidates).toEqual([
      candidate({ objectKind: null, statement: null, confidence: null, quote: 'Postgres' }),
    ]);
    expect(usage.calls).toBe(0);
  });

  test('are missed where there are none, but for small talk and the system', async () => {
    const quiet = [event(8, 'Thanks!'), event(9, 'You are a bot.', { role: 'system' })];
    expect((await extractor.extract(request(quiet), patience)).candidates).toEqual([]);
    const other = request([event(0, 'We use Postgres now.', { session: 's-2' })]);
    expect(await failureOf(extractor.extract(other, patience))).toMatchObject({
      message: 'Nothing is recorded of s-2 #0.',
      retry: 'never',
    });
  });
});
