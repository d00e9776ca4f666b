import type { ErrorCode } from '../../model/errors.js';
import type { Maker } from './vector-file.js';

/**
 * `off`: no embedder was given. `embedding`: some texts wait. `failing`: the embedder fails, and is tried
 * again. `mismatch`: the vectors in the store are another model's. `changing`: they are being replaced.
 */
export type VectorStatus = 'off' | 'ready' | 'embedding' | 'failing' | 'mismatch' | 'changing';

/** How far the vectors are. */
export interface VectorState {
  readonly status: VectorStatus;
  /** The embedder that was given. */
  readonly embedder: Maker | null;
  /** Whose vectors the store holds. */
  readonly stored: Maker | null;
  /** Claims and events that have a vector of the embedder's. */
  readonly embedded: number;
  /** At most so many wait. */
  readonly pending: number;
  /** Texts that the embedder cannot read: they are searched by words only. */
  readonly heldBack: number;
  /** Texts that it refuses. */
  readonly failed: number;
  /** What is wrong; `null` when all is well. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
}

/** Embedding, as it goes on in the background. */
export interface Reembedding {
  /** Resolves when every text has its vector, or when the embedder has failed: the state says which. */
  readonly done: Promise<VectorState>;
}
