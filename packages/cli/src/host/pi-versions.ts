// Lists the versions of Pi that the tests run on.

/** The first version of Pi with everything that the extension uses. */
export const OLDEST_PI = "1.5.2";
export const TESTED_PI: readonly string[] = [OLDEST_PI, "1.6.0"];
