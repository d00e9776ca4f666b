import type { Config } from '../config.js';
import type { ModelInUse } from '../engine/host-model.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Scope } from '../engine/vocabulary.js';
import { scopeOf, writeScope } from '../host/project.js';
import type { HostAgent, HostContext } from '../host/types.js';
import type { Status } from '../status.js';
import { Capture } from './capture.js';
import type { Ledger } from './ledger.js';
import { Sweep } from './sweep.js';

/** Milliseconds that the end of the plugin waits for turns which are on their way. */
const DRAIN_MS = 5_000;

/** What the rest of the plugin asks of the writer. */
export interface Writer {
  /** Turns what waits into memory now: of one project, or of every one that was heard of. */
  curate(
    scope: Scope | null,
  ): Promise<{ readonly jobs: number; readonly failed: readonly string[] }>;
  /** Resolves when everything heard so far is in the memory's outbox. */
  settled(): Promise<void>;
  sweep(): Promise<void>;
  /** Takes in what is on its way, for a while, and listens no more. */
  stop(): Promise<void>;
}

export interface WriterParts {
  readonly engine: MemoryEngine;
  readonly ledger: Ledger;
  readonly config: Config;
  readonly status: Status;
  readonly model: ModelInUse;
  /** Otherwise nothing is listened to, and no log is looked at. */
  readonly isOn: boolean;
}

/** Listens to sessions, and looks for what was said while nobody did. */
export function mountWriter(ctx: HostContext, parts: WriterParts): Writer {
  const { engine, ledger, config, status } = parts;
  const log = ctx.logger('palimpsest');
  const stop = new AbortController();
  const all = {
    ...parts,
    sessions: () => ctx.get('sessions'),
    persistence: () => ctx.get('sessionPersistence'),
    onFailure: (text: string) => log.warn(text),
  };
  const capture = new Capture(all);
  const sweep = new Sweep(all, capture);

  if (parts.isOn) ctx.on('session/event', (session, event) => capture.heard(session, event));
  ctx.on('agent/disposed', ({ agent }) => capture.left(agent.session.id));

  const started = new Set<string>();
  const begins = ({ agent, source }: { agent: HostAgent; source?: string }): void => {
    // One host says that an agent is there and that its session starts, another only the first.
    if (source === undefined || started.has(agent.id)) return;
    started.add(agent.id);
    const scope = scopeOf(agent.session.header, config);
    if (scope === null || agent.session.header.origin === 'subagent') return;
    engine
      .sessionStarted(writeScope(scope), { resumed: source !== 'startup' })
      .catch((error: unknown) => log.warn(status.failed('Start of a session', error)));
  };
  ctx.on('agent/session-start', begins);
  ctx.on('agent/created', begins);
  ctx.on('agent/disposed', ({ agent }) => {
    started.delete(agent.id);
  });

  const writer: Writer = {
    async stop() {
      clearInterval(timer);
      stop.abort();
      await Promise.race([
        capture.settled(),
        new Promise((done) => {
          setTimeout(done, DRAIN_MS).unref();
        }),
      ]);
    },
    settled: () => capture.settled(),
    sweep: async () => {
      if (parts.isOn) await sweep.run(stop.signal);
    },
    async curate(scope) {
      await capture.settled();
      const scopes = scope === null ? projectsOf(ledger) : [writeScope(scope)];
      let jobs = 0;
      const failed: string[] = [];
      for (const one of scopes) {
        const run = await engine.curate(one);
        jobs += run.jobs;
        failed.push(...run.failed);
      }
      return { jobs, failed };
    },
  };
  ctx.on('memory/curate', (request) => {
    const scope =
      request?.cwd === undefined
        ? (ledger.get(request?.session ?? '')?.scope ?? null)
        : scopeOf(headerFor(request.cwd), config);
    writer.curate(scope).catch((error: unknown) => log.warn(status.failed('Curation', error)));
  });

  const timer = setInterval(() => void writer.sweep(), config.sweepMs);
  timer.unref();
  void writer.sweep();
  return writer;
}

const headerFor = (cwd: string) => ({ version: 0, id: '', createdAt: 0, cwd });

/** One scope for each project that was heard of. */
function projectsOf(ledger: Ledger): readonly Scope[] {
  const projects = new Map<string, Scope>();
  for (const { scope } of ledger.all())
    projects.set(JSON.stringify([scope.org, scope.project]), scope);
  return [...projects.values()];
}
