import type { Origin } from '../model/entry.js';
import type { InstantInput } from '../model/instant.js';
import type { OntologyDefinition } from '../model/ontology.js';
import type {
  AssertInput,
  EntityInput,
  EntityRef,
  EvidenceInput,
  ObjectByName,
  ObjectInputByName,
  PredicateName,
} from '../memory/types.js';

/** What ends: a fact by id, or what the handle's own scope believes of a subject. */
export interface EndInput<
  O extends OntologyDefinition = OntologyDefinition,
  P extends string = string,
> {
  readonly fact?: string | { readonly id: string } | undefined;
  readonly subject?: EntityInput | EntityRef | undefined;
  readonly predicate?: P | undefined;
  readonly object?: ObjectInputByName<O, P> | ObjectByName<O, P> | undefined;
  /** From when on it holds no longer. */
  readonly at: InstantInput;
  readonly observedAt?: InstantInput | undefined;
  readonly origin?: Origin | undefined;
  readonly authority?: number | undefined;
  readonly confidence?: number | undefined;
  readonly statement?: string | undefined;
  readonly evidence?: readonly EvidenceInput[] | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly extractor?: string | undefined;
}

/** What was wrong, and what is right instead; what is left out stays as it was. */
export interface CorrectInput<
  O extends OntologyDefinition = OntologyDefinition,
  P extends string = string,
> extends Partial<AssertInput<O, P>> {
  /** The fact or claim that was wrong. */
  readonly was: string | { readonly id: string };
}

export type RetractInput =
  | string
  | { readonly id: string }
  | readonly (string | { readonly id: string })[];

/** The verbs that write, as a transaction collects them. */
export interface Writes<O extends OntologyDefinition, R> {
  assert<const P extends PredicateName<O> = string>(input: AssertInput<O, P>): R;
  end<const P extends PredicateName<O> = string>(input: EndInput<O, P>): R;
  correct<const P extends PredicateName<O> = string>(input: CorrectInput<O, P>): R;
  retract(what: RetractInput): R;
}

export interface TransactionWrites<O extends OntologyDefinition> extends Writes<O, void> {
  readonly entities: {
    declare(entity: {
      readonly name: string;
      readonly type?: string;
      readonly distinct?: string;
    }): void;
    alias(entity: EntityInput | EntityRef, name: string): void;
    merge(from: EntityInput | EntityRef, into: EntityInput | EntityRef): void;
    split(entity: EntityInput | EntityRef): void;
  };
}
