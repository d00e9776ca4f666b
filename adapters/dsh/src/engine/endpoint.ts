import { ExtractionError, openAiExtractor, type Extractor } from 'palimpsest';
import type { Config } from '../config.js';
import type { HostContext } from '../host/types.js';

/**
 * An extractor that asks an endpoint, with the key that the host has for it when it is asked: a key is neither in
 * the configuration nor in the memory.
 *
 * @throws PalimpsestError `INVALID_INPUT`, `INVALID_NAME` for a configuration that names no model.
 */
export function endpointExtractor(ctx: HostContext, extraction: Config['extraction']): Extractor {
  const { baseUrl, apiKeyVariable, model = '' } = extraction;
  const withKey = (apiKey: string): Extractor =>
    openAiExtractor({ model, apiKey, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) });
  const { name, version } = withKey('not-yet');
  let last: { readonly key: string; readonly extractor: Extractor } | null = null;
  return {
    name,
    version,
    async extract(request, signal) {
      const found = await ctx.get('credentials')?.resolve(apiKeyVariable);
      const key = found?.value ?? process.env[apiKeyVariable] ?? '';
      if (key === '') {
        throw new ExtractionError(`The host has no key by the name of ${apiKeyVariable}.`, {
          retry: 'later',
        });
      }
      if (last?.key !== key) last = { key, extractor: withKey(key) };
      return last.extractor.extract(request, signal);
    },
  };
}
