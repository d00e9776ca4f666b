/** The log of one session. */
export interface Session {
  readonly id: string;
  /** When the log came in, where that was later than it was written; ISO 8601. */
  readonly receivedAt?: string;
  readonly events: readonly StoryEvent[];
}

/** One entry of a session's log. */
export interface StoryEvent {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly role: 'user' | 'tool';
  readonly by: string;
  readonly text: string;
  /** What it says of the world, one transaction. */
  readonly claims: readonly StoryClaim[];
}

/** Something that was believed, named by what it said. */
export interface Named {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** What a quote, which stands word for word in the text of its event, says. */
export type StoryClaim = { readonly quote: string } & (
  | (Named & {
      readonly verb: 'assert' | 'deny';
      readonly from: string;
      readonly to?: string;
    })
  | (Named & { readonly verb: 'end'; readonly at: string })
  | {
      readonly verb: 'correct';
      readonly was: Named;
      /** What is right instead; the rest stays as it was. */
      readonly from: string;
      readonly object?: string;
    }
  | { readonly verb: 'alias'; readonly subject: string; readonly name: string }
);
