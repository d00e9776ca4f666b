/** How it goes, for people: what is captured, what waits, and what went wrong. */
export class Status {
  /** Why nothing is captured; `null` while it is. */
  off: string | null = 'The memory is not open yet.';
  turns = 0;
  events = 0;
  /** Turns that are on their way into the memory. */
  pending = 0;
  /** Sessions whose logs are gone. */
  gone: readonly string[] = [];
  lastCapture: { readonly session: string; readonly at: string } | null = null;
  injected = 0;
  timedOut = 0;
  /** The newest last; a few of them. */
  readonly #failures: { readonly what: string; readonly why: string; readonly at: string }[] = [];

  get failures(): readonly { readonly what: string; readonly why: string; readonly at: string }[] {
    return this.#failures;
  }

  failed(what: string, error: unknown): string {
    const why = error instanceof Error ? error.message : String(error);
    this.#failures.push({ what, why, at: new Date().toISOString() });
    if (this.#failures.length > 10) this.#failures.shift();
    return `${what}: ${why}`;
  }
}
