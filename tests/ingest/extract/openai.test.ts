import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  openAiExtractor,
  PalimpsestError,
  type OpenAiExtractorOptions,
} from '../../../lib/index.js';
import { strictSchema } from '../../../lib/ingest/extract/strict-schema.js';
import { candidate, event, failureOf, patience, request } from './asking.js';
import {
  answer,
  failure,
  message,
  raw,
  startEndpoint,
  type ChatRequest,
  type Endpoint,
  type Reaction,
} from './endpoint.js';

const KEY = ['sk', 'test', 'a1b2c3d4e5f6'].join('-');
const asked = request([event(0, 'We use Postgres now.')]);

async function scripted(
  reactions: readonly Reaction[],
  options: Partial<OpenAiExtractorOptions> = {},
): Promise<{
  endpoint: Endpoint;
  extract: () => ReturnType<ReturnType<typeof openAiExtractor>['extract']>;
}> {
  const endpoint = await startEndpoint();
  endpoint.script(...reactions);
  const extractor = openAiExtractor({
    baseURL: endpoint.url,
    apiKey: KEY,
    model: 'scripted',
    timeoutMs: 5_000,
    ...options,
  });
  return { endpoint, extract: () => extractor.extract(asked, patience) };
}

const formats = ({ requests }: Endpoint): string[] =>
  requests.map(({ response_format }) => response_format.type);

const lastMessage = (sent: ChatRequest | undefined): string => sent?.messages.at(-1)?.content ?? '';

describe('an endpoint with structured output', () => {
  test('is asked once, with the strict schema, and says what it has used', async () => {
    const { endpoint, extract } = await scripted([answer(candidate())]);
    expect(await extract()).toEqual({
      candidates: [candidate()],
      usage: { calls: 1, inputTokens: 1000, outputTokens: 100, cost: null },
    });
    expect(endpoint.requests).toHaveLength(1);
    const [sent] = endpoint.requests;
    expect(sent?.response_format.json_schema).toMatchObject({
      strict: true,
      schema: strictSchema(),
    });
    expect(sent?.messages.map((m) => m.role)).toEqual(['system', 'user']);
    expect(endpoint.headers[0]?.authorization).toBe(`Bearer ${KEY}`);
  });

  test('the schema requires every member and allows no other, at every level', () => {
    const objects: { properties: object; required: string[]; additionalProperties: unknown }[] = [];
    JSON.stringify(strictSchema(), (_, value) => {
      if (value?.type === 'object') objects.push(value);
      return value as unknown;
    });
    expect(objects).toHaveLength(2);
    for (const { properties, required, additionalProperties } of objects) {
      expect(additionalProperties).toBe(false);
      expect(required.toSorted()).toEqual(Object.keys(properties).toSorted());
    }
  });

  test('cost follows the price', async () => {
    const price = { inputPerMillion: 2, outputPerMillion: 10 };
    const { extract } = await scripted([answer()], { price });
    expect((await extract()).usage.cost).toBeCloseTo(0.003);
  });

  test.each([null, 'much', { prompt_tokens: -5, completion_tokens: 'many' }, {}])(
    'usage that makes no sense counts as a call without tokens: %j',
    async (usage) => {
      const { extract } = await scripted([message('{"candidates":[]}', { usage })]);
      expect((await extract()).usage).toEqual({
        calls: 1,
        inputTokens: 0,
        outputTokens: 0,
        cost: null,
      });
    },
  );

  test('the room for an answer grows with the events, up to a limit', async () => {
    const endpoint = await startEndpoint();
    endpoint.script(answer());
    const options = { baseURL: endpoint.url, apiKey: KEY, model: 'scripted' };
    const long = request([event(0, 'We use Postgres. '.repeat(1_000))]);
    await openAiExtractor(options).extract(asked, patience);
    await openAiExtractor(options).extract(long, patience);
    await openAiExtractor({ ...options, maxOutputTokens: 2_000 }).extract(long, patience);
    const [small, large, limited] = endpoint.requests.map((sent) => sent.max_tokens ?? 0);
    expect(small).toBeLessThan(1_200);
    expect(large).toBeGreaterThan(4_000);
    expect(limited).toBe(2_000);
  });
});

describe('what an endpoint understands is found out, and remembered', () => {
  test('without structured output JSON mode takes its place', async () => {
    const refusal = failure(400, 'This response_format type is unavailable now');
    const { endpoint, extract } = await scripted([refusal, answer(candidate())]);
    expect((await extract()).usage.calls).toBe(1);
    await extract();
    expect(formats(endpoint)).toEqual(['json_schema', 'json_object', 'json_object']);
    expect(JSON.stringify(endpoint.requests[1]?.messages)).toMatch(/json/iu);
  });

  test('a refusal in vague words is tried in JSON mode, too', async () => {
    const { endpoint, extract } = await scripted([failure(422, 'Unprocessable'), answer()]);
    await extract();
    expect(formats(endpoint)).toEqual(['json_schema', 'json_object']);
  });

  test('a refusal that JSON mode does not cure is told, and nothing is remembered', async () => {
    const refusal = failure(400, 'The prompt is too long');
    const { endpoint, extract } = await scripted([refusal, refusal, answer()]);
    expect(await failureOf(extract())).toMatchObject({ retry: 'never' });
    await extract();
    expect(formats(endpoint)).toEqual(['json_schema', 'json_object', 'json_schema']);
  });

  test('an endpoint that has proved itself is not doubted for a vague refusal', async () => {
    const { endpoint, extract } = await scripted([
      answer(),
      failure(400, 'The prompt is too long'),
    ]);
    await extract();
    expect(await failureOf(extract())).toMatchObject({ retry: 'never' });
    expect(formats(endpoint)).toEqual(['json_schema', 'json_schema']);
  });

  test('a mode that is asked for is kept to', async () => {
    const json = await scripted([answer()], { mode: 'json' });
    await json.extract();
    expect(formats(json.endpoint)).toEqual(['json_object']);
    const schema = await scripted([failure(400, 'no response_format')], { mode: 'schema' });
    expect(await failureOf(schema.extract())).toMatchObject({ retry: 'never' });
    expect(formats(schema.endpoint)).toEqual(['json_schema']);
  });

  test('the name of the cap, and the temperature', async () => {
    const { endpoint, extract } = await scripted([
      failure(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
      failure(400, "Unsupported value: 'temperature' does not support 0 with this model."),
      answer(),
    ]);
    await extract();
    await extract();
    expect(endpoint.requests).toHaveLength(4);
    const last = endpoint.requests[3];
    expect(last?.max_completion_tokens).toBeGreaterThan(1_000);
    expect(last).not.toHaveProperty('max_tokens');
    expect(last).not.toHaveProperty('temperature');
    expect(last?.response_format.type).toBe('json_schema');
  });

  test('an endpoint that refuses everything is given up soon', async () => {
    const words = 'unsupported: max_tokens, max_completion_tokens, temperature, response_format';
    const { endpoint, extract } = await scripted([failure(400, words)]);
    expect(await failureOf(extract())).toMatchObject({ retry: 'never' });
    expect(endpoint.requests.length).toBeLessThanOrEqual(4);
  });
});

describe('an answer that is no good is asked for once more', () => {
  test('with the answer, and what was wrong with it', async () => {
    const wrong = JSON.stringify({ candidates: [candidate({ action: 'remember' })] });
    const { endpoint, extract } = await scripted([message(wrong), answer(candidate())]);
    const { candidates, usage } = await extract();
    expect(candidates).toEqual([candidate()]);
    expect(usage).toMatchObject({ calls: 2, inputTokens: 2000, outputTokens: 200 });
    const sent = endpoint.requests[1]?.messages ?? [];
    expect(sent.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(sent[2]?.content).toBe(wrong);
    expect(sent[3]?.content).toContain('candidates[0].action');
  });

  test.each<[string, Reaction]>([
    ['blank', message('')],
    ['white space', message('\n \n')],
    ['null', message(null)],
    ['no choices', raw(200, '{"choices":[]}')],
  ])('%s', async (_, blank) => {
    const { endpoint, extract } = await scripted([blank, answer(candidate())]);
    expect((await extract()).candidates).toEqual([candidate()]);
    const [, sent] = endpoint.requests;
    expect(sent?.messages.map((m) => m.role)).toEqual(['system', 'user']);
    expect(lastMessage(sent)).toContain('The answer was empty.');
  });

  test('twice, and it has failed for good, with what both have used', async () => {
    const { endpoint, extract } = await scripted([message('I would rather talk.')]);
    const error = await failureOf(extract());
    expect(error).toMatchObject({ retry: 'never', usage: { calls: 2, inputTokens: 2000 } });
    expect(error.message).toContain('no valid answer');
    expect(error.message).not.toContain('rather');
    expect(endpoint.requests).toHaveLength(2);
  });

  test('candidates that stay wrong are handed on to be refused beside the good ones', async () => {
    const wrong = candidate({ quote: null });
    const { extract } = await scripted([answer(candidate(), wrong)]);
    expect((await extract()).candidates).toEqual([candidate(), wrong]);
  });

  test('a failure of the second call tells what the first has used', async () => {
    const { extract } = await scripted([message('?'), failure(503, 'away')]);
    expect(await failureOf(extract())).toMatchObject({
      retry: 'later',
      usage: { calls: 1, inputTokens: 1000 },
    });
  });

  test('a long answer is not sent back in full', async () => {
    const { endpoint, extract } = await scripted([message('blah '.repeat(20_000)), answer()]);
    await extract();
    expect(endpoint.requests[1]?.messages[2]?.content.length).toBeLessThanOrEqual(4_000);
  });
});

describe('an answer that was cut off', () => {
  const cut = message(JSON.stringify({ candidates: [candidate(), candidate()] }).slice(0, -20), {
    finish: 'length',
  });

  test('is asked for once more, shorter, and nothing of it is used', async () => {
    const { endpoint, extract } = await scripted([cut, answer(candidate({ object: 'MySQL' }))]);
    expect((await extract()).candidates).toEqual([candidate({ object: 'MySQL' })]);
    const [first, second] = endpoint.requests;
    expect(lastMessage(second)).toContain('10 most important');
    expect(second?.max_tokens).toBe(2 * (first?.max_tokens ?? 0));
  });

  test('twice, has failed for good', async () => {
    const { endpoint, extract } = await scripted([cut]);
    const error = await failureOf(extract());
    expect(error).toMatchObject({ retry: 'never', usage: { calls: 2 } });
    expect(error.message).toContain('cut off');
    expect(endpoint.requests).toHaveLength(2);
  });
});

describe('answers in other shapes', () => {
  const whole = JSON.stringify({ candidates: [candidate()] });
  test.each<[string, Reaction]>([
    ['a fence', message(`\`\`\`json\n${whole}\n\`\`\``)],
    ['prose around', message(`Here you are:\n${whole}\nThat is all {I think}.`)],
    [
      'parts',
      message([
        { type: 'text', text: whole.slice(0, 9) },
        { type: 'text', text: whole.slice(9) },
      ]),
    ],
    [
      'a call of a tool',
      message(null, {
        finish: 'tool_calls',
        message: {
          tool_calls: [{ id: 't', type: 'function', function: { name: 'save', arguments: whole } }],
        },
      }),
    ],
    ['a list at top level', message(JSON.stringify([candidate()]))],
    ['half a surrogate pair', message(whole.replace('We use', '\\ud83dWe use'))],
  ])('%s', async (_, reaction) => {
    const { endpoint, extract } = await scripted([reaction]);
    expect((await extract()).candidates).toEqual([candidate()]);
    expect(endpoint.requests).toHaveLength(1);
  });

  test.each<[string, Reaction]>([
    ['a refusal of the model', message(null, { message: { refusal: 'I cannot help with that.' } })],
    ['a content filter', message('', { finish: 'content_filter' })],
    ['a page of a proxy', raw(200, '<html>Sign in</html>', 'text/html')],
    ['JSON that is no completion', raw(200, '{"ok":true}')],
    ['a response without an end', raw(200, `{"choices": "${'x'.repeat(9 * 1024 * 1024)}"}`)],
  ])('%s will not be cured by asking again', async (_, reaction) => {
    const { endpoint, extract } = await scripted([reaction]);
    expect(await failureOf(extract())).toMatchObject({ retry: 'never' });
    expect(endpoint.requests).toHaveLength(1);
  });
});

describe('what a failure means', () => {
  test.each([
    [408, 'later'],
    [409, 'later'],
    [429, 'later'],
    [402, 'later'],
    [500, 'later'],
    [502, 'later'],
    [503, 'later'],
    [529, 'later'],
    [401, 'never'],
    [403, 'never'],
    [404, 'never'],
    [413, 'never'],
    [501, 'never'],
  ] as const)('%i: %s', async (status, retry) => {
    const { endpoint, extract } = await scripted([failure(status, 'Some words')], { mode: 'json' });
    const error = await failureOf(extract());
    expect(error).toMatchObject({ retry, usage: { calls: 0, cost: null } });
    expect(error.message).toContain(String(status));
    // Trying again is the job's: the call is made once.
    expect(endpoint.requests).toHaveLength(1);
  });

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '1500', 'retry-after': '7' }, 1_500],
    [{ 'retry-after': '99999999999' }, 86_400_000],
    [{ 'retry-after': '-7' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    [{}, null],
  ])('%j is heeded', async (headers, wait) => {
    const { extract } = await scripted([failure(429, 'Slow down', headers)]);
    expect((await failureOf(extract())).retryAfterMs).toBe(wait);
  });

  test('a date to wait for counts from now', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const { extract } = await scripted([failure(503, 'Away', { 'retry-after': date })]);
    const { retryAfterMs } = await failureOf(extract());
    expect(retryAfterMs).toBeGreaterThan(55_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  test('an error in the body of a success counts as what it is', async () => {
    const limited = raw(200, '{"error":{"code":429,"message":"Rate limited upstream"}}');
    const { extract } = await scripted([limited]);
    expect(await failureOf(extract())).toMatchObject({ retry: 'later' });
  });

  test('the key is in no message, even where the endpoint repeats it', async () => {
    for (const status of [400, 401, 403, 429]) {
      const { extract } = await scripted([failure(status, `Bad key ${KEY} in "Bearer ${KEY}"`)]);
      const error = await failureOf(extract());
      expect(`${error.message} ${String(error.stack)} ${JSON.stringify(error)}`).not.toContain(KEY);
      expect(error.message.length).toBeLessThan(500);
    }
  });

  test('nobody there', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const baseURL = `http://127.0.0.1:${port}/v1`;
    const extractor = openAiExtractor({ baseURL, apiKey: KEY, model: 'scripted' });
    const error = await failureOf(extractor.extract(asked, patience));
    expect(error).toMatchObject({ retry: 'later' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('a connection that breaks in the middle of an answer', async () => {
    const { extract } = await scripted([
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"choices":');
        setTimeout(() => response.destroy(), 20);
      },
    ]);
    expect(await failureOf(extract())).toMatchObject({ retry: 'later' });
  });

  test('no answer in time, neither before nor after the headers', async () => {
    const silent: Reaction = () => undefined;
    const halting: Reaction = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":');
    };
    for (const reaction of [silent, halting]) {
      const { extract } = await scripted([reaction], { timeoutMs: 150 });
      const error = await failureOf(extract());
      expect(error).toMatchObject({ retry: 'later', usage: { calls: 1 } });
      expect(error.message).toContain('150 ms');
    }
  });

  test('breaking off is no failure of the endpoint', async () => {
    const endpoint = await startEndpoint();
    const abort = new AbortController();
    endpoint.script(() => abort.abort(new Error('enough')));
    const extractor = openAiExtractor({ baseURL: endpoint.url, apiKey: KEY, model: 'scripted' });
    await expect(extractor.extract(asked, abort.signal)).rejects.toThrow('enough');
  });
});

describe('options are checked when the extractor is made', () => {
  test.each([
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: `${KEY}\nX-Header: 1` }],
    ['model', { model: ' ' }],
    ['baseURL', { baseURL: 'file:///etc/passwd' }],
    ['mode', { mode: 'xml' }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['price.outputPerMillion', { price: { inputPerMillion: 1, outputPerMillion: -1 } }],
  ])('%s: %j', (field, wrong) => {
    const make = (): unknown =>
      openAiExtractor({ apiKey: KEY, model: 'm', ...wrong } as OpenAiExtractorOptions);
    expect(make).toThrow(PalimpsestError);
    expect(make).toThrow(expect.objectContaining({ field }));
    expect(make).not.toThrow(KEY);
  });

  test('a line end after the key is no part of it', async () => {
    const { endpoint, extract } = await scripted([answer()], { apiKey: `${KEY}\n` });
    await extract();
    expect(endpoint.headers[0]?.authorization).toBe(`Bearer ${KEY}`);
  });
});
