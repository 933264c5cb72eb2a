// Whether the runtime can save anything.
import { basename, dirname } from "node:path";
import type { Check } from "../check.ts";
import type { DatabaseFacts } from "../facts/database.ts";
import type { WriteTest } from "../facts/write-test.ts";
import { found, passed } from "../finding.ts";

export const dataWritable: Check = {
  id: "data-writable",
  title: "Session data can be saved",
  answeredBy: ["folder-variable-wrong"],
  run: ({ database }) => {
    const { path, write } = database;
    if (write.kind === "writable") return passed(dirname(path));
    return found({
      code: "data-not-writable",
      severity: "error",
      what: `The Session Runtime database ${path} ${verbOf(write)}.`,
      cause: causeOf(write),
      fix: fixOf(write, database),
      repair: null,
    });
  },
};

type Refused = Extract<WriteTest, { kind: "refused" }>;

/** In the words of /ctx-status. */
function verbOf({ code }: Refused): string {
  switch (code) {
    case "read_only":
      return "can't be written";
    case "full":
      return "can't grow";
    default:
      return "can't be opened";
  }
}

function causeOf({ place, reason, mode, isOwn }: Refused): string {
  const owner = isOwn === false ? ", and it belongs to another user" : "";
  const bits = mode === null ? "" : ` (mode ${mode.toString(8)}${owner})`;
  return `${place}${bits}: ${reason}.`;
}

function fixOf({ code, place, isOwn }: Refused, { path, chosenBy }: DatabaseFacts): string {
  const elsewhere = `or choose another place: ${placeChoice(chosenBy)}`;
  if (code === "full") return "Free some disk space. What is stored stays.";
  if (place === path && code !== "read_only") return `Name a file: ${placeChoice(chosenBy)}.`;
  if (code !== "read_only") return `Make ${dirname(path)} a folder, ${elsewhere}.`;
  if (isOwn === false) return `Make it yours: sudo chown -R "$(id -u)" ${place}; ${elsewhere}.`;
  const isFile = basename(place).startsWith(basename(path));
  return `chmod ${isFile ? "u+rw" : "u+rwx"} ${place}, ${elsewhere}.`;
}

function placeChoice(chosenBy: DatabaseFacts["chosenBy"]): string {
  switch (chosenBy) {
    case "storage.path":
      return '"storage.path" in your settings names this one';
    case "SESSION_RUNTIME_DB":
      return "SESSION_RUNTIME_DB names this one";
    case "--db":
    case "default":
      return "SESSION_RUNTIME_DB=/path/to/runtime.db";
  }
}
