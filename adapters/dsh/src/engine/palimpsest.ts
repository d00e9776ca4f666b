import { openMemory } from 'palimpsest';
import type { FactHit, Handle, Memory, WriteOptions } from 'palimpsest';
import type { ImportedStatement } from '../importers/statement.js';
import { MemoryEngine, type FactQuery, type SearchHit } from './engine.js';
import {
  claimText,
  fromRecord,
  objectText,
  presentFact,
  presentHit,
  presentOutcome,
} from './present.js';
import { streamOf } from './stream.js';
import { asserted, moment, origin } from './written.js';
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

const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'NOT_FOUND';

const isFactHit = (hit: { readonly kind: string }): hit is FactHit => hit.kind === 'fact';

const options = (by: Author): WriteOptions => ({ actor: by.actor });

/** Memory in a Palimpsest store. */
export class PalimpsestEngine extends MemoryEngine {
  readonly #memory: Memory;
  readonly #searchEvents: boolean;

  constructor(memory: Memory, options: { readonly searchEvents: boolean }) {
    super();
    this.#memory = memory;
    this.#searchEvents = options.searchEvents;
  }

  #in(scope: Scope): Handle {
    return this.#memory.in(scope);
  }

  async capture(
    scope: Scope,
    events: readonly CapturedEvent[],
    { root }: { readonly root: boolean },
  ): Promise<{ readonly seqs: readonly number[] }> {
    if (events.length === 0) return { seqs: [] };
    const { seqs } = await this.#in(scope).ingest(events, { root });
    return { seqs };
  }

  async sessionStarted(scope: Scope, session: { readonly resumed: boolean }): Promise<void> {
    await this.#in(scope).sessionStarted(session);
  }

  async curate(scope: Scope): Promise<Curation> {
    const { sessions, jobs, failed } = await this.#in(scope).curate();
    return { sessions, jobs, failed };
  }

  async recall(scope: Scope, request: RecallRequest): Promise<Recollection> {
    const { question, session, maxTokens, deadlineMs, signal, known } = request;
    const answer = await this.#in(scope).recall(question, {
      maxTokens,
      deadlineMs,
      signal,
      session,
      events: this.#searchEvents,
      except: { facts: known, session },
    });
    const facts = answer.hits.filter(isFactHit).map(({ fact, sources }) => ({
      id: fact.id,
      evidence: sources.map(({ session, seq }) => ({ session, seq })),
    }));
    const events = answer.hits.flatMap((hit) =>
      hit.kind === 'event' ? [{ session: hit.session, seq: hit.seq }] : [],
    );
    const { validAt, knownAt } = answer.asOf;
    const { status, text, snapshot } = answer;
    return { status, text, snapshot, asOf: { validAt, knownAt }, facts, events };
  }

  async snapshot(scope: Scope, id: string): Promise<string | null> {
    try {
      const snapshot = await this.#in(scope).snapshot(id);
      return snapshot.state === 'kept' ? snapshot.text : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async profile(scope: Scope, { maxTokens }: { readonly maxTokens: number }): Promise<ProfileText> {
    const { text, lines, asOf } = await this.#in(scope).profile({ maxTokens });
    return { text, facts: [...new Set(lines.flatMap((line) => line.facts))], asOf };
  }

  async search(
    scope: Scope,
    question: string,
    { limit, signal, ...asOf }: AsOf & { limit: number; signal?: AbortSignal | undefined },
  ): Promise<readonly SearchHit[]> {
    const answer = await this.#in(scope).search(question, {
      ...moment(asOf),
      limit,
      events: false,
      ...(signal === undefined ? {} : { signal }),
    });
    return answer.hits
      .filter(isFactHit)
      .map((hit) => ({ fact: presentHit(hit), score: hit.score }));
  }

  async facts(scope: Scope, query: FactQuery): Promise<readonly MemoryFact[]> {
    const { subject, predicate, limit, after } = query;
    const facts = await this.#in(scope).facts({
      ...moment(query),
      ...(subject === undefined ? {} : { subject }),
      ...(predicate === undefined ? {} : { predicate }),
      ...(after === undefined ? {} : { after }),
      limit,
      orderBy: 'knownFrom',
    });
    return facts.map((fact) => presentFact(fact));
  }

  async history(
    scope: Scope,
    of: { readonly subject: string; readonly predicate?: string | undefined },
  ): Promise<readonly MemoryFact[]> {
    const { facts } = await this.#in(scope).history(of);
    return facts.map((fact) => presentFact(fact));
  }

  async why(scope: Scope, fact: string): Promise<Why> {
    const why = await this.#in(scope).why(fact);
    return {
      fact: presentFact(why.fact),
      text: why.text,
      claims: why.claims.map((claim) => ({
        id: claim.id,
        text:
          claim.statement ?? `${claim.subject.name} ${claim.predicate} ${objectText(claim.object)}`,
        evidence: claim.evidence.map(fromRecord),
      })),
    };
  }

  async remember(scope: Scope, said: Statement, by: Author): Promise<Outcome> {
    return presentOutcome(await this.#in(scope).assert(asserted(said, by), options(by)));
  }

  async update(
    scope: Scope,
    old: { readonly object: string } | null,
    said: Statement & { readonly validFrom: string },
    by: Author,
  ): Promise<Outcome> {
    const { subject, predicate, validFrom: at } = said;
    const result = await this.#in(scope).transact((t) => {
      if (old !== null) t.end({ subject, predicate, object: old.object, at, ...origin(by) });
      t.assert(asserted(said, by));
    }, options(by));
    return presentOutcome(result);
  }

  async end(
    scope: Scope,
    what: {
      readonly subject: string;
      readonly predicate: string;
      readonly object?: string | undefined;
      readonly at: string;
    },
    by: Author,
  ): Promise<Outcome> {
    const { object, ...rest } = what;
    const input = { ...rest, ...(object === undefined ? {} : { object }), ...origin(by) };
    return presentOutcome(await this.#in(scope).end(input, options(by)));
  }

  async correct(
    scope: Scope,
    was: string,
    right: {
      readonly object?: string | undefined;
      readonly validFrom?: string | undefined;
      readonly validTo?: string | undefined;
    },
    by: Author,
  ): Promise<Outcome> {
    const { object, validFrom, validTo } = right;
    const input = {
      was,
      ...(object === undefined ? {} : { object }),
      ...(validFrom === undefined ? {} : { validFrom }),
      ...(validTo === undefined ? {} : { validTo }),
      ...origin(by),
    };
    return presentOutcome(await this.#in(scope).correct(input, options(by)));
  }

  async retract(scope: Scope, fact: string, by: Author): Promise<Outcome> {
    return presentOutcome(await this.#in(scope).retract(fact, options(by)));
  }

  async forget(
    scope: Scope,
    what: ForgetWhat,
    how: {
      erase: boolean;
      dryRun?: boolean | undefined;
      actor: string;
      reason?: string | undefined;
    },
  ): Promise<Forgotten> {
    const { committed, claims, facts, events, sessions } = await this.#in(scope).forget(what, {
      mode: how.erase ? 'erase' : 'retract',
      actor: how.actor,
      ...(how.dryRun === undefined ? {} : { dryRun: how.dryRun }),
      ...(how.reason === undefined ? {} : { reason: how.reason }),
    });
    return { committed, claims, facts, events, sessions };
  }

  async held(scope: Scope): Promise<readonly Held[]> {
    const held = await this.#in(scope).held();
    return held.map(({ id, why, since, claim }) => ({
      id,
      why,
      since: since.at,
      text: claimText(claim),
      evidence: claim.evidence.map(fromRecord),
    }));
  }

  async approve(scope: Scope, claim: string, actor: string): Promise<Outcome> {
    return presentOutcome(await this.#in(scope).approve(claim, { actor }));
  }

  async reject(scope: Scope, claim: string, actor: string): Promise<Outcome> {
    return presentOutcome(await this.#in(scope).reject(claim, { actor }));
  }

  async revert(scope: Scope, tx: number, actor: string): Promise<Outcome> {
    return presentOutcome(await this.#in(scope).revert(tx, { actor }));
  }

  async merge(scope: Scope, from: string, into: string, by: Author): Promise<Outcome> {
    return presentOutcome(await this.#in(scope).entities.merge(from, into, options(by)));
  }

  async importStatements(
    scope: Scope,
    statements: readonly ImportedStatement[],
    { source, dryRun }: { readonly source: string; readonly dryRun: boolean },
  ): Promise<Imported> {
    const { claims } = await this.#memory.stats();
    const keepsKnownTime = claims === 0;
    const lines = streamOf(statements, keepsKnownTime);
    if (lines.length === 0) return { taken: 0, skipped: 0, keepsKnownTime };
    if (dryRun) {
      // What would be refused is refused here.
      await using trial = await openMemory({ store: 'memory' });
      await trial.import(streamOf(statements, true), { scope, source });
      return { taken: statements.length, skipped: 0, keepsKnownTime };
    }
    const { skipped } = await this.#memory.import(lines, { scope, source });
    return { taken: Math.max(0, statements.length - skipped), skipped, keepsKnownTime };
  }

  async health(): Promise<EngineHealth> {
    const [health, stats] = await Promise.all([this.#memory.health(), this.#memory.stats()]);
    const { state, queued, running, held, failed, oldestWaiting, reason } = health;
    const { believed: facts, transactions } = stats;
    return { state, queued, running, held, failed, oldestWaiting, reason, facts, transactions };
  }

  exportLines(org: string): AsyncIterable<string> {
    return this.#memory.admin({ org }).export();
  }
}
