import { describe, expect, test } from "bun:test";
import type { ProjectPermission } from "../../src/config/setting.ts";
import { judgeTrust } from "../../src/config/settle.ts";

const taken = (value: unknown) => ({ kind: "taken" as const, value });
const refused = (reason: string) => ({ kind: "refused" as const, reason });

const OWN_FILES: ProjectPermission = { kind: "add-own-files" };
const OUTSIDE = refused("can only name the project's own files, by a relative path");

const source = (kind: string, place: unknown) =>
  judgeTrust(OWN_FILES, { [kind]: place }, undefined);

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
  ])("%s: files and globs below it", (place) => {
    expect(source("file", place)).toEqual(taken({ file: place }));
    expect(source("glob", place)).toEqual(taken({ glob: place }));
  });

  test.each([
    "~",
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
    expect([source("file", place), source("glob", place)]).toEqual([OUTSIDE, OUTSIDE]);
  });

  test("no commands and no variables", () => {
    expect(source("command", ["ls"])).toEqual(refused("can't run commands"));
    expect(source("env", "HOME")).toEqual(refused("can't read environment variables"));
  });

  test("nothing in the place of an entry of the user's", () => {
    expect(judgeTrust(OWN_FILES, { file: "x" }, { file: "y" })).toEqual(
      refused("can't replace an entry of yours"),
    );
  });

  test("what is wrong in another way is not for this to say", () => {
    for (const value of [null, 1, "x", [], { file: 1 }, { glob: null }, {}]) {
      expect(judgeTrust(OWN_FILES, value, undefined)).toEqual(taken(value));
    }
  });
});

describe("what a project's own file may change", () => {
  test("it may switch off, and leave on what is on", () => {
    const may: ProjectPermission = { kind: "switch-off" };
    const no = refused("can only switch it off");
    expect(judgeTrust(may, false, true)).toEqual(taken(false));
    expect(judgeTrust(may, false, false)).toEqual(taken(false));
    expect(judgeTrust(may, true, true)).toEqual(taken(true));
    expect(judgeTrust(may, true, false)).toEqual(no);
    for (const wrong of [null, 0, "false"]) expect(judgeTrust(may, wrong, false)).toEqual(no);
  });

  test("it may lower; null is no limit", () => {
    const may: ProjectPermission = { kind: "lower" };
    expect(judgeTrust(may, 5, 5)).toEqual(taken(5));
    expect(judgeTrust(may, 4, 5)).toEqual(taken(4));
    expect(judgeTrust(may, 6, 5)).toEqual(refused("can only lower it, and it is 5"));
    expect(judgeTrust(may, null, 5)).toEqual(refused("can only lower it, and it is 5"));
    expect(judgeTrust(may, 6, null)).toEqual(taken(6));
    expect(judgeTrust(may, null, null)).toEqual(taken(null));
    expect(judgeTrust(may, 6, "5").kind).toBe("refused");
    expect(judgeTrust(may, "4", 5).kind).toBe("refused");
  });

  test("it may make stricter", () => {
    const may: ProjectPermission = {
      kind: "make-stricter",
      strictestFirst: ["off", "ask", "auto"],
    };
    expect(judgeTrust(may, "off", "ask")).toEqual(taken("off"));
    expect(judgeTrust(may, "ask", "ask")).toEqual(taken("ask"));
    expect(judgeTrust(may, "auto", "ask")).toEqual(refused('can only make it stricter than "ask"'));
    expect(judgeTrust(may, "never", "ask").kind).toBe("refused");
  });

  test("it may add to a list, after what the user has there", () => {
    const may: ProjectPermission = { kind: "add" };
    expect(judgeTrust(may, ["b"], ["a"])).toEqual(taken(["a", "b"]));
    expect(judgeTrust(may, [], ["a"])).toEqual(taken(["a"]));
    expect(judgeTrust(may, ["b"], undefined)).toEqual(taken(["b"]));
  });

  test("it may set what is free, and nothing that is the user's alone", () => {
    expect(judgeTrust({ kind: "set" }, "UTC", null)).toEqual(taken("UTC"));
    expect(judgeTrust({ kind: "nothing" }, "x", "y")).toEqual(refused("can't set it"));
  });
});
