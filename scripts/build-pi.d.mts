// Types of build-pi.mjs.

/** Bundles the Pi extension into a folder, and gives the path of its entry. */
export function buildPi(target?: string): string;
