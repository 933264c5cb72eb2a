// Which lines of a file a call shows.
/** Lines of a file, counted from 1; `to` is the last, or Infinity where the call says none. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}
