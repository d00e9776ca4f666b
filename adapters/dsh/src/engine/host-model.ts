import { randomUUID } from 'node:crypto';
import { ExtractionError, hostExtractor, type Extractor } from 'palimpsest';
import type { HostAgent, HostContext, HostEvent } from '../host/types.js';

export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
}

/** Which model sessions use: what the latest of them said, live or in its log. */
export class ModelInUse {
  #last: ModelChoice | null = null;

  get last(): ModelChoice | null {
    return this.#last;
  }

  /** An entry of a log that names a model; any other says nothing. */
  heard({ type, data }: Pick<HostEvent, 'type' | 'data'>): void {
    if (type === 'request/context') this.#note(data);
  }

  /** A session that goes on with its model does not name it again. */
  began({ session, options }: Pick<HostAgent, 'session' | 'options'>): void {
    this.#note(session.requestContext?.() ?? options);
  }

  #note(named: unknown): void {
    if (typeof named !== 'object' || named === null) return;
    if (!('provider' in named && 'model' in named)) return;
    const { provider, model } = named;
    if (typeof provider === 'string' && typeof model === 'string') this.#last = { provider, model };
  }
}

/** Asks the host's own model, whatever it is when it is asked. */
export function modelOfHost(ctx: HostContext, chosen: () => ModelChoice | null): Extractor {
  const extractor = hostExtractor({
    name: 'dsh',
    version: '1',
    complete: (prompt, signal) => complete(ctx, chosen(), prompt, signal),
  });
  return {
    get name() {
      const choice = chosen();
      return choice === null ? 'dsh' : `dsh ${choice.provider}/${choice.model}`;
    },
    version: '1',
    extract: (request, signal) => extractor.extract(request, signal),
  };
}

async function complete(
  ctx: HostContext,
  choice: ModelChoice | null,
  prompt: string,
  signal: AbortSignal,
): Promise<string> {
  const llm = ctx.get('llm');
  if (llm === undefined || choice === null) {
    const lack =
      llm === undefined ? 'The host has no model service' : 'No session has named a model';
    throw new ExtractionError(`${lack} yet.`, { retry: 'later' });
  }
  const call = await llm.prepareCall(choice, signal);
  const source = { kind: 'plugin', plugin: 'palimpsest' };
  const content = [{ type: 'text', text: prompt }];
  const messages = [{ id: randomUUID(), role: 'user', content, source }];
  let text = '';
  for await (const chunk of call.stream({ ...call.config, messages, signal })) {
    if (chunk.type === 'text-delta') text += String(chunk['text']);
    if (chunk.type === 'finish') ensureFinished(chunk['reason']);
  }
  return text;
}

function ensureFinished(reason: unknown): void {
  if (typeof reason !== 'object' || reason === null || !('kind' in reason)) return;
  if (reason.kind !== 'error' && reason.kind !== 'aborted') return;
  const failure = 'failure' in reason ? reason.failure : null;
  const said =
    typeof failure === 'object' && failure !== null && 'message' in failure
      ? String(failure.message)
      : 'no reason given';
  throw new ExtractionError(`The host's model did not answer: ${said}.`, { retry: 'later' });
}
