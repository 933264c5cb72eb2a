import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../src/json.ts";

const README = readFileSync(join(import.meta.dir, "../../../README.md"), "utf8");

/** The first code block of a language under a heading of the README: what it shows is what is tested. */
export function readmeCode(heading: string, language: string): string {
  const section = README.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const block =
    section && new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(section);
  if (!block) throw new Error(`The README has no ${language} example under "${heading}"`);
  return String(block[1]);
}

/** The first jsonc example under a heading of the README. */
export function readmeExample(heading: string): JsonObject {
  return JSON.parse(readmeCode(heading, "jsonc"));
}
