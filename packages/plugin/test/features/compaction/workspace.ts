import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Section } from "../../../src/features/compaction/brief.ts";
import {
  type BriefRequest,
  type BriefResult,
  makeBrief,
} from "../../../src/features/compaction/make-brief.ts";
import { defaultReadBounds } from "../../../src/features/compaction/reader.ts";
import type { RuntimeFacts } from "../../../src/features/compaction/runtime-facts.ts";
import { builtInWorkflows } from "../../../src/features/compaction/workflows.ts";

export const noFacts: RuntimeFacts = {
  todos: [],
  files: [],
  failing: [],
  request: null,
  unanswered: [],
  queued: [],
};

/** Files by relative path. */
export type Files = Readonly<Record<string, string>>;

export function writeFiles(folder: string, files: Files): string {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  return folder;
}

/** The brief of a folder, without anything that the runtime knows unless it is given. */
export function buildBrief(
  folder: string,
  changes: Partial<BriefRequest> = {},
): Promise<BriefResult> {
  return makeBrief({
    directory: folder,
    workflows: builtInWorkflows,
    facts: noFacts,
    carried: null,
    budgetTokens: 6000,
    bounds: defaultReadBounds,
    now: () => performance.now(),
    ...changes,
  });
}

/** The lines of one field; null where the brief has no such field. */
export function field(
  { brief }: BriefResult,
  heading: Section["heading"],
): readonly string[] | null {
  const all = [...brief.generic, ...(brief.workflow ?? [])];
  return all.find((section) => section.heading === heading)?.lines ?? null;
}

export function fixture(name: string): string {
  return readFileSync(join(import.meta.dir, "fixtures", name), "utf8").replace(/\n$/, "");
}

/** The fields of a rendered brief, by heading. */
export function parseBriefFields(text: string): Readonly<Record<string, readonly string[]>> {
  const fields: Record<string, string[]> = {};
  let current: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("## ")) {
      current = [];
      fields[line.slice(3)] = current;
    } else current.push(line);
  }
  return fields;
}
