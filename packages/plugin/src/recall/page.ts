// Which lines of a record are asked for.

export interface Page {
  /** The first line, from 1. */
  readonly from: number;
  /** How many at most. */
  readonly lines: number;
}

export const DEFAULT_LINES = 200;
export const MAX_LINES = 2_000;
