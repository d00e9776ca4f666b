import type { Config } from '../config.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Scope } from '../engine/vocabulary.js';
import { scopeOf } from '../host/project.js';
import type { HostContext, HostMessage, HostSession } from '../host/types.js';
import type { Status } from '../status.js';
import { messageOf, visible, type Shown } from './message.js';

/** More of a prompt says nothing more about what to look for. In UTF-16 units. */
const QUESTION = 4_000;

export interface RetrievalParts {
  readonly engine: MemoryEngine;
  readonly config: Config;
  readonly status: Status;
}

/**
 * Puts what is remembered behind what the person said, once a turn. A turn never waits longer than the deadline
 * for it, and goes on without it whatever happens.
 */
export function mountRetrieval(ctx: HostContext, parts: RetrievalParts): void {
  const { config, status } = parts;
  const log = ctx.logger('palimpsest');
  ctx.on('agent/pre-step', async ({ agent, step, signal }, next) => {
    const decision = await next();
    if (decision.kind === 'reject' || signal.aborted || step !== 1) return decision;
    if (!config.recall.enabled) return decision;
    const { messages } = decision;
    const at = messages.findLastIndex((message) => message.source?.kind === 'user');
    const scope = scopeOf(agent.session.header, config);
    // Without a person's words it is a continuation, a hook or something in the background.
    if (at < 0 || scope === null) return decision;
    try {
      const question = textOf(messages[at]);
      const message = await withinDeadline(parts, signal, (stop) =>
        remembered(parts, agent.session, scope, question, stop),
      );
      if (message === null || signal.aborted) return decision;
      status.injected += 1;
      return { kind: 'enter', messages: messages.toSpliced(at + 1, 0, message) };
    } catch (error) {
      log.warn(status.failed('Recall', error));
      return decision;
    }
  });
}

const textOf = (message: HostMessage | undefined): string =>
  (message?.content ?? [])
    .map((block) => (block.type === 'text' ? (block.text ?? '') : ''))
    .join('\n')
    .slice(0, QUESTION)
    .trim();

async function withinDeadline(
  { config, status }: RetrievalParts,
  signal: AbortSignal,
  run: (stop: AbortSignal) => Promise<HostMessage | null>,
): Promise<HostMessage | null> {
  const { deadlineMs } = config.recall;
  const late = AbortSignal.timeout(deadlineMs);
  const stop = AbortSignal.any([signal, late]);
  const stopped = new Promise<null>((done) => {
    stop.addEventListener('abort', () => done(null), { once: true });
  });
  const running = run(stop);
  // What fails after the deadline has nobody who waits for it.
  running.catch(() => undefined);
  const message = await Promise.race([running, stopped]);
  if (message === null && late.aborted) status.timedOut += 1;
  return message;
}

async function remembered(
  { engine, config }: RetrievalParts,
  session: HostSession,
  scope: Scope,
  question: string,
  signal: AbortSignal,
): Promise<HostMessage | null> {
  const { maxTokens, deadlineMs, profileTokens } = config.recall;
  const before = visible(session);
  const profile =
    profileTokens === 0 || before.hasProfile
      ? null
      : await engine.profile(scope, { maxTokens: profileTokens });
  const found =
    question === ''
      ? null
      : await engine.recall(scope, {
          question,
          session: session.id,
          maxTokens,
          deadlineMs,
          signal,
          known: before.facts,
        });
  const isFound = found !== null && found.facts.length + found.events.length > 0;
  const hasProfile = profile !== null && profile.facts.length > 0;
  const asOf = found?.asOf ?? profile?.asOf;
  if (asOf === undefined || !(isFound || hasProfile)) return null;
  const shown: Shown = {
    profile: hasProfile ? profile : null,
    recalled: isFound ? found : null,
    asOf,
  };
  return messageOf(shown);
}
