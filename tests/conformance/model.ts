import type { ChangeSet, Fact, FactId, Scope, WriteResult } from '../../lib/index.js';

interface Known {
  readonly fact: Fact;
  /** The transaction that closed it. */
  closedBy: number | null;
}

/** The plainest memory there is: a list of what transactions have opened and closed. */
export class Model {
  readonly #facts = new Map<FactId, Known>();
  readonly #changes = new Map<number, { opened: Set<FactId>; closed: Set<FactId> }>();

  take(change: Pick<WriteResult | ChangeSet, 'tx' | 'opened' | 'closed'>): void {
    const { tx, opened, closed } = change;
    const of = this.#changes.get(tx) ?? { opened: new Set(), closed: new Set() };
    for (const fact of opened) {
      this.#facts.set(fact.id, { fact, closedBy: this.#facts.get(fact.id)?.closedBy ?? null });
      of.opened.add(fact.id);
    }
    for (const { fact } of closed) {
      const known = this.#facts.get(fact.id);
      if (known === undefined) throw new Error(`${fact.id} was closed and never opened.`);
      known.closedBy = tx;
      of.closed.add(fact.id);
    }
    this.#changes.set(tx, of);
  }

  /** After an erasure the past is another one. */
  clear(): void {
    this.#facts.clear();
    this.#changes.clear();
  }

  all(): readonly Fact[] {
    return [...this.#facts.values()].map((k) => k.fact);
  }

  /** Believed now, in some scope. */
  believed(): readonly Fact[] {
    return [...this.#facts.values()].filter((k) => k.closedBy === null).map((k) => k.fact);
  }

  changeOf(
    tx: number,
  ): { readonly opened: ReadonlySet<FactId>; readonly closed: ReadonlySet<FactId> } | undefined {
    return this.#changes.get(tx);
  }

  transactions(): readonly number[] {
    return [...this.#changes.keys()];
  }

  /** What a scope itself believes at a point of both axes. */
  asOf(scope: Scope, valid: string, known: number): readonly Fact[] {
    const at = Date.parse(valid);
    return [...this.#facts.values()]
      .filter(({ fact, closedBy }) => {
        const from = fact.validFrom === null ? -Infinity : Date.parse(fact.validFrom);
        const to = fact.validTo === null ? Infinity : Date.parse(fact.validTo);
        return (
          isSame(fact.scope, scope) &&
          from <= at &&
          at < to &&
          fact.knownFrom.tx <= known &&
          (closedBy === null || known < closedBy)
        );
      })
      .map((k) => k.fact);
  }

  /** Everything a scope ever believed of a subject. */
  history(scope: Scope, subject: string, known: number): readonly Fact[] {
    return this.all().filter(
      (f) => isSame(f.scope, scope) && f.subject.name === subject && f.knownFrom.tx <= known,
    );
  }
}

const isSame = (a: Scope, b: Scope): boolean =>
  a.org === b.org && a.project === b.project && a.user === b.user && a.agent === b.agent;

/** Whether a handle on `from` sees what lies in `scope`. */
export const sees = (from: Scope, scope: Scope): boolean =>
  scope.org === from.org &&
  (scope.project === undefined || scope.project === from.project) &&
  (scope.user === undefined || scope.user === from.user) &&
  (scope.agent === undefined || scope.agent === from.agent);

/** The more specific scope first: more dimensions, then the user before the project. */
export function bySpecificity(a: Scope, b: Scope): number {
  const weight = (s: Scope): number =>
    Object.values(s).length * 10 +
    (s.user === undefined ? 0 : 4) +
    (s.agent === undefined ? 0 : 2) +
    (s.project === undefined ? 0 : 1);
  return weight(b) - weight(a);
}
