// Waits for what comes about beside a test, in tests of all packages.

/** How long it may take on a machine that does other things too: a wait that ends early costs nothing. */
const PATIENCE_MS = 60_000;
const MAX_PAUSE_MS = 25;

/** Until the condition holds; fails after `timeoutMs`, and says what did not come about. */
export async function eventually(
  what: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  for (let pauseMs = 1; !(await condition()); pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    if (performance.now() > endMs) {
      throw new Error(`It did not come to this: ${typeof what === "string" ? what : what()}`);
    }
    await Bun.sleep(pauseMs);
  }
}
