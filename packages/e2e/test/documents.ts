import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../src/json.ts";

export const ROOT = join(import.meta.dir, "../../..");

/** Pages that a script writes, or that hold no examples. */
const WITHOUT_EXAMPLES = ["benchmarks.md", "requirements.md"];

/** The pages for users, by their path from the repository's root. */
export const PAGES: readonly string[] = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md") && !WITHOUT_EXAMPLES.includes(name))
    .sort()
    .map((name) => `docs/${name}`),
];

/** A code block of a page. */
export interface Example {
  readonly page: string;
  /** The heading of its section. */
  readonly heading: string;
  /** Empty if the fence names none. */
  readonly language: string;
  /** Counted from 0 among those of its section and language. */
  readonly nth: number;
  readonly code: string;
}

/** All examples, page by page, in order. */
export function examples(): readonly Example[] {
  return PAGES.flatMap(parseExamples);
}

function parseExamples(page: string): readonly Example[] {
  const found: Example[] = [];
  let heading = "";
  let open: { readonly language: string; readonly lines: string[] } | null = null;
  for (const line of readFileSync(join(ROOT, page), "utf8").split("\n")) {
    const fence = /^```(\w*)$/.exec(line);
    if (open && fence) {
      const { language, lines } = open;
      const before = found.filter((one) => one.heading === heading && one.language === language);
      found.push({ page, heading, language, nth: before.length, code: `${lines.join("\n")}\n` });
      open = null;
    } else if (open) open.lines.push(line);
    else if (fence) open = { language: String(fence[1]), lines: [] };
    else heading = /^## (.*)$/.exec(line)?.[1] ?? heading;
  }
  return found;
}

/**
 * An example by its heading, which is unique among the pages: what a page shows is what is tested. A
 * test of the documents reads from the calls of this and of `exampleSettings` which ones have a test.
 */
export function exampleCode(heading: string, language: string, nth = 0): string {
  const found = examples().find(
    (block) => block.heading === heading && block.language === language && block.nth === nth,
  );
  if (!found) throw new Error(`No page has a ${language} example ${nth} under "${heading}"`);
  return found.code;
}

/** The first jsonc example under a heading. */
export function exampleSettings(heading: string): JsonObject {
  return JSON.parse(exampleCode(heading, "jsonc"));
}

/** The commands of an example whose lines are a command and, after a gap or a #, what it does. */
export function commandsIn(code: string): readonly string[] {
  return code
    .split("\n")
    .map((line) => line.split(/ {2,}|#/, 1)[0]?.trim() ?? "")
    .filter((command) => command !== "");
}

/** A pattern for a text of which the page leaves out what … stands for. */
export function asShown(code: string): RegExp {
  const parts = code.trimEnd().split("…");
  return new RegExp(parts.map((part) => RegExp.escape(part)).join("[\\s\\S]*?"));
}
