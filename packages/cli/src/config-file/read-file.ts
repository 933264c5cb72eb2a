// Reads a config file as it is on disk: links, permissions, encoding.
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { errorCode, systemReason } from "../system-error.ts";
import { type Document, parseDocument } from "./document.ts";

/** Describes a config file on disk. */
export type ConfigFile =
  | { readonly kind: "absent"; readonly path: string }
  | PresentFile
  | { readonly kind: "unreadable"; readonly path: string; readonly reason: string }
  | {
      readonly kind: "invalid";
      readonly path: string;
      readonly reason: string;
      readonly line: number;
      readonly column: number;
    };

interface PresentFile {
  readonly kind: "present";
  readonly path: string;
  /** The file itself, where `path` is a link. */
  readonly target: string;
  /** The permission bits. */
  readonly mode: number;
  readonly document: Document;
}

export function readConfigFile(path: string): ConfigFile {
  try {
    const target = realpathSync(path);
    const mode = statSync(target).mode & 0o777;
    // A BOM is kept in the text, because the written file must have it too.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const parsed = parseDocument(decoder.decode(readFileSync(target)));
    if (parsed.kind === "invalid") return { ...parsed, path };
    return { kind: "present", path, target, mode, document: parsed.document };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (errorCode(error) === "ENOENT") return absentOrDangling(path);
    return { kind: "unreadable", path, reason: systemReason(error) ?? describeReason(error) };
  }
}

/** Describes bytes that are not text, or a BOM of another encoding. */
function describeReason(error: Error): string {
  return error instanceof TypeError ? "it is not a UTF-8 text" : error.message;
}

function absentOrDangling(path: string): ConfigFile {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? { kind: "unreadable", path, reason: "it is a link to a file that does not exist" }
    : { kind: "absent", path };
}
