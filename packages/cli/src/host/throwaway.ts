// Makes folders and environments for a start of the host that leaves nothing on disk.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onEarlyEnd } from "./early-end.ts";

/** Turns off what the host would fetch by itself. */
export const FETCHES_NOTHING = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
} as const;

/** Unsets the variables that name another config than the one in the host's folder. */
export const NO_OTHER_CONFIG = {
  OPENCODE_CONFIG: undefined,
  OPENCODE_CONFIG_DIR: undefined,
  OPENCODE_CONFIG_CONTENT: undefined,
} as const;

/** Removes the folder when `use` ends, or when the process does. */
export async function inThrowawayFolder<T>(
  name: string,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `session-runtime-${name}-`));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const cancelCleanup = onEarlyEnd(removeFolder);
  try {
    return await use(folder);
  } finally {
    cancelCleanup();
    removeFolder();
  }
}

/**
 * Makes a config folder of the host that looks as if the host had put its own package there: at its
 * first start it would fetch that from the registry, and wait for it.
 */
export function settleFolder(folder: string): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const root = { dependencies: { "@opencode-ai/plugin": "*" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(root));
  const lock = { lockfileVersion: 3, packages: { "": root } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
}
