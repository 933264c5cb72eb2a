import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { FRAMES, HOST_FRAMES } from "../src/context/frames.ts";
import { sourceFilesIn } from "./import-graph.ts";

// I30: all frames that we write into what a model reads are in the one list by which quoted text is made inert.

const source = resolve(import.meta.dir, "../src");

/** Tags of files that write none of ours into a conversation. */
const OTHERS: readonly { readonly file: RegExp; readonly because: string }[] = [
  { file: /^sources\//, because: "the host's own blocks, read and written as the host does" },
  { file: /^features\/tool-output\//, because: "the host's own marks in results" },
  {
    file: /^features\/summaries\//,
    because: "the format of a job's request and answer: all in it is escaped",
  },
  { file: /^ledger\/hold-reminders\.ts$/, because: "recognises what the host pushes" },
  { file: /^features\/search\/record\.ts$/, because: "recognises what the host pushes" },
  { file: /^hooks-v2\/checkpoint\.ts$/, because: "recognises what the host makes of a compaction" },
  { file: /^features\/compaction\/workflows\.ts$/, because: "placeholders of a command line" },
];

/** Tags in strings: `<name>`, `</name>`, `<name `, and a tag with a name that is filled in. */
const TAG = /(?:(?<![\w)])<|<\/)(?:([a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)(?=[\s>/])|\$\{[^}]*\}>)/g;

function tagsIn(text: string): readonly string[] {
  const strings = text
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
    .match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|'(?:[^'\\\n]|\\.)*'/g);
  return (strings ?? []).flatMap((one) =>
    [...one.matchAll(TAG)].map(([, name]) => name ?? "(any)"),
  );
}

describe("I30: tags in the sources", () => {
  const files = sourceFilesIn(source);
  const listed: ReadonlySet<string> = new Set([...FRAMES, ...HOST_FRAMES]);

  test("are found", () => {
    expect(tagsIn("const a = `<my-frame>b</my-frame>`;")).toEqual(["my-frame", "my-frame"]);
    expect(tagsIn(`const a = [\`<\${name}>\`, '</x>', "<y z='1'>"];`)).toEqual(["(any)", "x", "y"]);
    expect(tagsIn("// `<a>`\n/* '<b>' */ const a: Map<string, Set<number>> = `b < c`;")).toEqual(
      [],
    );
  });

  test("stand in the list of frames, which alone writes them, or are none of ours", () => {
    const unlisted = files.flatMap(({ path, text }) => {
      if (path === "context/frames.ts" || OTHERS.some(({ file }) => file.test(path))) return [];
      return tagsIn(text).map((tag) => `${path}: <${tag}>`);
    });
    // A job's question: JSON, with each `<` of it escaped.
    expect(unlisted).toEqual([
      "features/maintenance/task.ts: <(any)>",
      "features/maintenance/task.ts: <(any)>",
    ]);
  });

  test("of the files that are left out, none is one of ours", () => {
    const ours = files.flatMap(({ path, text }) =>
      path === "context/frames.ts" || path.startsWith("sources/")
        ? []
        : tagsIn(text).filter((tag) => listed.has(tag) && tag !== "system-reminder"),
    );
    expect(ours).toEqual([]);
    for (const { file } of OTHERS) expect(files.some(({ path }) => file.test(path))).toBe(true);
  });

  test("one function neutralizes text", () => {
    const own = files.filter(({ text }) => /function neutralize\b|const neutralize\b/.test(text));
    expect(own.map(({ path }) => path)).toEqual(["context/frames.ts"]);
  });
});
