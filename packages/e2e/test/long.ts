import { test } from "bun:test";

export const LONG = process.env.LONG === "1";

/** A test that only long runs take: an ordinary one has twelve minutes, and says so by its name. */
export function longTest(title: string, run: () => void | Promise<void>, timeoutMs?: number): void {
  if (LONG) test(title, run, timeoutMs);
  else test.skip(`${title} (npm run test:long)`, run);
}
