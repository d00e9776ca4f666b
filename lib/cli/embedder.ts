import { Option, type Command } from 'commander';
import { englishEmbedder, openAiEmbedder, type Embedder, type OpenOptions } from '../index.js';
import { UsageError } from './failure.js';
import { isPositiveCount } from './options.js';

/** Who turns texts into vectors. */
export interface EmbedderFlags {
  readonly embedder?: 'local';
  readonly embeddingModel?: string;
  readonly dimensions?: number;
  readonly embeddingUrl?: string;
}

export function withEmbedder(command: Command): Command {
  return command
    .addOption(
      new Option('--embedder <name>', 'the local English embedder, where it is installed').choices([
        'local',
      ]),
    )
    .addOption(
      new Option(
        '--embedding-model <name>',
        'model at an endpoint that speaks the embeddings API; its key is OPENAI_API_KEY',
      ).env('PALIMPSEST_EMBEDDING_MODEL'),
    )
    .addOption(
      new Option('--dimensions <count>', 'numbers in each vector of that model')
        .env('PALIMPSEST_EMBEDDING_DIMENSIONS')
        .argParser(isPositiveCount),
    )
    .addOption(
      new Option('--embedding-url <url>', 'address of the endpoint (default: of OpenAI)').env(
        'PALIMPSEST_EMBEDDING_URL',
      ),
    );
}

/** For `openMemory`; nothing where the options name no embedder. */
export function recallOf(flags: EmbedderFlags): Pick<OpenOptions, 'recall'> {
  const embedder = embedderOf(flags);
  return embedder === null ? {} : { recall: { embedder } };
}

function embedderOf({
  embedder,
  embeddingModel: model = '',
  dimensions,
  embeddingUrl: url = '',
}: EmbedderFlags): Embedder | null {
  if (embedder === 'local') return englishEmbedder();
  if (model === '') return null;
  if (dimensions === undefined) {
    throw new UsageError(
      '--embedding-model needs --dimensions: how many numbers its vectors have.',
    );
  }
  const apiKey = process.env['OPENAI_API_KEY'] ?? '';
  if (apiKey === '') {
    throw new UsageError(
      'OPENAI_API_KEY is not set. For a server that asks for no key any word will do.',
    );
  }
  return openAiEmbedder({ model, dimensions, apiKey, ...(url === '' ? {} : { baseURL: url }) });
}
