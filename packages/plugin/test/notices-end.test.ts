import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { sourceFilesIn } from "./import-graph.ts";

// A warning that is over is reported no more: each says in its code by which call it ends, and somebody makes it.

const packages = resolve(import.meta.dir, "../..");
const files = ["plugin", "pi"].flatMap((name) =>
  sourceFilesIn(resolve(packages, name, "src")).map(({ path, text }) => ({
    path: `${name}/${path}`,
    text,
  })),
);

/** Failures that no later success ends, since the same work is not done again. */
const ONCE: readonly { readonly where: string; readonly because: string }[] = [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source's own text.
  { where: "feature ${name}", because: "a feature is opened at the start alone" },
  {
    where: "recovery",
    because: "what an earlier process has left is looked for at the start alone",
  },
];

/** Of the first argument of a call, what it says literally: the text, or the name of a value. */
function firstArguments(text: string, call: RegExp): readonly string[] {
  return [...text.matchAll(call)].map(([, given = ""]) => given.replace(/^["`]|["`]$/g, ""));
}

const FAILED = /(?:\.|\b)failed\(("[^"]*"|`[^`]*`|where), error\)/g;
const WORKED = /(?:\.|\b)worked\(("[^"]*"|`[^`]*`|where)\)/g;
const WARNING = /code(?:: ([^\n]+?))?,\n\s*severity: "(?:warning|error)",\n\s*ends: "by over"/g;

describe("a failure of ours", () => {
  const failing = files.flatMap(({ path, text }) =>
    firstArguments(text, FAILED).map((where) => ({ path, where, text })),
  );

  test("is ended by the same work's success, wherever one is reported", () => {
    expect(failing.length).toBeGreaterThan(15);
    const once = new Set(ONCE.map(({ where }) => where));
    const endless = failing.filter(({ where, text }) => {
      // The database's own are ended by its next write.
      if (where === "storage" || once.has(where)) return false;
      return !firstArguments(text, WORKED).includes(where);
    });
    expect(endless.map(({ path, where }) => `${path}: ${where}`)).toEqual([]);
  });
});

describe("a warning that ends", () => {
  const ending = files.flatMap(({ path, text }) =>
    [...text.matchAll(WARNING)].map(([, code = "code"]) => ({ path, code: code.trim() })),
  );
  const ended = new Set(
    files.flatMap(({ text }) =>
      [...text.matchAll(/\bover\(([A-Za-z_]+)/g)].map(([, name = ""]) => name),
    ),
  );

  test("has a name for its code, by which somebody ends it", () => {
    expect(ending.length).toBeGreaterThan(10);
    const endless = ending.filter(({ code }) => {
      const named = /^([A-Za-z_]+)(?:\(|$)/.exec(code)?.[1];
      return !named || !ended.has(named);
    });
    // Notices that are constants are ended by their own code.
    const constants = ["request_differs", "changed_by_another", "prompt_replaced"];
    expect(endless.map(({ code }) => code).toSorted()).toEqual(
      constants.map((code) => `"${code}"`).toSorted(),
    );
    const own = files.flatMap(({ text }) => [...text.matchAll(/\bover\(([A-Za-z]+)\.code\)/g)]);
    expect(own.map(([, name]) => name)).toHaveLength(constants.length);
  });
});
