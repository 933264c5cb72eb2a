// Types of opencode.mjs.

/** The version that everything is tested with. */
export const PINNED_OPENCODE: string;
