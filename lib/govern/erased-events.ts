import { scopeKey, scopeOfKey, sees } from '../model/scope.js';
import type { ClaimRecord } from '../model/entry.js';
import { normaliseName } from '../model/text.js';
import type { Space } from '../memory/space.js';
import { isFrom, type Selected } from './selection.js';

/** An event as the event log names it; `scope` is a scope's key. */
export interface ErasableEvent {
  readonly scope: string;
  readonly session: string;
  readonly seq: number;
  /** Where the space keeps it. */
  readonly text?: string | null;
}

type EventName = Pick<ErasableEvent, 'session' | 'seq'>;

/**
 * The events that go with an erasure: those of the source or scope itself, those which erased claims
 * rest on, and those whose text names the erased entity.
 */
export class ErasedEvents {
  readonly #selected: Selected;
  readonly #mentions: (text: string) => boolean;
  /** Scopes of the claims that rest on an event. */
  readonly #cited = new Map<string, Set<string>>();
  /** Events of the log, with their scopes. */
  readonly #found: Map<string, Set<string>>;

  /** `before` tells what the log held of a selection that was made before. */
  constructor(space: Space, selected: Selected, before?: ErasedEvents) {
    this.#selected = selected;
    this.#found = before === undefined ? new Map() : before.#found;
    this.#mentions = mentionOf(selected.names);
    const cite = (claim: ClaimRecord | undefined): void => {
      if (claim === undefined) return;
      for (const e of claim.evidence ?? []) put(this.#cited, e, scopeKey(claim.scope));
    };
    for (const row of selected.claims) cite(space.store.claim(row));
    const { held, rejected } = space.store.index.tables.side;
    for (const id of selected.waiting) cite((held.get(id) ?? rejected.get(id))?.claim);
  }

  /** Whether an event of the log goes; it is remembered then. */
  readonly isMeant = (event: ErasableEvent): boolean => {
    const { source, inScope, inReach } = this.#selected;
    const isMeant =
      inScope(event.scope) ||
      (source !== null && inReach(event.scope) && isFrom(source, event)) ||
      this.#isCited(event) ||
      this.#found.get(nameOf(event))?.has(event.scope) === true ||
      (typeof event.text === 'string' && inReach(event.scope) && this.#mentions(event.text));
    if (isMeant) put(this.#found, event, event.scope);
    return isMeant;
  };

  #isCited(event: ErasableEvent): boolean {
    const by = this.#cited.get(nameOf(event));
    if (by === undefined) return false;
    const scope = scopeOfKey(event.scope);
    return [...by].some((claim) => sees(scope, scopeOfKey(claim)));
  }

  /** Whether what a claim that stays quotes, or says in a sentence, must go. */
  isQuoted(scope: string, event: EventName): boolean {
    const own = scopeOfKey(scope);
    return [this.#cited, this.#found].some((events) =>
      [...(events.get(nameOf(event)) ?? [])].some((key) => {
        const other = scopeOfKey(key);
        return sees(own, other) || sees(other, own);
      }),
    );
  }

  /** Whether a text of a scope names the erased entity. */
  isMentioned(scope: string | null, text: string | undefined): boolean {
    if (text === undefined || (scope !== null && !this.#selected.inReach(scope))) return false;
    return this.#mentions(text);
  }

  /** How many events of the log go. */
  get count(): number {
    return [...this.#found.values()].reduce((n, scopes) => n + scopes.size, 0);
  }

  get sessions(): readonly string[] {
    return [...this.#cited.keys(), ...this.#found.keys()].map((name) => eventOf(name).session);
  }

  /** Every event that goes, by the scopes in which it is told. */
  *inScopes(): Iterable<EventName & { readonly scope: string }> {
    for (const events of [this.#cited, this.#found]) {
      for (const [name, scopes] of events) {
        for (const scope of scopes) yield { ...eventOf(name), scope };
      }
    }
  }
}

const nameOf = ({ session, seq }: EventName): string => `${seq} ${session}`;

function eventOf(name: string): EventName {
  const blank = name.indexOf(' ');
  return { seq: Number(name.slice(0, blank)), session: name.slice(blank + 1) };
}

function put(events: Map<string, Set<string>>, event: EventName, scope: string): void {
  const name = nameOf(event);
  const scopes = events.get(name);
  if (scopes === undefined) events.set(name, new Set([scope]));
  else scopes.add(scope);
}

/** In scripts without spaces a name of two characters says something, elsewhere one of three. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const isTelling = (name: string): boolean => name.length >= (UNSPACED.test(name) ? 2 : 3);

/** Whether a text holds one of some folded names as a word. */
function mentionOf(names: readonly string[]): (text: string) => boolean {
  const telling = names.filter(isTelling);
  if (telling.length === 0) return () => false;
  const escaped = telling.map((name) => {
    const edge = (character: string): string =>
      /[\p{L}\p{N}]/u.test(character) && !UNSPACED.test(character) ? '[\\p{L}\\p{N}]' : '';
    const before = edge(name.slice(0, 1));
    const after = edge(name.slice(-1));
    return [
      before === '' ? '' : `(?<!${before})`,
      name.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&'),
      after === '' ? '' : `(?!${after})`,
    ].join('');
  });
  const pattern = new RegExp(escaped.join('|'), 'u');
  return (text) => pattern.test(normaliseName(text));
}
