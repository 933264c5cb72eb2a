// Types of config.mjs.
/** What `npm run mutate` looks at; paths are relative to `sources` and `tests`. */
export const config: {
  /** Per cent, by folder. */
  readonly bars: Readonly<Record<string, number>>;
};
