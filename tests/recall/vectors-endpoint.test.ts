import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EmbeddingError, openAiEmbedder, type OpenAiEmbedderOptions } from '../../lib/index.js';
import { opened, refused, SHOP } from '../memory/opened.js';

interface Request {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding_format: string;
  readonly dimensions?: number;
}

type Reaction = (response: ServerResponse, request: Request) => void;

const send = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

/** One number tells the texts apart. */
const vectorOf = (text: string): number[] => [text.length, 1, 0];

const answer: Reaction = (response, { input }) => {
  const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
  send(response, 200, { object: 'list', data: data.toReversed(), model: 'm' });
};

const failure =
  (status: number, message: string, headers = {}): Reaction =>
  (response) =>
    send(response, status, { error: { message } }, headers);

/** A server on this machine that speaks the embeddings API by a script; the last reaction stays. */
async function endpoint(...reactions: readonly Reaction[]) {
  const script = [...reactions];
  const requests: Request[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Request;
      requests.push(body);
      headers.push(request.headers);
      const reaction = (script.length > 1 ? script.shift() : script[0]) ?? answer;
      reaction(response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  const embedder = (options: Partial<OpenAiEmbedderOptions> = {}) =>
    openAiEmbedder({
      baseURL: `http://127.0.0.1:${port}/v1`,
      apiKey: 'key-of-the-test',
      model: 'm',
      dimensions: 3,
      ...options,
    });
  return { requests, headers, embedder };
}

const ask = (embedder: ReturnType<typeof openAiEmbedder>, texts: readonly string[]) =>
  embedder.embed(texts, { signal: new AbortController().signal });

async function failed(work: Promise<unknown>): Promise<EmbeddingError> {
  const error: unknown = await work.then(
    () => null,
    (e: unknown) => e,
  );
  if (error instanceof EmbeddingError) return error;
  throw new Error('It did not fail as an embedder fails.', { cause: error });
}

describe('an embeddings endpoint', () => {
  test('is asked in batches, and its vectors come in the order of the texts', async () => {
    const { embedder, requests, headers } = await endpoint(answer);
    const texts = ['a', 'bb', 'ccc', 'dddd', 'eeeee'];
    expect(await ask(embedder({ batch: 2 }), texts)).toEqual(texts.map(vectorOf));
    expect(requests.map(({ input }) => input)).toEqual([['a', 'bb'], ['ccc', 'dddd'], ['eeeee']]);
    expect(requests[0]).toEqual({ model: 'm', input: ['a', 'bb'], encoding_format: 'float' });
    expect(headers[0]?.authorization).toBe('Bearer key-of-the-test');
  });

  test('is asked for shorter vectors only where that is wanted', async () => {
    const { embedder, requests } = await endpoint(answer);
    await ask(embedder({ shorten: true }), ['a']);
    expect(requests[0]?.dimensions).toBe(3);
  });

  test('that is busy is asked again', async () => {
    const busy = failure(429, 'Slow down.', { 'retry-after-ms': '1' });
    const { embedder, requests } = await endpoint(busy, busy, answer);
    expect(await ask(embedder(), ['a'])).toEqual([vectorOf('a')]);
    expect(requests).toHaveLength(3);
  });

  test('that stays busy has failed for now, and says until when', async () => {
    const { embedder } = await endpoint(failure(429, 'Slow down.', { 'retry-after': '7' }));
    const error = await failed(ask(embedder({ retries: 0 }), ['a']));
    expect(error).toMatchObject({ retry: 'later', retryAfterMs: 7_000 });
    expect(error.message).toContain('busy');
  });

  test.each([
    [400, 'never'],
    [413, 'never'],
    [401, 'later'],
    [404, 'later'],
    [500, 'later'],
  ] as const)('refuses with %i: worth another try %s', async (status, retry) => {
    const { embedder } = await endpoint(failure(status, 'Not for key-of-the-test.'));
    const error = await failed(ask(embedder({ retries: 0 }), ['a']));
    expect(error.retry).toBe(retry);
    expect(error.message).not.toContain('key-of-the-test');
  });

  test('that does not answer is given up, neither before nor after the headers', async () => {
    for (const hang of [
      () => undefined,
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"data":');
      },
    ]) {
      const { embedder } = await endpoint(hang);
      const error = await failed(ask(embedder({ timeoutMs: 50, retries: 0 }), ['a']));
      expect(error).toMatchObject({ retry: 'later' });
      expect(error.message).toContain('50 ms');
    }
  });

  test.each([
    ['no embeddings', { data: [] }],
    ['no numbers', { data: [{ embedding: ['x'] }] }],
    ['something else', { hello: 'there' }],
  ])('that answers with %s has failed', async (_what, body) => {
    const { embedder } = await endpoint((response) => send(response, 200, body));
    expect((await failed(ask(embedder(), ['a']))).retry).toBe('later');
  });

  test('stops with the signal', async () => {
    const { embedder } = await endpoint(() => undefined);
    const stop = new AbortController();
    const work = embedder().embed(['a'], { signal: stop.signal });
    stop.abort(new Error('Enough.'));
    await expect(work).rejects.toThrow('Enough.');
  });

  test('of another dimension than announced is named, and words still find', async () => {
    const { embedder } = await endpoint(answer);
    const memory = await opened({ recall: { embedder: embedder({ dimensions: 5 }) } });
    await memory.in(SHOP).assert({ subject: 'Ana', predicate: 'drinks', object: 'tea' });
    const { done } = await memory.reembed();
    expect((await done).error?.message).toBe('m gave a vector of 3 dimensions; 5 were announced.');
    expect((await memory.in(SHOP).search('tea')).hits).toHaveLength(1);
  });

  test('is checked when it is set, not when it is first asked', async () => {
    const good = { apiKey: 'k', model: 'm', dimensions: 3 };
    expect(await refused(() => openAiEmbedder({ ...good, apiKey: ' ' }))).toContain('apiKey');
    expect(await refused(() => openAiEmbedder({ ...good, dimensions: 0 }))).toContain('dimensions');
    expect(await refused(() => openAiEmbedder({ ...good, baseURL: 'ftp://x' }))).toContain(
      'baseURL',
    );
  });
});
