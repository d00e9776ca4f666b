/**
 * What an erasure takes, as whatever was derived from the memory may ask of the things it rests on. Scopes
 * are keys of scopes.
 */
export interface Erased {
  /** A row of belief that is no more: it rested on an erased claim, or had its bounds from one. */
  fact(id: string): boolean;
  claim(id: string): boolean;
  entity(id: string): boolean;
  /** An event, as what is in a scope speaks of it. */
  event(scope: string, name: { readonly session: string; readonly seq: number }): boolean;
  /** Everything of a session, as what is in a scope speaks of it. */
  session(scope: string, session: string): boolean;
  /** Everything of a scope. */
  scope(key: string): boolean;
  /** Whether a text of a scope names what is erased. */
  isMentioned(scope: string, text: string): boolean;
}
