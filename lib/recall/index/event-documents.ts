import { z } from 'zod';
import { Column } from '../../store/resident/column.js';
import { InternTable } from '../../store/resident/intern.js';
import { Recent } from '../../store/resident/recent.js';
import { formatInstant } from '../../model/instant.js';
import type { HanFold } from '../han-fold.js';
import { LexicalIndex } from '../lexical.js';
import type { EventName, EventText, EventTexts } from '../ports.js';
import { searchedText } from '../searched-text.js';
import { tokenize } from '../tokens.js';
import { termsOf } from './claim-documents.js';
import type { Dump } from './dump-file.js';
import type { Pace } from './pace.js';

const OfSchema = z.strictObject({
  terms: z.string(),
  timeZone: z.string(),
  generation: z.number().int(),
  store: z.string(),
  position: z.string(),
  mark: z.string(),
  bytes: z.number(),
});

const NONE = -1;
const NameSchema = z.tuple([z.string(), z.string()]);
const TABLE_PARTS = 3;
const COLUMN_PARTS = 6;

/** Kept events as searched documents, numbered as they were taken in. */
export class EventDocuments {
  readonly #events: EventTexts;
  readonly #fold: HanFold;
  readonly #storeId: string;
  #timeZone: string;
  #index = new LexicalIndex();
  #scopes = new InternTable();
  /** Scope and session in one text. */
  #sessions = new InternTable();
  #session = new Column('i32');
  /** As exact as a number is. */
  #seq = new Column('f64');
  #at = new Column('f64');
  #told = new Column('f64');
  /** Neighbours in the session, by number of the document. */
  #before = new Column('i32', NONE);
  #after = new Column('i32', NONE);
  /** The last event of a session. */
  #last = new Column('i32', NONE);
  readonly #scopeOfSession = new Recent<number, string>(1024);
  #logGeneration = NONE;
  #position: string | null = null;
  #bytes = 0;
  #generation = 0;
  #dumped = 0;

  constructor(events: EventTexts, options: { fold: HanFold; timeZone: string; storeId: string }) {
    this.#events = events;
    this.#fold = options.fold;
    this.#timeZone = options.timeZone;
    this.#storeId = options.storeId;
  }

  get lexical(): LexicalIndex {
    return this.#index;
  }

  get size(): number {
    return this.#seq.length;
  }

  get generation(): number {
    return this.#generation;
  }

  get undumped(): number {
    return this.size - this.#dumped;
  }

  get memory(): number {
    const columns = [this.#session, this.#seq, this.#at, this.#told, this.#before, this.#after];
    const tables = this.#index.memory + this.#scopes.memory + this.#sessions.memory;
    return columns.reduce((sum, column) => sum + column.memory, tables + this.#last.memory);
  }

  get isCurrent(): boolean {
    return this.#logGeneration === this.#events.generation && this.#bytes === this.#events.bytes;
  }

  scopesOf(keys: readonly string[]): number[] {
    return keys.map((key) => this.#scopes.find(key)).filter((scope) => scope !== NONE);
  }

  /** The number of an event; -1 for one that was never taken in. */
  find({ scope, session, seq }: EventName): number {
    const number = this.#sessions.find(JSON.stringify([scope, session]));
    let document = number === NONE ? NONE : this.#last.get(number);
    while (document !== NONE && this.#seq.get(document) > seq) {
      document = this.#before.get(document);
    }
    return document !== NONE && this.#seq.get(document) === seq ? document : NONE;
  }

  name(document: number): EventName {
    const key = this.#sessions.text(this.#session.get(document));
    const [scope, session] = NameSchema.parse(JSON.parse(key));
    return { scope, session, seq: this.#seq.get(document) };
  }

  /** Key of the scope. */
  scopeOf(document: number): string {
    const session = this.#session.get(document);
    let scope = this.#scopeOfSession.get(session);
    if (scope === undefined) {
      scope = this.name(document).scope;
      this.#scopeOfSession.set(session, scope);
    }
    return scope;
  }

  /** When it was said, epoch milliseconds; `NaN` where nobody knows. */
  saidAt(document: number): number {
    return this.#at.get(document);
  }

  /** When it was taken in; `NaN` where nobody noted it. */
  toldAt(document: number): number {
    return this.#told.get(document);
  }

  /** What was said just before and after, in the same session. */
  neighbours(document: number): readonly number[] {
    return [this.#before.get(document), this.#after.get(document)].filter((d) => d !== NONE);
  }

  read(document: number): EventText | null {
    return this.#events.read(this.name(document));
  }

  text(document: number): string | null {
    const event = this.read(document);
    return event === null || event.text === null ? null : this.#searched(event, event.text);
  }

  terms(text: string): string[] {
    return tokenize(text, this.#fold);
  }

  #searched({ at, speaker, role }: EventText, text: string): string {
    const day =
      at === null ? null : formatInstant({ at, precision: 'day' }, this.#timeZone).slice(0, 10);
    return searchedText({ day, speaker: speaker ?? role }, text);
  }

  async catchUp(pace: Pace, timeZone: string): Promise<void> {
    if (timeZone !== this.#timeZone) {
      // Days are other days in another zone.
      this.#timeZone = timeZone;
      this.#logGeneration = NONE;
    }
    while (!this.isCurrent) {
      const { generation, bytes } = this.#events;
      if (generation !== this.#logGeneration) this.#begin(generation);
      try {
        for await (const { events, position } of this.#events.after(this.#position)) {
          for (const event of events) this.#add(event);
          this.#position = position;
          if (await pace.rest()) return;
        }
        this.#bytes = bytes;
      } catch (error) {
        // Events were erased meanwhile: from the start again.
        if (generation === this.#events.generation) throw error;
      }
    }
  }

  /** After an erasure: lets go of every word at once. */
  follow(): void {
    if (this.#logGeneration !== this.#events.generation) this.reset();
  }

  /** As if nothing had been taken in. */
  reset(): void {
    this.#begin(this.#events.generation);
  }

  #begin(generation: number): void {
    this.#index = new LexicalIndex();
    this.#scopes = new InternTable();
    this.#sessions = new InternTable();
    this.#scopeOfSession.clear();
    for (const column of this.#columns()) column.truncate(0);
    this.#last.truncate(0);
    this.#position = null;
    this.#bytes = 0;
    this.#dumped = 0;
    this.#logGeneration = generation;
    this.#generation += 1;
  }

  #columns(): readonly Column[] {
    return [this.#session, this.#seq, this.#at, this.#told, this.#before, this.#after];
  }

  #add(event: EventText): void {
    const session = this.#sessions.intern(JSON.stringify([event.scope, event.session]));
    const document = this.#session.push(session);
    this.#seq.push(event.seq);
    this.#at.push(event.at ?? NaN);
    this.#told.push(event.told ?? NaN);
    this.#link(document, session, event.seq);
    if (event.text === null) return;
    const text = this.#searched(event, event.text);
    this.#index.add(document, this.#scopes.intern(event.scope), this.terms(text));
  }

  /** Between its neighbours; nearly always it is the last. */
  #link(document: number, session: number, seq: number): void {
    let after = NONE;
    let before = this.#last.get(session);
    while (before !== NONE && this.#seq.get(before) > seq) {
      after = before;
      before = this.#before.get(before);
    }
    this.#before.set(document, before);
    this.#after.set(document, after);
    if (before !== NONE) this.#after.set(before, document);
    if (after === NONE) this.#last.set(session, document);
    else this.#before.set(after, document);
  }

  dump(): Dump | null {
    if (!this.isCurrent || this.#position === null) return null;
    const of: z.input<typeof OfSchema> = {
      terms: termsOf(this.#fold),
      timeZone: this.#timeZone,
      generation: this.#logGeneration,
      store: this.#storeId,
      position: this.#position,
      mark: this.#events.markOf(this.#position),
      bytes: this.#bytes,
    };
    return {
      of,
      parts: [
        ...this.#scopes.dump(),
        ...this.#sessions.dump(),
        ...this.#columns().map((column) => column.bytes()),
        this.#last.bytes(),
        ...this.#index.dump(),
      ],
    };
  }

  dumpedNow(): void {
    this.#dumped = this.size;
  }

  load({ of, parts }: Dump): boolean {
    const read = OfSchema.safeParse(of);
    if (!read.success) return false;
    const { terms, timeZone, generation, store, position, mark, bytes } = read.data;
    const isOfThis =
      terms === termsOf(this.#fold) &&
      timeZone === this.#timeZone &&
      store === this.#storeId &&
      generation === this.#events.generation &&
      bytes <= this.#events.bytes &&
      mark === this.#events.markOf(position);
    if (!isOfThis) return false;
    this.#begin(generation);
    let from = 0;
    const take = (count: number): readonly Buffer[] => parts.slice(from, (from += count));
    this.#scopes.load(take(TABLE_PARTS));
    this.#sessions.load(take(TABLE_PARTS));
    const columns = take(COLUMN_PARTS + 1);
    for (const [i, column] of [...this.#columns(), this.#last].entries()) {
      const bytesOf = columns[i];
      if (bytesOf === undefined) throw new Error('The dump of the events lacks a column.');
      column.load(bytesOf);
    }
    this.#index.load(parts.slice(from));
    this.#position = position;
    this.#bytes = bytes;
    this.#dumped = this.size;
    return true;
  }
}
