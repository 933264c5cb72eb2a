import { describe, test } from "bun:test";
import type { OpenDriver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";

async function nodeDriver(): Promise<OpenDriver | null> {
  try {
    return (await import("../../src/storage/driver-node.ts")).openNodeDriver;
  } catch (error) {
    // In the second words where a preload has a plugin, as mutation testing does.
    if (/No such built-in module|Could not resolve: "node:sqlite"/.test(String(error))) return null;
    throw error;
  }
}

const drivers: readonly (readonly [string, OpenDriver | null])[] = [
  ["bun:sqlite", openBunDriver],
  ["node:sqlite", await nodeDriver()],
];

/** The suite once per SQLite that there is; what this runtime lacks is skipped by name. */
export function describeOnEachDriver(title: string, suite: (openDriver: OpenDriver) => void): void {
  for (const [name, openDriver] of drivers) {
    if (openDriver) describe(`${title}, over ${name}`, () => suite(openDriver));
    else
      test.skip(`${title}, over ${name} (skipped: Bun ${Bun.version} has none)`, () => undefined);
  }
}
