import type { ImportedStatement } from '../importers/statement.js';
import type {
  AsOf,
  Author,
  CapturedEvent,
  Curation,
  EngineHealth,
  Forgotten,
  ForgetWhat,
  Held,
  Imported,
  MemoryFact,
  Outcome,
  ProfileText,
  Recollection,
  RecallRequest,
  Scope,
  Statement,
  Why,
} from './vocabulary.js';

/** A fact that was asked for, with how well it answers. */
export interface SearchHit {
  readonly fact: MemoryFact;
  readonly score: number;
}

export interface FactQuery extends AsOf {
  readonly subject?: string | undefined;
  readonly predicate?: string | undefined;
  /** 1 to 1,000. */
  readonly limit: number;
  /** Id of the last fact of the page before. */
  readonly after?: string | undefined;
}

/**
 * The memory that plugins find under `ctx.memory`. It prescribes no store: whoever extends it and passes the
 * conformance suite can take the place of another. Everything is asked from a scope; what that scope does not
 * see is neither shown nor changed. Errors carry a stable `code`.
 */
export abstract class MemoryEngine {
  /** Takes in events of one session. They are durable when this resolves; events told before are left out. */
  abstract capture(
    scope: Scope,
    events: readonly CapturedEvent[],
    options: { readonly root: boolean },
  ): Promise<{ readonly seqs: readonly number[] }>;

  /** Tells that a session begins; one that is resumed is no reason to turn what waits into memory. */
  abstract sessionStarted(scope: Scope, session: { readonly resumed: boolean }): Promise<void>;

  /** Turns what waits of the scope's project into memory now, and resolves when that is done. */
  abstract curate(scope: Scope): Promise<Curation>;

  /** What a model is to read before it answers. Kept under its snapshot's id, and never changed. */
  abstract recall(scope: Scope, request: RecallRequest): Promise<Recollection>;

  /** What was shown under an id; `null` when it was erased or cannot be seen. */
  abstract snapshot(scope: Scope, id: string): Promise<string | null>;

  /** What is known, in short. */
  abstract profile(scope: Scope, options: { readonly maxTokens: number }): Promise<ProfileText>;

  abstract search(
    scope: Scope,
    question: string,
    options: AsOf & { readonly limit: number; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly SearchHit[]>;

  abstract facts(scope: Scope, query: FactQuery): Promise<readonly MemoryFact[]>;

  /** Everything that was ever believed of a subject, in the order in which it was learnt. */
  abstract history(
    scope: Scope,
    of: { readonly subject: string; readonly predicate?: string | undefined },
  ): Promise<readonly MemoryFact[]>;

  abstract why(scope: Scope, fact: string): Promise<Why>;

  abstract remember(scope: Scope, said: Statement, by: Author): Promise<Outcome>;

  /** Ends what is given, and says what holds from then on; both, or neither. */
  abstract update(
    scope: Scope,
    old: { readonly object: string } | null,
    said: Statement & { readonly validFrom: string },
    by: Author,
  ): Promise<Outcome>;

  abstract end(
    scope: Scope,
    what: {
      readonly subject: string;
      readonly predicate: string;
      readonly object?: string | undefined;
      readonly at: string;
    },
    by: Author,
  ): Promise<Outcome>;

  /** Says that a fact was wrong, and what is right. */
  abstract correct(
    scope: Scope,
    fact: string,
    right: {
      readonly object?: string | undefined;
      readonly validFrom?: string | undefined;
      readonly validTo?: string | undefined;
    },
    by: Author,
  ): Promise<Outcome>;

  abstract retract(scope: Scope, fact: string, by: Author): Promise<Outcome>;

  abstract forget(
    scope: Scope,
    what: ForgetWhat,
    options: {
      readonly erase: boolean;
      readonly dryRun?: boolean | undefined;
      readonly actor: string;
      readonly reason?: string | undefined;
    },
  ): Promise<Forgotten>;

  abstract held(scope: Scope): Promise<readonly Held[]>;
  abstract approve(scope: Scope, claim: string, actor: string): Promise<Outcome>;
  abstract reject(scope: Scope, claim: string, actor: string): Promise<Outcome>;
  /** Undoes a transaction in a new one. */
  abstract revert(scope: Scope, tx: number, actor: string): Promise<Outcome>;
  /** Says that two names are of one thing. */
  abstract merge(scope: Scope, from: string, into: string, by: Author): Promise<Outcome>;

  /**
   * Takes in what another memory holds. A second run of one source goes on where the first one stopped. Known
   * times are kept where that is possible; else they become the times at which it was said.
   */
  abstract importStatements(
    scope: Scope,
    statements: readonly ImportedStatement[],
    options: { readonly source: string; readonly dryRun: boolean },
  ): Promise<Imported>;

  abstract health(): Promise<EngineHealth>;

  /** The whole of what an org's memory holds, as lines of text. */
  abstract exportLines(org: string): AsyncIterable<string>;
}
