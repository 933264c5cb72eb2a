import { existsSync, readFileSync } from "node:fs";
import type { JsonObject } from "../../src/json.ts";

/** What the runtime has told its user, as its log has it; none where there is no log yet. */
export function readNotices(log: string): readonly JsonObject[] {
  if (!existsSync(log)) return [];
  const lines: readonly JsonObject[] = readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return lines.filter(({ event }) => event === "notice");
}
