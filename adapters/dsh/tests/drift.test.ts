import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openMemory } from 'palimpsest';
import { expect, test } from 'vitest';
import { resolveConfig } from '../src/config.js';
import { ModelInUse } from '../src/engine/host-model.js';
import { PalimpsestEngine } from '../src/engine/palimpsest.js';
import { capturedFrom, eventsOf } from '../src/host/log.js';
import type { HostEvent, HostHeader } from '../src/host/types.js';
import { Status } from '../src/status.js';
import { Capture } from '../src/writer/capture.js';
import { Ledger } from '../src/writer/ledger.js';
import { command, makeHome, startWithMemory } from './support/workspace.js';

const said = (seq: number): HostEvent => ({
  type: 'user/message',
  seq,
  time: 1_750_000_000_000,
  data: {
    id: `m-${seq}`,
    role: 'user',
    content: [{ type: 'text', text: 'Hi.' }],
    source: { kind: 'user' },
  },
});
const header: HostHeader = { version: 3, id: 's-1', createdAt: 1_750_000_000_000 };

test('a host that has no list of events but snapshots of it is read all the same', () => {
  const session = { id: 's-1', header, snapshotEvents: () => [said(1)] };
  expect(eventsOf(session)).toEqual([said(1)]);
  expect(eventsOf({ id: 's-1', header })).toEqual([]);
});

test('events are read whatever version the file of the log has', async () => {
  const captured = await capturedFrom(header, [said(1)], { subagents: false, ownTools: 'x_' });
  expect(captured).toMatchObject([{ session: 's-1', seq: 1, role: 'user', text: 'Hi.' }]);
});

test('words of a person that cannot be read are a failure that is told, and not silence', async () => {
  const home = makeHome();
  await using memory = await openMemory({ store: 'memory' });
  const status = new Status();
  const capture = new Capture({
    engine: new PalimpsestEngine(memory, { searchEvents: false }),
    ledger: new Ledger(join(home.memory, 'sessions.jsonl')),
    config: resolveConfig({ directory: home.memory }),
    status,
    model: new ModelInUse(),
    sessions: () => undefined,
    persistence: () => undefined,
    onFailure: () => undefined,
  });
  const session = { id: 's-1', header: { ...header, cwd: home.project('shop') } };
  // As a later host might write it: the text stands somewhere else.
  const data = { source: { kind: 'user' }, parts: [{ text: 'Hello.' }] };
  capture.heard(session, { type: 'user/message', seq: 0, time: 1, data });
  const end = { turn: 1, reason: { kind: 'completed' } };
  capture.heard(session, { type: 'turn/end', seq: 1, time: 1, data: end });
  await capture.settled();
  expect(status.failures).toMatchObject([{ what: 'Capture of s-1' }]);
});

test('a host without a way to make its logs durable is told of, loudly', async () => {
  const home = makeHome();
  const breaking = {
    name: 'breaking',
    inject: ['sessions'],
    apply: (ctx: { sessions: object }) => {
      Object.defineProperty(ctx.sessions, 'flush', { value: undefined });
    },
  };
  const host = await startWithMemory(home, { script: ['Ok.'], plugins: [[breaking]] });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('Hello.').catch(() => undefined);
  expect(await command(host, chat, '/memory status')).toContain('CAPTURE IS OFF');
  // Nothing was noted as taken in.
  expect(existsSync(join(home.memory, 'sessions.jsonl'))).toBe(false);
  await host.close();
});
