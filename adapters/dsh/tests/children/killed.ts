/** A process of the host that is killed so many milliseconds after a turn has ended and its log is durable. */
import * as palimpsest from '../../src/index.js';
import { startHost } from '../support/host.js';

const [, , given = ''] = process.argv;
const { logs, config, session, cwd, resume, says, killAfterMs } = JSON.parse(given) as {
  logs: string;
  config: unknown;
  session: string;
  cwd: string;
  resume: boolean;
  says: string;
  killAfterMs: number;
};
const host = await startHost({ root: logs, script: ['Noted.'], plugins: [[palimpsest, config]] });
const chat = await host.open(session, cwd, { resume });
host.ctx.on('session/event', (live, event) => {
  if (event.type !== 'turn/end') return;
  void host.ctx.sessions.flush(live).then(() => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), killAfterMs);
    return null;
  });
});
await chat.say(says);
await new Promise((done) => {
  setTimeout(done, 60_000);
});
