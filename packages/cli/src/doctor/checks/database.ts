// Checks that the database is writable, intact, private and of a usual size.
import { basename, dirname } from "node:path";
import { explainRecovery } from "@session-runtime/opencode/status/way-back";
import type { DatabaseFacts } from "../facts/database.ts";
import type { WriteTest } from "../facts/write-test.ts";
import { type Check, type Finding, found, passed, skipped, UPDATE } from "../finding.ts";

/** Checks that the runtime can save anything. */
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
      what: `The Session Runtime database ${path} ${describeRefusal(write)}.`,
      cause: describeCause(write),
      fix: describeFix(write, database),
    });
  },
};

type RefusedWrite = Extract<WriteTest, { kind: "refused" }>;

/** Describes the refusal as /ctx-status does. */
function describeRefusal({ code }: RefusedWrite): string {
  switch (code) {
    case "read_only":
      return "can't be written";
    case "full":
      return "can't grow";
    default:
      return "can't be opened";
  }
}

function describeCause({ place, reason, mode, isOwn }: RefusedWrite): string {
  const owner = isOwn === false ? ", and it belongs to another user" : "";
  const bits = mode === null ? "" : ` (mode ${mode.toString(8)}${owner})`;
  return `${place}${bits}: ${reason}.`;
}

function describeFix(
  { code, place, isOwn }: RefusedWrite,
  { path, chosenBy }: DatabaseFacts,
): string {
  const elsewhere = `or choose another place: ${placeChoice(chosenBy)}`;
  if (code === "full") return "Free some disk space. Nothing that is stored is lost.";
  if (place === path && code !== "read_only") return `To name a file, ${placeChoice(chosenBy)}.`;
  if (code !== "read_only") return `Make ${dirname(path)} a folder, ${elsewhere}.`;
  // Elsewhere the folder may belong to anybody: /etc, say.
  if (isOwn === false && chosenBy !== "default")
    return `Choose a place of your own: ${placeChoice(chosenBy)}.`;
  if (isOwn === false) return `Make it yours: sudo chown -R "$(id -u)" ${place}; ${elsewhere}.`;
  const isFile = basename(place).startsWith(basename(path));
  return `Run chmod ${isFile ? "u+rw" : "u+rwx"} ${place}, ${elsewhere}.`;
}

function placeChoice(chosenBy: DatabaseFacts["chosenBy"]): string {
  switch (chosenBy) {
    case "storage.path":
      return 'change "storage.path" in your settings';
    case "SESSION_RUNTIME_DB":
      return "change SESSION_RUNTIME_DB";
    case "--db":
    case "default":
      return "set SESSION_RUNTIME_DB=/path/to/runtime.db";
  }
}

/** Checks that the database is intact, and of a version that the plugin reads. */
export const databaseSound: Check = {
  id: "database-sound",
  title: "The database is intact",
  answeredBy: ["folder-variable-wrong", "data-not-writable"],
  run: ({ database, command }) => {
    const { path, file } = database;
    if (file === null) return passed("there is none yet; the first prompt creates it");
    const { state, reason } = file.soundness;
    switch (state) {
      case "sound":
        return passed(`${path}, every page checked`);
      case "empty":
        return passed(`${path} is empty; the first prompt fills it`);
      case "no-sqlite":
      case "not-finished":
        return skipped(reason);
      case "database-newer-schema":
        return found({
          code: "database-newer",
          severity: "error",
          what: `${path} was written by a newer version of Session Runtime.`,
          cause:
            "The plugin that wrote it is newer than this command and the one that OpenCode runs.",
          fix: UPDATE,
        });
      case "database-older-schema":
        return found({
          code: "database-older",
          severity: "note",
          what: `${path} was written by an older version of Session Runtime.`,
          cause: "It has not been opened by OpenCode since the update.",
          fix: `OpenCode updates it at its next start. ${command} migrate does so now, and keeps a copy.`,
        });
      case "database-development-schema":
        return found({
          code: "database-development",
          severity: "note",
          what: `${path} was written by a development version of Session Runtime, and can't be used as it is.`,
          cause:
            "The released versions have another schema, and OpenCode has not opened it since the update.",
          fix: `OpenCode moves it aside at its next start, creates a new one, and copies memories, notes and queued prompts to it. ${command} migrate does so now.`,
        });
      case "database-corrupt":
        return found({
          code: "database-damaged",
          severity: "error",
          what: `The database ${path} is damaged.`,
          cause: reason === "" ? "SQLite can't read it as a database." : `SQLite finds: ${reason}.`,
          fix: `Restart OpenCode: it moves the file aside and creates a new one. Your conversations are not in it, and stay. Or restore a backup of it. ${explainRecovery(path)}`,
        });
      case "database-unopenable":
        return found({
          code: "database-unopenable",
          severity: "error",
          what: `The database ${path} can't be opened, so nothing is saved.`,
          cause: reason,
          fix: `Choose a file that does not exist yet, or a database of Session Runtime: ${placeChoice(database.chosenBy)}.`,
        });
      case "database-locked":
        return found({
          code: "database-locked",
          severity: "warning",
          what: `The database ${path} is locked.`,
          cause: "Another process has been writing to it for over a second.",
          fix: "Try again. If it stays locked, end the process that holds it.",
        });
      default:
        return found({
          code: "database-unreadable",
          severity: "error",
          what: `The database ${path} can't be read.`,
          cause: reason || `The check says: ${state}.`,
          fix: "Check its permissions and those of its folder.",
        });
    }
  },
};

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
/** Files in a folder with this bit can be replaced by their owner alone, as in /tmp. */
const STICKY = 0o1000;

/** Checks whether others can read or replace the database. */
export const databasePrivate: Check = {
  id: "database-private",
  title: "Only you can read the database",
  answeredBy: [],
  run: ({ database, platform }) => {
    if (platform === "win32") return skipped("Windows has no such permissions");
    const { path, folderMode, file } = database;
    const folder = dirname(path);
    const findings: Finding[] = [];
    if (folderMode !== null && (folderMode & OTHERS_WRITE) !== 0 && (folderMode & STICKY) === 0) {
      findings.push({
        code: "data-folder-open",
        severity: "warning",
        what: `Other users of this machine can replace the files in ${folder}.`,
        cause: `Its mode is ${folderMode.toString(8)}; it holds your session data.`,
        fix: `chmod 700 ${folder}`,
        repair: { kind: "make-private", files: [], folders: [folder] },
      });
    }
    if (file !== null && (file.mode & OTHERS) !== 0) {
      const isFolderClosed = ((folderMode ?? 0) & OTHERS) === 0;
      findings.push({
        code: "database-open-to-others",
        severity: isFolderClosed ? "note" : "warning",
        what: `Other users of this machine can read ${path}, which holds parts of your conversations.`,
        cause: `Its mode is ${file.mode.toString(8)}, that of its folder ${(folderMode ?? 0).toString(8)}.`,
        fix: `chmod 600 ${path}`,
        repair: { kind: "make-private", files: [path], folders: [] },
      });
    }
    if (findings.length > 0) return found(...findings);
    return file === null
      ? skipped("there is no database yet")
      : passed(`mode ${file.mode.toString(8)}`);
  },
};

const MIB = 1_048_576;
/** The size of some years' daily work, beyond which data is hardly needed. */
const LARGE_BYTES = 1_024 * MIB;

/** Checks that the database has a usual size. */
export const databaseSize: Check = {
  id: "database-size",
  title: "The database has a reasonable size",
  answeredBy: [],
  run: ({ database, command }) => {
    if (database.file === null) return skipped("there is no database yet");
    const { sizeBytes } = database.file;
    const size = `${(sizeBytes / MIB).toFixed(1)} MB`;
    if (sizeBytes < LARGE_BYTES) return passed(size);
    return found({
      code: "database-large",
      severity: "note",
      what: `The database takes ${size}.`,
      cause: "It keeps what every session was sent, until the session is deleted or pruned.",
      fix: `${command} prune --older-than 90d shows what can be removed.`,
    });
  },
};
