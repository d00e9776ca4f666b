import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { EventInput } from 'palimpsest';
import { z } from 'zod';

/** A line of a Codex session that holds a message. */
const MessageSchema = z.object({
  timestamp: z.string().optional(),
  type: z.literal('response_item'),
  payload: z.object({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant']),
    content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  }),
});

/** What Codex itself puts in a person's place. */
const WRAPPER = /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS)>|# AGENTS\.md)/u;

/**
 * The messages of a Codex session, numbered by their lines; `null` where the file is none. A last line that is still
 * being written is left for the next time.
 */
export async function readRollout(path: string, session: string): Promise<EventInput[] | null> {
  const events: EventInput[] = [];
  let seq = -1;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of lines) {
    seq += 1;
    const value = parsed(line);
    if (seq === 0 && !isHeader(value)) {
      lines.close();
      return null;
    }
    const message = MessageSchema.safeParse(value);
    if (!message.success) continue;
    const { timestamp, payload } = message.data;
    const text = payload.content.map((part) => part.text ?? '').join('\n');
    if (text.trim() === '' || WRAPPER.test(text)) continue;
    events.push({ session, seq, role: payload.role, text, at: timestamp });
  }
  return events;
}

const isHeader = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'session_meta';

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A torn line is no message.
    return null;
  }
}
