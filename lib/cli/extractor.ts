import { Option, type Command } from 'commander';
import { z } from 'zod';
import {
  openAiExtractor,
  recordedExtractor,
  type Extractor,
  type RecordedAnswer,
} from '../index.js';
import { UsageError } from './failure.js';
import { readJson } from './files.js';

/** Who turns events into claims. */
export interface ExtractorFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly answers?: string;
}

export function withExtractor(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--model <name>',
        'model that extracts claims, at an endpoint that speaks the chat completions API; its key is OPENAI_API_KEY',
      ).env('PALIMPSEST_MODEL'),
    )
    .addOption(
      new Option('--base-url <url>', 'address of the endpoint (default: of OpenAI)').env(
        'OPENAI_BASE_URL',
      ),
    )
    .option('--answers <file>', 'JSON with recorded answers, instead of a model');
}

/** The extractor of the options; `null` where they name none. */
export function extractorOf(flags: ExtractorFlags): Extractor | null {
  if (flags.answers !== undefined) return recordedExtractor(readAnswers(flags.answers));
  const { model, baseUrl } = flags;
  if (model === undefined || model === '') return null;
  const apiKey = process.env['OPENAI_API_KEY'] ?? '';
  if (apiKey === '') {
    throw new UsageError(
      'OPENAI_API_KEY is not set. For a server that asks for no key any word will do.',
    );
  }
  return openAiExtractor({
    model,
    apiKey,
    ...(baseUrl === undefined || baseUrl === '' ? {} : { baseURL: baseUrl }),
  });
}

/** @throws UsageError where the options name none. */
export function neededExtractor(flags: ExtractorFlags): Extractor {
  const extractor = extractorOf(flags);
  if (extractor !== null) return extractor;
  throw new UsageError('Nobody extracts: name a model with --model, or a file with --answers.');
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const AnswersSchema = z.array(
  z.strictObject({
    session: z.string(),
    seq: z.number().int(),
    candidates: z.array(
      z.strictObject({
        action: z.enum(['add', 'update', 'end', 'correct', 'deny', 'merge']),
        subject: z.string(),
        subjectType: text,
        predicate: z.string(),
        object: text,
        objectType: text,
        objectKind: z
          .enum(['entity', 'string', 'number', 'boolean', 'date'])
          .nullish()
          .transform((value) => value ?? null),
        validFrom: text,
        validTo: text,
        statement: text,
        confidence: z
          .number()
          .nullish()
          .transform((value) => value ?? null),
        quote: z.string(),
        target: text,
      }),
    ),
  }),
);

function readAnswers(file: string): readonly RecordedAnswer[] {
  const found = AnswersSchema.safeParse(readJson('--answers', file));
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new UsageError(`--answers: ${file} holds no recorded answers${where}.`);
}
