// A config folder into which the host fetches nothing.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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
