// Classifies what a tool call is about, so that later calls can be compared with it.

import { canonicalJson } from "../context/canonical.ts";
import { type ComparedFields, toFields } from "../context/fields.ts";
import { toolKind } from "../ledger/host-tools.ts";
import type { ToolPart } from "../ledger/message.ts";
import type { Lines } from "./lines.ts";
import { parseShellRead } from "./shell-read.ts";

export type Subject =
  /** `lines` is null if the call selects them by their content. */
  | { readonly kind: "read"; readonly path: string; readonly lines: Lines | null }
  /** `whole`: the call's arguments hold the file's entire new content. */
  | {
      readonly kind: "change";
      readonly paths: readonly string[];
      readonly extent: "whole" | "part";
    }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "todos" }
  /** Text that the model works by, so it stays as instructions do. */
  | { readonly kind: "skill"; readonly name: string }
  /** A search, a listing, a page, a subagent's work or a server's tool, known by its arguments alone. */
  | { readonly kind: "other" };

/** Classifies by the arguments of the host's tools (OpenCode 1.18.33); other calls are known by them alone. */
export function classifySubject({ tool, state }: ToolPart): Subject {
  const input = toFields(state.input);
  switch (toolKind(tool)) {
    case "read":
      return readSubject(input);
    case "write":
      return changeSubject(pathsIn(input), "whole");
    case "edit":
      return changeSubject(pathsIn(input), "part");
    case "run":
      return runSubject(input);
    case "todos written":
    case "todos read":
      return { kind: "todos" };
    case "skill":
      return { kind: "skill", name: typeof input.name === "string" ? input.name : "" };
    case "look":
    case "question":
    case "plan handed over":
    case "other":
      return { kind: "other" };
  }
}

/** Returns the same key for calls of one tool with equal arguments, in any order. */
export function callKey({ tool, state }: ToolPart): string {
  // A call's description doesn't change what it does.
  const { description: _why, ...input } = toFields(state.input);
  return `${tool} ${canonicalJson(toolKind(tool) === "run" ? input : toFields(state.input))}`;
}

function readSubject(input: ComparedFields): Subject {
  const [path] = pathsIn(input);
  if (path === undefined) return { kind: "other" };
  const from = typeof input.offset === "number" ? Math.max(1, input.offset) : 1;
  const to = typeof input.limit === "number" ? from + input.limit - 1 : Number.POSITIVE_INFINITY;
  return { kind: "read", path, lines: { from, to } };
}

function runSubject({ command, workdir }: ComparedFields): Subject {
  if (typeof command !== "string") return { kind: "other" };
  const read = parseShellRead(command);
  if (read === null) return { kind: "run", command: command.trim() };
  const { path, lines } = read;
  const isWithin = typeof workdir === "string" && workdir !== "" && !isAbsolute(plainPath(path));
  return { kind: "read", path: plainPath(isWithin ? `${workdir}/${path}` : path), lines };
}

function changeSubject(paths: readonly string[], extent: "whole" | "part"): Subject {
  return paths.length === 0 ? { kind: "other" } : { kind: "change", paths, extent };
}

const PATCHED = /^\*\*\* (?:Add|Update|Delete|Move to)(?: File)?: (.+)$/gm;

function pathsIn({ filePath, patchText }: ComparedFields): readonly string[] {
  if (typeof filePath === "string" && filePath !== "") return [plainPath(filePath)];
  if (typeof patchText !== "string") return [];
  return [...patchText.matchAll(PATCHED)].map(([, path = ""]) => plainPath(path.trim()));
}

/** Returns the subject with absolute paths for files in `directory`, as a shell's paths are relative to it. */
export function subjectWithin(subject: Subject, directory: string): Subject {
  switch (subject.kind) {
    case "read":
      return isAbsolute(subject.path)
        ? subject
        : { ...subject, path: toAbsolute(subject.path, directory) };
    case "change":
      return subject.paths.every(isAbsolute)
        ? subject
        : { ...subject, paths: subject.paths.map((path) => toAbsolute(path, directory)) };
    case "run":
    case "todos":
    case "skill":
    case "other":
      return subject;
  }
}

function toAbsolute(path: string, directory: string): string {
  return isAbsolute(path) ? path : `${plainPath(directory).replace(/\/$/, "")}/${path}`;
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(path);
}

/** Normalises a path, which models write now with and now without a leading `./`. */
function plainPath(path: string): string {
  return path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
}
