// The types of sources.mjs.
/** The folder of sources or tests that a file is in: they are named alike. */
export function topFolder(path: string): string;
