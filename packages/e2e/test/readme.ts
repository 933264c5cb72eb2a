import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../src/json.ts";

const README = readFileSync(join(import.meta.dir, "../../../README.md"), "utf8");

/** The first jsonc example under a heading of the README: what it shows is what is tested. */
export function readmeExample(heading: string): JsonObject {
  const section = README.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const example = section && /^```jsonc\n([\s\S]*?)^```$/m.exec(section)?.[1];
  if (!example) throw new Error(`The README has no example under "${heading}"`);
  return JSON.parse(example);
}
