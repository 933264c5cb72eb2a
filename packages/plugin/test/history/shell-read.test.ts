import { expect, test } from "bun:test";
import { classifySubject, parseShellRead, resolveSubject } from "../../src/history/subject.ts";
import type { ToolPart } from "../../src/ledger/message.ts";
import { called } from "./calls.ts";

const END = Number.POSITIVE_INFINITY;

/** The path and lines of a read, as `a.ts 1-9`; `a.ts some`: those that match; null: no read. */
function shown(command: string): string | null {
  const read = parseShellRead(command);
  if (read === null) return null;
  const { path, lines } = read;
  return `${path} ${lines === null ? "some" : `${lines.from}-${lines.to === END ? "end" : lines.to}`}`;
}

test.each([
  ["cat a.ts", "a.ts 1-end"],
  ["  cat -n src/a.ts \n", "src/a.ts 1-end"],
  ["nl -ba a.ts", "a.ts 1-end"],
  ["cat 'a b.ts'", "a b.ts 1-end"],
  ['cat "a;b.ts" 2>/dev/null', "a;b.ts 1-end"],
  ["head a.ts", "a.ts 1-10"],
  ["head -20 a.ts", "a.ts 1-20"],
  ["head -n20 a.ts", "a.ts 1-20"],
  ["head -n 20 a.ts", "a.ts 1-20"],
  ["head a.ts -n 20", "a.ts 1-20"],
  ["tail -20 a.ts", "a.ts some"],
  ["tail -n +5 a.ts", "a.ts some"],
  ["tail a.ts", "a.ts some"],
  ["sed -n '10,20p' a.ts", "a.ts 10-20"],
  ["sed -n 10,20p a.ts", "a.ts 10-20"],
  ['sed -n "10p" a.ts', "a.ts 10-10"],
  ["sed -n '10,$p' a.ts", "a.ts 10-end"],
  ["rg owl a.ts", "a.ts some"],
  ["rg -n 'a|b' src/a.ts", "src/a.ts some"],
  ["grep -nE owl a.ts", "a.ts some"],
  ["cd sub && cat a.ts", "sub/a.ts 1-end"],
  ["cd /app/ && sed -n 1,9p src/a.ts", "/app/src/a.ts 1-9"],
  ["cd sub && cat /app/a.ts", "/app/a.ts 1-end"],
])("%s shows a file: %s", (command, expected) => {
  expect(shown(command)).toBe(expected);
});

test.each([
  ...[
    "",
    "ls",
    "make a.ts",
    "cat",
    "cat -",
    "cat a.ts b.ts",
    "cat *.ts",
    "cat ~/a.ts",
    "cat $FILE",
  ],
  ...["cat a.ts | head -5", "cat a.ts > b.ts", "cat a.ts && rm a.ts", "cat a.ts; ls", "cat $(ls)"],
  ...[
    "cat <<EOF",
    "cat a\\ b.ts",
    "head -c 100 a.ts",
    "head -n -5 a.ts",
    "head -q a.ts",
    "head -n",
  ],
  ...[
    "sed -i s/a/b/ a.ts",
    "sed -n '/owl/p' a.ts",
    "sed 5d a.ts",
    "sed -n",
    "sed -n 1,5p a.ts b.ts",
  ],
  ...["rg owl", "rg owl src", "rg -e owl a.ts", "grep -rn owl src/a.ts", "rg owl a.ts b.ts"],
  ...["cd a b && cat a.ts", "cd $DIR && cat a.ts", "FOO=1 cat a.ts", 'cat "$FILE"'],
])("%s is no read of one file", (command) => {
  expect(shown(command)).toBeNull();
});

const subject = (name: string, input: object, directory = "/project") =>
  resolveSubject(classifySubject(called(name, input) as ToolPart), directory);

test("a file is the same by its path in the directory, in the shell's folder, and by its whole one", () => {
  const whole = { kind: "read", path: "/project/src/a.ts", lines: { from: 1, to: END } } as const;
  expect(subject("read", { filePath: "/project/src/a.ts" })).toEqual(whole);
  expect(subject("read", { filePath: "./src/a.ts" })).toEqual(whole);
  expect(subject("read", { filePath: "src/a.ts" }, "/project/")).toEqual(whole);
  expect(subject("bash", { command: "cat src/a.ts" })).toEqual(whole);
  expect(subject("bash", { command: "cat src/a.ts", workdir: "" })).toEqual(whole);
  expect(subject("bash", { command: "cat a.ts", workdir: "src" })).toEqual(whole);
  expect(subject("bash", { command: "cat a.ts", workdir: "/project/src" })).toEqual(whole);
  expect(subject("bash", { command: "cat /project/src/a.ts", workdir: "/tmp" })).toEqual(whole);
  expect(subject("bash", { command: "cd src && cat a.ts" })).toEqual(whole);
  const windows = { ...whole, path: "C:/project/src/a.ts" };
  for (const filePath of ["C:\\project\\src\\a.ts", "src\\a.ts"]) {
    expect(subject("read", { filePath }, "C:\\project")).toEqual(windows);
  }
  expect(subject("bash", { command: "cat 'C:\\project\\src\\a.ts'", workdir: "x" })).toEqual(
    windows,
  );
});

test("each path of a change stands in the directory, and what names no file is left as it is", () => {
  const patchText = "*** Update File: a.ts\n+x\n*** Delete File: /other/b.ts";
  expect(subject("apply_patch", { patchText })).toEqual({
    ...{ kind: "change", paths: ["/project/a.ts", "/other/b.ts"], extent: "part" },
  });
  expect(subject("write", { filePath: "/other/b.ts" })).toEqual({
    ...{ kind: "change", paths: ["/other/b.ts"], extent: "whole" },
  });
  expect(subject("bash", { command: "make" })).toEqual({ kind: "run", command: "make" });
  expect(subject("todowrite", { todos: [] })).toEqual({ kind: "todos" });
  expect(subject("skill", { name: "review" })).toEqual({ kind: "skill", name: "review" });
  expect(subject("grep", { pattern: "x" })).toEqual({ kind: "other" });
});
