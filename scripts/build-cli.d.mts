// Types of build-cli.mjs.

/** Bundles the command line into `target`; gives the path of its entry. */
export function buildCli(target?: string): string;
