/** How far something long has come. */
export interface Progress {
  readonly what:
    | 'replaying the journal'
    | 'rewriting the journal'
    | 'rebuilding the graph'
    | 'importing';
  readonly done: number;
  /** How many there are in all, in the same unit; `null` when that is not known. */
  readonly all: number | null;
}

export type OnProgress = (progress: Progress) => void;
