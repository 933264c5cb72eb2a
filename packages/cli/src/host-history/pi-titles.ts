// Reads titles as Pi's own list of sessions has them: the user's name for one, else the start of its first prompt.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  parseFields,
  toFields,
  type UnknownFields,
} from "@session-runtime/opencode/context/fields";
import { piFolder } from "../host/pi-places.ts";
import type { Environment } from "../host/places.ts";
import { systemReason } from "../system-error.ts";

const LENGTH = 60;

/** Returns titles by session id. A session whose file is gone or unreadable has none. */
export function piTitles(env: Environment, ids: readonly string[]): ReadonlyMap<string, string> {
  if (ids.length === 0) return new Map();
  const files = sessionFiles(env.PI_CODING_AGENT_SESSION_DIR || join(piFolder(env), "sessions"));
  return new Map(
    ids.flatMap((id) => {
      const path = files.find((file) => file.endsWith(`_${id}.jsonl`));
      const title = path === undefined ? null : titleIn(path);
      return title === null ? [] : [[id, title] as const];
    }),
  );
}

/** Lists the session files. Pi has a folder of them for each folder that it was started in. */
function sessionFiles(folder: string): readonly string[] {
  return orNothing(() =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
}

function titleIn(path: string): string | null {
  const lines = orNothing(() => readFileSync(path, "utf8").split("\n"));
  const named = lines.findLast((line) => line.startsWith('{"type":"session_info"'));
  const name = parseFields(named ?? "")?.name;
  if (typeof name === "string" && name !== "") return name;
  for (const line of lines) {
    const text = promptIn(toFields(parseFields(line)?.message));
    if (text !== null) return text.slice(0, LENGTH);
  }
  return null;
}

/** Returns the first line of a user's message; null for other messages, or without text. */
function promptIn({ role, content }: UnknownFields): string | null {
  if (role !== "user") return null;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  const texts = parts.map((part) => toFields(part).text);
  const text = texts.find((one) => typeof one === "string");
  return typeof text === "string" ? (text.trim().split("\n")[0] ?? null) : null;
}

/** Returns nothing where a file can't be read: titles are only a convenience. */
function orNothing(read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch (error) {
    if (systemReason(error) !== null) return [];
    throw error;
  }
}
