/** One process of the host: says some things in a session, and tells what the model was shown. */
import * as palimpsest from '../../src/index.js';
import { startHost } from '../support/host.js';
import type { Answer } from '../support/scripted.js';

export interface Visit {
  readonly logs: string;
  readonly config: unknown;
  readonly session: string;
  readonly cwd: string;
  readonly resume: boolean;
  readonly script: Answer[];
  readonly says: readonly string[];
}

const [, , given = ''] = process.argv;
const visit = JSON.parse(given) as Visit;
const host = await startHost({
  root: visit.logs,
  script: visit.script,
  plugins: [[palimpsest, visit.config]],
});
const chat = await host.open(visit.session, visit.cwd, { resume: visit.resume });
const before = JSON.stringify(chat.agent.session.deriveMessages());
for (const text of visit.says) await chat.say(text);
const after = JSON.stringify(chat.agent.session.deriveMessages());
const requests = host.model.requests.map(({ system, tools, messages }) => ({
  system: JSON.stringify(system),
  tools: JSON.stringify(tools),
  messages: messages.map((message) => JSON.stringify(message)),
}));
await chat.close();
await host.close();
console.log(`answer ${JSON.stringify({ before, after, requests })}`);
