import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const Workspace = z.union([
  z.string().min(1),
  z.strictObject({
    /** Folder; sessions below it belong to it. */
    path: z.string().min(1),
    org: z.string().min(1).optional(),
    /** Default: the folder of the repository, or the working folder itself. */
    project: z.string().min(1).optional(),
    user: z.string().min(1).optional(),
  }),
]);

const Extraction = z.strictObject({
  /** Who makes claims of what was said: the host's own model, an endpoint, or nobody. */
  by: z.enum(['host', 'endpoint', 'none']).default('host'),
  /** With `host`. Default: what the sessions use. */
  provider: z.string().optional(),
  model: z.string().optional(),
  /** With `endpoint`: any that speaks as OpenAI's does. */
  baseUrl: z.string().optional(),
  /** Name of the environment variable that holds the key; never the key itself. */
  apiKeyVariable: z.string().default('OPENAI_API_KEY'),
  /** `curated`: when enough has come together. `now`: after each turn. */
  when: z.enum(['curated', 'now']).default('curated'),
  turns: z.number().int().positive().default(20),
  idleMs: z.number().int().positive().default(600_000),
  dailyCalls: z.number().int().nonnegative().default(1000),
});

const RecallConfig = z.strictObject({
  enabled: z.boolean().default(true),
  /** Milliseconds after which a turn goes on without memory. */
  deadlineMs: z.number().int().positive().default(1500),
  maxTokens: z.number().int().positive().default(800),
  /** Tokens of what is known in general, shown once in a session; 0 for nothing. */
  profileTokens: z.number().int().nonnegative().default(300),
});

export const ConfigSchema = z.strictObject({
  /** Folder of the memory. */
  directory: z.string().min(1).optional(),
  /** Under which key other plugins find the memory. */
  service: z.string().min(1).default('memory'),
  org: z.string().min(1).default('local'),
  /** The host knows no users; without a name all who share this folder share the memory. */
  user: z.string().min(1).optional(),
  /** Folders whose sessions have a memory. Default: all. */
  workspaces: z.array(Workspace).optional(),
  /** Whether sub-agents are listened to, and get what is remembered. */
  subagents: z.boolean().default(false),
  extraction: Extraction.prefault({}),
  /** What was said before is left out, ISO 8601 with an offset. Default: all that the host's logs hold. */
  since: z.iso.datetime({ offset: true }).optional(),
  /** `reference`: the host's log keeps the text of what was said. `keep`: the memory has a copy. */
  events: z.enum(['reference', 'keep']).default('reference'),
  recall: RecallConfig.prefault({}),
  tools: z
    .strictObject({
      enabled: z.boolean().default(true),
      prefix: z
        .string()
        .regex(/^[a-z][a-z0-9_]*$/u, 'is no start of a tool name')
        .default('palimpsest_'),
    })
    .prefault({}),
  /** What becomes of the memory of sessions whose logs are gone. */
  gone: z.enum(['keep', 'mark', 'forget']).default('mark'),
  /** Name of the slash command. */
  command: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/u)
    .default('memory'),
  /** Milliseconds between looks for sessions that other processes have written, or removed. */
  sweepMs: z.number().int().positive().default(300_000),
  /** Milliseconds between attempts to open a memory that another process has open. */
  retryMs: z.number().int().positive().default(15_000),
  timeZone: z.string().optional(),
  graph: z.enum(['auto', 'kuzu', 'ladybug', 'none']).default('auto'),
});

export type ConfigInput = z.input<typeof ConfigSchema>;
export type Config = Omit<z.output<typeof ConfigSchema>, 'directory'> & {
  readonly directory: string;
};

/** The configuration with everything that was left out. */
export function resolveConfig(input: unknown): Config {
  const config = ConfigSchema.parse(input ?? {});
  const home = process.env['DSH_HOME'] ?? join(homedir(), '.dsh');
  return { ...config, directory: config.directory ?? join(home, 'palimpsest') };
}
