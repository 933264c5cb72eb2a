// Explains the operating system's refusals to whoever runs the command.
import { GitFailure } from "@session-runtime/opencode/project/ask-git";
import { CliError } from "./cli-error.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "you don't have permission",
  EBUSY: "something else is using it",
  EDQUOT: "your disk quota is used up",
  EEXIST: "it already exists",
  EISDIR: "it is a folder, not a file",
  ELOOP: "its symbolic links form a loop",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "it does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of that path is a file, not a folder",
  ENOTEMPTY: "the folder is not empty",
  EPERM: "the system does not allow it",
  EROFS: "the file system is read-only",
};

const ACTIONS: Readonly<Record<string, string>> = {
  access: "use",
  chmod: "change the permissions of",
  copyfile: "copy",
  link: "link",
  lstat: "check",
  mkdir: "create the folder",
  mkdtemp: "create a temporary folder at",
  open: "open",
  read: "read",
  readlink: "read",
  realpath: "check",
  rename: "replace",
  rm: "remove",
  rmdir: "remove",
  scandir: "list",
  spawn: "start",
  stat: "check",
  unlink: "remove",
  write: "write",
};

/** Returns a code such as `ENOENT`; undefined for an error that is not the system's. */
export function errorCode(error: unknown): string | undefined {
  return readSystemFields(error).code;
}

/** Says why the system refused, for people; null for an error that is not the system's. */
export function systemReason(error: unknown): string | null {
  const code = errorCode(error);
  return code === undefined ? null : (REASONS[code] ?? null);
}

/** Returns an error that says what to do; null where it is neither the system's nor a timeout of git. */
export function systemRefusal(error: unknown): CliError | null {
  if (error instanceof GitFailure) {
    const message = `git gave no answer in ${error.directory}.`;
    return new CliError("git-silent", message, explainGitWait(error.directory));
  }
  const { syscall = "", path, dest } = readSystemFields(error);
  const reason = systemReason(error);
  if (reason === null) return null;
  if (syscall.endsWith("cwd")) {
    const message = "The current folder no longer exists.";
    return new CliError("folder-gone", message, "Change to another folder first.");
  }
  const [program = ""] = syscall.split(" ");
  const what = `${ACTIONS[program] ?? "use"} ${dest ?? path ?? "a file"}`;
  return new CliError(
    "system-refused",
    `Could not ${what}: ${reason}.`,
    "Check that path and its permissions, then run the command again.",
  );
}

export function explainGitWait(directory: string): string {
  return `Find out what it waits for, such as a drive that hangs or a lock: git -C '${directory}' status`;
}

interface SystemFields {
  readonly code?: string;
  readonly syscall?: string;
  readonly path?: string;
  readonly dest?: string;
}

function readSystemFields(error: unknown): SystemFields {
  if (!(error instanceof Error)) return {};
  const text = (key: string) => {
    const value: unknown = Object.getOwnPropertyDescriptor(error, key)?.value;
    return typeof value === "string" ? { [key]: value } : {};
  };
  return { ...text("code"), ...text("syscall"), ...text("path"), ...text("dest") };
}
