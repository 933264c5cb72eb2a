// Types of build-pi.mjs.

/** Bundles the Pi extension into a folder, and gives the path of its entry. */
export function buildPi(target?: string): string;

/** The whole package in a folder, as npm would publish it. */
export function buildPiPackage(target: string): void;
