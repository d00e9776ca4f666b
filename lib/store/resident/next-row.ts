import type { Edge } from '../../belief/diff.js';

/** A row that the fact table is to hold, with the terms of its texts. */
export interface NextRow extends Edge {
  readonly objectTerm: number;
  readonly shown: number;
  readonly instanceTerm: number;
}
