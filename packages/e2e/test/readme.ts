import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../src/json.ts";

const ROOT = join(import.meta.dir, "../../..");

/** A code block of the README. */
export interface ReadmeBlock {
  /** Of the section that it stands in. */
  readonly heading: string;
  /** Empty where the fence names none. */
  readonly language: string;
  /** Counted from 0 among those of its section and language. */
  readonly nth: number;
  readonly code: string;
}

/** All of them, in order. */
export function readmeBlocks(): readonly ReadmeBlock[] {
  const blocks: ReadmeBlock[] = [];
  let heading = "";
  let open: { readonly language: string; readonly lines: string[] } | null = null;
  for (const line of readFileSync(join(ROOT, "README.md"), "utf8").split("\n")) {
    const fence = /^```(\w*)$/.exec(line);
    if (open && fence) {
      const { language, lines } = open;
      const before = blocks.filter((one) => one.heading === heading && one.language === language);
      blocks.push({ heading, language, nth: before.length, code: `${lines.join("\n")}\n` });
      open = null;
    } else if (open) open.lines.push(line);
    else if (fence) open = { language: String(fence[1]), lines: [] };
    else heading = /^## (.*)$/.exec(line)?.[1] ?? heading;
  }
  return blocks;
}

/**
 * A code block by its place: what it shows is what is tested. A test of the README reads from the
 * calls of this and of `readmeExample` which blocks have a test.
 */
export function readmeCode(heading: string, language: string, nth = 0): string {
  const found = readmeBlocks().find(
    (block) => block.heading === heading && block.language === language && block.nth === nth,
  );
  if (!found) throw new Error(`The README has no ${language} example ${nth} under "${heading}"`);
  return found.code;
}

/** The first jsonc example under a heading of the README. */
export function readmeExample(heading: string): JsonObject {
  return JSON.parse(readmeCode(heading, "jsonc"));
}

/** A pattern for a text of which the README leaves out what … stands for. */
export function asShown(code: string): RegExp {
  const parts = code.trimEnd().split("…");
  return new RegExp(parts.map((part) => RegExp.escape(part)).join("[\\s\\S]*?"));
}
