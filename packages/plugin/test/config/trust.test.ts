import { describe, expect, test } from "bun:test";
import { refusedToProjects } from "../../src/config/trust.ts";

const OUTSIDE =
  "a project's file can only name the project's own files, by a relative path: set it in your own config, or in the plugin's options";

const refused = (kind: string, place: unknown) =>
  refusedToProjects(["sources", "team/own"], { [kind]: place });

describe("what a project's own file may name", () => {
  test.each([
    "oncall.txt",
    "./docs/oncall.txt",
    "docs/../oncall.txt",
    "..oncall",
    "docs/..oncall/..",
    "*",
    ".*/x",
    "@(..)/x",
    "a~b",
    "1x://y",
    "docs..",
    "docs../x",
    "docs/{a,b}.md",
    "~",
  ])("%s: files and globs below it", (place) => {
    const expected = place.startsWith("~") ? OUTSIDE : null;
    expect([refused("file", place), refused("glob", place)]).toEqual([expected, expected]);
  });

  test.each([
    "/etc/passwd",
    "/proc/self/environ",
    "~/.ssh/id_rsa",
    "~root/.ssh/id_rsa",
    "..",
    "../x",
    "a/../../x",
    "a/*/../../../x",
    "file:///etc/passwd",
    "FILE://localhost/etc/passwd",
    "http://example.org/x",
    "\\/etc/passwd",
    "\\.\\./x",
    ".\\./x",
    "{/etc,docs}/*",
    "{~,.}/.ssh/*",
    ".{.,x}/.ssh/*",
    "{.,x}{.,x}/.ssh/*",
    "{a,{b,..}}/x",
    "a/{..,b}/{..,c}/x",
    "{,/}etc/passwd",
    "{..,a..b}/x",
    "{1..9999}{1..9999}",
    `${"a".repeat(513)}*`,
  ])("%s is refused, as a file and as a glob", (place) => {
    expect([refused("file", place), refused("glob", place)]).toEqual([OUTSIDE, OUTSIDE]);
  });

  test("V3: no address that texts are sent to, and no key", () => {
    const expected =
      "a project's file can't send your texts anywhere: set it in your own config, or in the plugin's options";
    for (const name of ["url", "model", "apiKeyEnv"]) {
      expect(refusedToProjects(["vectors", name], "x")).toBe(expected);
    }
  });

  test("no tasks that call models by themselves", () => {
    const expected =
      "a project's file can't start tasks: set it in your own config, or in the plugin's options";
    expect(refusedToProjects(["upkeep", "tasks"], { verify: {} })).toBe(expected);
  });

  test("no commands, no variables, no environment", () => {
    expect(refused("command", ["ls"])).toStartWith("a project's file can't run commands");
    expect(refused("env", "HOME")).toStartWith("a project's file can't read environment variables");
    expect(refusedToProjects(["environment", "/x"], {})).toStartWith(
      "a project's file can't set environment variables",
    );
  });

  test("what is wrong in another way is not for this to say", () => {
    for (const value of [null, 1, "x", [], { file: 1 }, { glob: null }, {}]) {
      expect(refusedToProjects(["sources", "team/own"], value)).toBeNull();
    }
    expect(refusedToProjects(["sources"], { file: "/etc" })).toBeNull();
    expect(refusedToProjects(["environment"], {})).toBeNull();
    expect(refusedToProjects(["log", "path"], { file: "/etc" })).toBeNull();
  });
});
