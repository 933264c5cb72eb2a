// Describes which lines of a file a call shows.
/** A range of lines, counted from 1; `to` is the last, or Infinity where the call gives none. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}
