import { z } from 'zod';
import type { Place } from '../../memory/space.js';
import type { EventDocuments } from '../index/event-documents.js';
import type { EventHost } from '../ports.js';
import { byRank } from '../top.js';
import { unlessAborted } from '../unless-aborted.js';
import { strengthIn, type EventFinding } from './candidates.js';
import type { Deadline } from './deadline.js';
import type { Chosen, Readable } from './present-hits.js';

/** Events that a host is asked for. */
const EVENTS = 100;

export interface HostAnswer {
  readonly found: Awaited<ReturnType<EventHost['search']>>;
  readonly problem: string | null;
}

const FoundSchema = z.array(z.object({ session: z.string(), seq: z.number(), score: z.number() }));

const NOTHING: HostAnswer = { found: [], problem: null };

/** What the host's own search finds; nothing where there is none, and a problem where it fails. */
export async function byHost(
  host: EventHost | null,
  query: string,
  { signal }: Deadline,
): Promise<HostAnswer | null> {
  if (host === null) return NOTHING;
  try {
    const said: unknown = await host.search(query, { limit: EVENTS, signal });
    const found = FoundSchema.safeParse(said);
    if (found.success) return { found: found.data.slice(0, EVENTS), problem: null };
    return { found: [], problem: 'The host answered with what is no list of events and scores.' };
  } catch (error) {
    if (signal.aborted) return null;
    return { found: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Adds what a host has found to what the words have: its best counts as much as theirs. An event in none of the
 * visible scopes, or out of the asked time, is not there for the asker.
 */
export function withHost(
  words: EventFinding,
  { found }: HostAnswer,
  documents: EventDocuments,
  place: Place,
  accept: (document: number) => boolean,
): EventFinding {
  const seen = found.flatMap(({ session, seq, score }) =>
    place.visible.flatMap((scope) => {
      const document = documents.find({ scope, session, seq });
      const isSeen = document !== -1 && accept(document) && !documents.lexical.has(document);
      return isSeen && score > 0 ? [{ document, score }] : [];
    }),
  );
  // What the asker does not see is no measure either.
  const best = seen.reduce((most, { score }) => Math.max(most, score), 0);
  if (best <= 0) return words;
  const top = words.hits[0]?.score ?? (words.whole === 0 ? 1 : words.whole);
  const scores = new Map(words.hits.map(({ id, score }) => [id, score]));
  const strengths = new Map(words.strengths);
  for (const { document, score } of seen) {
    const share = Math.max((score / best) * top, scores.get(document) ?? 0);
    scores.set(document, share);
    strengths.set(document, strengthIn(share, words.whole));
  }
  const hits = [...scores].map(([id, score]) => ({ id, score })).sort(byRank);
  return { ...words, hits, strengths };
}

/** Reads the texts that the host keeps; an event which is gone there, or comes too late, is left out. */
export async function withTexts(
  host: EventHost | null,
  chosen: readonly Chosen[],
  { signal }: Deadline,
): Promise<{ readonly readable: readonly Readable[]; readonly isWhole: boolean }> {
  let isWhole = true;
  const texts = await Promise.all(
    chosen.map(async (c): Promise<Readable | null> => {
      if (c.kind === 'fact') return c;
      const { text, session, seq } = c.event;
      if (text !== null) return { ...c, text };
      if (host === null) return null;
      const read = await unlessAborted(() => host.read(session, seq, signal), signal).catch(
        () => null,
      );
      isWhole &&= read !== null || !signal.aborted;
      return read === null ? null : { ...c, text: read };
    }),
  );
  return { readable: texts.filter((c) => c !== null), isWhole };
}
