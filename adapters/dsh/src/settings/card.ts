import z from '@deepseek-ai/schemastery';
import type { Config } from '../config.js';
import type { HostContext } from '../host/types.js';

/** What can be changed while the host runs. */
export type Live = Config['recall'];

const NAMESPACE = 'palimpsest';

const card = (entry: Live) =>
  z.object({
    enabled: z.boolean().default(entry.enabled).description('Give the model what is remembered.'),
    deadlineMs: z
      .number()
      .min(1)
      .default(entry.deadlineMs)
      .description('Milliseconds after which a turn goes on without memory.'),
    maxTokens: z
      .number()
      .min(1)
      .default(entry.maxTokens)
      .description('Tokens of what answers the question.'),
    profileTokens: z
      .number()
      .min(0)
      .default(entry.profileTokens)
      .description('Tokens of what is known in general, once in a session; 0 for nothing.'),
  });

/** A card among the host's settings, where it has any of this kind; what is changed there counts at once. */
export function mountCard(ctx: HostContext, entry: Live, onChange: (live: Live) => void): void {
  ctx.inject(['settings'], (c) => {
    const settings = c.get('settings');
    if (typeof settings?.register !== 'function') return;
    const scope = settings.register(NAMESPACE, card(entry), { base: entry });
    const take = (): void => onChange({ ...entry, ...pick(scope.get()) });
    take();
    scope.watch(take);
    c.effect(() => () => onChange(entry), 'palimpsest settings');
  });
}

function pick(value: unknown): Partial<Live> {
  if (typeof value !== 'object' || value === null) return {};
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const { enabled, deadlineMs, maxTokens, profileTokens } = fields;
  return {
    ...(typeof enabled === 'boolean' ? { enabled } : {}),
    ...(typeof deadlineMs === 'number' ? { deadlineMs } : {}),
    ...(typeof maxTokens === 'number' ? { maxTokens } : {}),
    ...(typeof profileTokens === 'number' ? { profileTokens } : {}),
  };
}
