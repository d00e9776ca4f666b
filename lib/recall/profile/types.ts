import type { FactId } from '../../model/ids.js';
import type { TxStamp } from '../../memory/types.js';

export interface ProfileOptions {
  /** Tokens that the text may take, never exceeded. Default 500. */
  readonly maxTokens?: number | undefined;
  /** Counts the tokens of a text. Default: an estimate. */
  readonly countTokens?: ((text: string) => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ProfileLine {
  readonly text: string;
  /** Every fact that it rests on. */
  readonly facts: readonly FactId[];
}

/** What a writer said that could not be kept. */
export interface DroppedLine {
  readonly text: string;
  readonly why:
    | 'cites nothing'
    | 'cites what it was not given'
    | 'empty'
    | 'holds a credential'
    | 'takes more than the whole budget';
}

/** What is believed, in short. */
export interface Profile {
  /** One line below the other. */
  readonly text: string;
  /** By the counter in use. */
  readonly tokens: number;
  readonly lines: readonly ProfileLine[];
  readonly asOf: { readonly validAt: string; readonly knownAt: TxStamp };
  /** Facts believed at that point, with those for which there was no room. */
  readonly facts: number;
  /** Name of the writer; `null` where all lines are made from the facts by rule. */
  readonly writer: string | null;
  /** Lines made for this call, and lines of before, whose facts are the same. */
  readonly built: { readonly rebuilt: number; readonly kept: number };
  readonly dropped: readonly DroppedLine[];
  /** Why parts of it are not the writer's. */
  readonly problems: readonly string[];
}

/** What a writer is to put into words: all that is known of one subject and has room. */
export interface ProfileRequest {
  readonly subject: string;
  readonly facts: readonly { readonly id: FactId; readonly text: string }[];
  readonly maxTokens: number;
}

/**
 * Writes the profile well. Each line has to cite the facts that it rests on; a line that cites none, or others
 * than those it was given, is dropped.
 */
export interface ProfileWriter {
  /** Such as a model and its version. Another name makes everything be written anew. */
  readonly name: string;
  write(
    request: ProfileRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<{
    readonly lines: readonly { readonly text: string; readonly facts: readonly string[] }[];
  }>;
}
