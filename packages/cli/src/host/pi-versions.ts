// The versions of Pi that the tests run on.

/** The extension uses what Pi has since then. */
export const OLDEST_PI = "1.5.2";
export const TESTED_PI: readonly string[] = [OLDEST_PI, "1.6.0"];
