/**
 * A preload that marks each function and method of the sources that is handed the message which is looked
 * for: by itself, in a list, or in a value that holds it. What calls it from another file enters its file.
 */
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import ts from "@typescript/typescript6";

const source = resolve(import.meta.dir, "../../../src");

/** A file that was entered: from where, and by what. */
export interface Stay {
  readonly from: string | null;
  readonly file: string;
  readonly by: string;
}

interface Way {
  /** Null: nothing is looked for. */
  messageId: string | null;
  stays: Stay[];
}

export const way: Way = { messageId: null, stays: [] };

Object.assign(globalThis, { __way: entered });
Error.stackTraceLimit = 60;

Bun.plugin({
  name: "way",
  setup(build) {
    build.onLoad({ filter: /plugin\/src\/.*\.ts$/, namespace: "file" }, ({ path }) => ({
      contents: marked(readFileSync(path, "utf8"), path),
      loader: "ts",
    }));
  },
});

function marked(text: string, path: string): string {
  const name = JSON.stringify(relative(source, path));
  const put: (readonly [at: number, what: string])[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body) {
      const by = JSON.stringify(node.name?.getText() ?? "");
      // Within `try` no call is a tail call, which would take its caller off the stack.
      put.push([node.body.getStart() + 1, ` try { globalThis.__way(${name}, ${by}, arguments);`]);
      put.push([node.body.getEnd() - 1, "} finally {}"]);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return put
    .sort(([one], [other]) => other - one)
    .reduce((made, [at, what]) => made.slice(0, at) + what + made.slice(at), text);
}

function entered(file: string, by: string, given: ArrayLike<unknown>): void {
  if (way.messageId === null || !Array.from(given).some((one) => holds(one, DEPTH))) return;
  const from = callerFile();
  if (from !== file) way.stays.push({ from, file, by });
}

/** Of the functions on the stack, the one that has called the marked one. */
function callerFile(): string | null {
  const frames = String(new Error().stack).split("\n").slice(1);
  const files = frames.flatMap((frame) => /plugin\/src\/([^:)]+\.ts)/.exec(frame)?.[1] ?? []);
  return files[1] ?? null;
}

/** How deep a value is looked into that is neither a message nor a list of them. */
const DEPTH = 2;

function holds(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isIt(value)) return true;
  if (Array.isArray(value)) return value.some(isIt);
  if (depth === 0 || value instanceof Map || value instanceof Set) return false;
  return Object.values(value).some((one) => holds(one, depth - 1));
}

function isIt(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("info" in value)) return false;
  const { info } = value;
  return typeof info === "object" && info !== null && "id" in info && info.id === way.messageId;
}
