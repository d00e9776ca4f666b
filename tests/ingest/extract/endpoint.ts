import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The body of a request as the server got it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format: {
    readonly type: string;
    readonly json_schema?: { readonly strict: boolean; readonly schema: unknown };
  };
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
}

/** What the server does with one request. */
export type Reaction = (response: ServerResponse, request: ChatRequest) => void;

export interface Endpoint {
  readonly url: string;
  readonly requests: ChatRequest[];
  readonly headers: IncomingHttpHeaders[];
  /** What is done with requests to come, in their order; the last stays. */
  script(...reactions: readonly Reaction[]): void;
}

const send = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

export const TOKENS = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };

/** Answers with a message of the model. */
export const message =
  (content: unknown, more: { finish?: string; message?: object; usage?: unknown } = {}): Reaction =>
  (response) => {
    send(response, 200, {
      id: 'c-1',
      object: 'chat.completion',
      created: 1,
      model: 'scripted',
      choices: [
        {
          index: 0,
          finish_reason: more.finish ?? 'stop',
          message: { role: 'assistant', content, ...more.message },
        },
      ],
      usage: 'usage' in more ? more.usage : TOKENS,
    });
  };

export const answer = (...candidates: readonly object[]): Reaction =>
  message(JSON.stringify({ candidates }));

export const failure =
  (status: number, text: string, headers = {}): Reaction =>
  (response) => {
    send(response, status, { error: { message: text, type: 'error' } }, headers);
  };

export const raw =
  (status: number, body: string, type = 'application/json'): Reaction =>
  (response) => {
    send(response, status, body, { 'content-type': type });
  };

/** A server on this machine that speaks the chat completions API by a script. */
export async function startEndpoint(): Promise<Endpoint> {
  const requests: ChatRequest[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let reactions: Reaction[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ChatRequest;
      requests.push(body);
      headers.push(request.headers);
      const reaction = reactions.length > 1 ? reactions.shift() : reactions[0];
      if (reaction === undefined) failure(500, 'Nothing is scripted.')(response, body);
      else
        void Promise.resolve(reaction(response, body)).catch((error: unknown) =>
          response.destroy(error as Error),
        );
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
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    headers,
    script: (...next) => {
      reactions = [...next];
    },
  };
}
