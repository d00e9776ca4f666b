import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import LocalCredentialProvider from '@deepseek-ai/dsh-credentials-local';
import { expect, onTestFinished, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import { understanding } from './support/understanding.js';
import { command, makeHome, memoryOf, startWithMemory } from './support/workspace.js';

const model = understanding({
  'I prefer tabs': { subject: 'Ana', predicate: 'prefers', object: 'tabs' },
});

/** An endpoint that understands some phrases, and keeps the keys that it was asked with. */
async function startEndpoint(): Promise<{ readonly url: string; readonly keys: string[] }> {
  const keys: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      keys.push(String(request.headers.authorization));
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      const content = model(messages.map((message) => message.content).join('\n\n'));
      const message = { role: 'assistant', content };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage: { prompt_tokens: 1, completion_tokens: 1 },
        }),
      );
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, keys };
}

test('an endpoint is asked with the key that the host has for it', async () => {
  const { url, keys } = await startEndpoint();
  const home = makeHome();
  process.env['OUR_MEMORY_KEY'] = 'key-of-ours';
  onTestFinished(() => {
    delete process.env['OUR_MEMORY_KEY'];
  });
  const host = await startWithMemory(home, {
    script: ['Ok.'],
    plugins: [[LocalCredentialProvider, { path: `${home.logs}/../credentials.json` }]],
    config: {
      extraction: {
        by: 'endpoint',
        baseUrl: url,
        model: 'some-model',
        apiKeyVariable: 'OUR_MEMORY_KEY',
      },
    },
  });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('I prefer tabs.');
  const scope = { org: 'local', project: projectOf(home.project('shop')) };
  await expect
    .poll(() => memoryOf(host.ctx).facts(scope, { limit: 9 }))
    .toMatchObject([{ object: 'tabs' }]);
  expect(new Set(keys)).toEqual(new Set(['Bearer key-of-ours']));
  await host.close();
});

test('without a key what was said waits, and the status says why', async () => {
  const { url } = await startEndpoint();
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: ['Ok.'],
    config: {
      extraction: {
        by: 'endpoint',
        baseUrl: url,
        model: 'some-model',
        apiKeyVariable: 'NO_SUCH_KEY',
      },
    },
  });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('I prefer tabs.');
  await expect
    .poll(() => command(host, chat, '/memory status'))
    .toContain('no key by the name of NO_SUCH_KEY');
  await host.close();
});

test('a configuration without a model is told of, and the host goes on', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: ['Hello.'],
    config: { extraction: { by: 'endpoint' } },
  });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('Hello.');
  expect(chat.shown()).toContain('Hello.');
  expect(await command(host, chat, '/memory status')).toContain('CAPTURE IS OFF');
  await host.close();
});
