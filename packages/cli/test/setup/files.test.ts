import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { rowTest } from "../../../e2e/test/long.ts";
import { applyChanges } from "../../src/setup/apply.ts";
import { CONFIG, makeHome, type ThrowawayHome } from "../throwaway-home.ts";
import { SHAPES } from "./shapes.ts";

/** A package that is Session Runtime by its name, without a part for the terminal UI. */
function withPlugin(home: ThrowawayHome): string {
  home.write("plugin/package.json", '{"name":"@session-runtime/opencode","exports":{}}');
  return home.path("plugin");
}

/** The same with a part for the terminal UI. */
function withBothParts(home: ThrowawayHome): string {
  const exported = { "./server": "./a.js", "./tui": "./b.js" };
  const manifest = { name: "@session-runtime/opencode", exports: exported };
  home.write("plugin/package.json", JSON.stringify(manifest));
  return home.path("plugin");
}

const WRITE = ["setup", "--yes", "--no-check", "--no-launcher", "--json", "--spec"] as const;
const JSON_FILE = `${CONFIG}/opencode.json`;
const JSONC_FILE = `${CONFIG}/opencode.jsonc`;
const TUI_SCHEMA = '"$schema": "https://opencode.ai/tui.json"';
const SCHEMA = '"$schema": "https://opencode.ai/config.json"';

/** What is made of each shape's text, shapes.test.ts shows: here are those whose bytes a file could change. */
const IN_EACH_RUN: ReadonlySet<string> = new Set([
  "an empty file",
  "a BOM, CRLF and tabs",
  "no newline at the end",
  "text beyond ASCII",
]);

describe("setup and setup --remove", () => {
  test("the shapes of each run are there", () => {
    const names = new Set(SHAPES.map(({ name }) => name));
    expect([...IN_EACH_RUN].filter((name) => !names.has(name))).toEqual([]);
  });

  for (const { name, text } of SHAPES) {
    const runs = IN_EACH_RUN.has(name) ? "each-run" : "long-runs";
    rowTest(runs, `${name}: edited, then restored byte for byte`, async () => {
      const home = makeHome();
      home.write(JSON_FILE, text);
      const before = home.files();
      const done = await home.run(...WRITE, withPlugin(home));
      expect(done).toMatchObject({ err: "", exitCode: 0 });
      expect(home.read(JSON_FILE)).toContain(JSON.stringify(home.path("plugin")));
      const removed = await home.run("setup", "--remove", "--yes");
      expect(removed).toMatchObject({ err: "", exitCode: 0 });
      expect(removed.out).not.toContain("Session data stays");
      expect(home.read(JSON_FILE)).toBe(text);
      expect(home.files()).toEqual([...before, "plugin/package.json"].sort());
    });
  }

  test("a clean home gets both files, and is clean again afterwards", async () => {
    const home = makeHome();
    const spec = withBothParts(home);
    await home.run(...WRITE, spec);
    expect(home.read(JSONC_FILE)).toBe(`{\n  ${SCHEMA},\n  "plugin": ["${spec}"]\n}\n`);
    expect(home.read(`${CONFIG}/tui.json`)).toBe(
      `{\n  ${TUI_SCHEMA},\n  "plugin": ["${spec}"]\n}\n`,
    );
    await home.run("setup", "--remove", "--yes");
    expect(home.files()).toEqual(["plugin/package.json"]);
    expect(existsSync(home.path(CONFIG))).toBe(false);
  });

  test("a second run changes nothing", async () => {
    const home = makeHome();
    const spec = withBothParts(home);
    await home.run(...WRITE, spec);
    const before = home.read(JSONC_FILE);
    const { out } = await home.run(...WRITE, spec);
    expect(JSON.parse(out)).toMatchObject({ changes: [], isWritten: false });
    expect(home.read(JSONC_FILE)).toBe(before);
  });

  test("an entry in tuple form keeps its options when the spec changes, and comes first", async () => {
    const home = makeHome();
    const text = '{"plugin": ["x", ["@session-runtime/opencode@0.0.1", {"recovery": "auto"}]]}';
    home.write(JSON_FILE, text);
    const spec = withPlugin(home);
    await home.run(...WRITE, spec);
    expect(home.read(JSON_FILE)).toBe(`{"plugin": [["${spec}", {"recovery": "auto"}], "x"]}`);
  });

  test("--remove takes out an entry that setup did not write", async () => {
    const home = makeHome();
    home.write(JSON_FILE, '{\n  "plugin": [\n    "a",\n    "@session-runtime/opencode"\n  ]\n}\n');
    await home.run("setup", "--remove", "--yes");
    expect(home.read(JSON_FILE)).toBe('{\n  "plugin": [\n    "a"\n  ]\n}\n');
  });

  test("the line that the host adds at its start goes too", async () => {
    const home = makeHome();
    home.write(JSON_FILE, '{\n  "model": "a/b"\n}\n');
    await home.run(...WRITE, withPlugin(home));
    home.write(JSON_FILE, home.read(JSON_FILE).replace(/^\s*\{/, `{\n  ${SCHEMA},`));
    await home.run("setup", "--remove", "--yes");
    expect(home.read(JSON_FILE)).toBe('{\n  "model": "a/b"\n}\n');
  });

  test("what the user has changed meanwhile stays, and our entry goes", async () => {
    const home = makeHome();
    home.write(JSON_FILE, '{\n  "model": "a/b"\n}\n');
    await home.run(...WRITE, withPlugin(home));
    home.write(JSON_FILE, home.read(JSON_FILE).replace("a/b", "c/d"));
    await home.run("setup", "--remove", "--yes");
    expect(home.read(JSON_FILE)).toBe('{\n  "model": "c/d"\n}\n');
  });

  test("settings are written where they were asked for, and taken back", async () => {
    const home = makeHome();
    await home.run(
      "setup",
      "--yes",
      "--no-check",
      "--recovery",
      "auto",
      "--lowering",
      "auto",
      "--spec",
      withPlugin(home),
    );
    const settings = home.read(`${CONFIG}/session-runtime.jsonc`);
    expect(JSON.parse(settings)).toEqual({ recovery: "auto", lowering: "auto" });
    await home.run("setup", "--remove", "--yes");
    expect(home.files()).toEqual(["plugin/package.json"]);
  });

  test("--project writes beside the project's .git, from any folder in it", async () => {
    const home = makeHome();
    mkdirSync(home.path(".git"));
    await home.run(...WRITE, withPlugin(home), "--project");
    expect(JSON.parse(home.read(".opencode/opencode.json")).plugin).toEqual([home.path("plugin")]);
    await home.run("setup", "--project", "--remove", "--yes");
    expect(existsSync(home.path(".opencode"))).toBe(false);
  });
});

describe("which file is edited", () => {
  test("of the user's files the one whose list counts, where an entry in another would do nothing", async () => {
    const home = makeHome();
    home.write(JSON_FILE, '{"plugin": ["a"]}');
    home.write(JSONC_FILE, '{"plugin": ["b"]}');
    await home.run(...WRITE, withPlugin(home));
    expect(home.read(JSON_FILE)).toBe('{"plugin": ["a"]}');
    expect(home.read(JSONC_FILE)).toBe(`{"plugin": ["${home.path("plugin")}", "b"]}`);
  });

  test("XDG_CONFIG_HOME moves it", async () => {
    const home = makeHome();
    const { runCli } = await import("../command-line.ts");
    const env = { ...home.env, XDG_CONFIG_HOME: home.path("elsewhere") };
    await runCli([...WRITE, withPlugin(home)], env, home.root);
    expect(existsSync(home.path("elsewhere/opencode/opencode.jsonc"))).toBe(true);
  });

  test("a link stays a link; its file is edited, and keeps its permissions", async () => {
    const home = makeHome();
    const target = home.write("dotfiles/opencode.json", '{"model": "a/b"}');
    chmodSync(target, 0o640);
    mkdirSync(home.path(CONFIG), { recursive: true });
    symlinkSync(target, home.path(JSON_FILE));
    await home.run(...WRITE, withPlugin(home));
    expect(lstatSync(home.path(JSON_FILE)).isSymbolicLink()).toBe(true);
    expect(home.read("dotfiles/opencode.json")).toContain("plugin");
    expect(statSync(target).mode & 0o777).toBe(0o640);
    await home.run("setup", "--remove", "--yes");
    expect(home.read("dotfiles/opencode.json")).toBe('{"model": "a/b"}');
    expect(lstatSync(home.path(JSON_FILE)).isSymbolicLink()).toBe(true);
  });
});

describe("setup refuses, and changes nothing", () => {
  const refusals: readonly (readonly [string, (home: ThrowawayHome) => void, string, number])[] = [
    ["invalid JSON", (home) => home.write(JSON_FILE, '{"model": }'), "config-invalid", 1],
    ["a list at the root", (home) => home.write(JSON_FILE, "[]"), "config-unusable", 1],
    [
      "a read-only file",
      (home) => chmodSync(home.write(JSON_FILE, "{}"), 0o444),
      "config-read-only",
      1,
    ],
    [
      "a link to nowhere",
      (home) => {
        mkdirSync(home.path(CONFIG), { recursive: true });
        symlinkSync(home.path("nowhere"), home.path(JSON_FILE));
      },
      "config-unreadable",
      1,
    ],
    [
      "a file that is no text",
      (home) => {
        home.write(JSON_FILE, "");
        Bun.write(home.path(JSON_FILE), new Uint8Array([0x7b, 0xff, 0x7d]));
      },
      "config-unreadable",
      1,
    ],
  ];
  for (const [name, prepare, code, exitCode] of refusals) {
    test(`${name}: ${code}, with what to do`, async () => {
      const home = makeHome();
      prepare(home);
      const spec = withBothParts(home);
      const before = home.files();
      const ran = await home.run(...WRITE, spec);
      const { error } = JSON.parse(ran.out);
      expect({ code: error.code, exitCode: ran.exitCode }).toEqual({ code, exitCode });
      expect(error.message).toContain(home.path(JSON_FILE));
      expect(error.advice.length).toBeGreaterThan(20);
      expect(home.files()).toEqual(before);
    });
  }

  test("a host that is too old: host-unsupported", async () => {
    const home = makeHome("1.2.3");
    const ran = await home.run(...WRITE, withPlugin(home));
    expect(JSON.parse(ran.out).error).toMatchObject({ code: "host-unsupported" });
    expect(ran.exitCode).toBe(4);
    expect(JSON.parse(ran.out).error.advice).toContain("opencode upgrade");
  });

  test("nobody to ask and no flag: it ends at once and names the flags", async () => {
    const home = makeHome();
    const { err, exitCode } = await home.run("setup", "--spec", withPlugin(home));
    expect(exitCode).toBe(2);
    expect(err).toContain("--yes");
    expect(err).toContain("--dry-run");
  });

  test("a plugin that rewrites requests too, and an entry in the other config, are told", async () => {
    const home = makeHome();
    const spec = withPlugin(home);
    home.write(JSON_FILE, JSON.stringify({ plugin: ["opencode-dcp@1.0.0", spec] }));
    mkdirSync(home.path(".git"));
    const { out } = await home.run(...WRITE, spec, "--project");
    const { notes } = JSON.parse(out);
    expect(notes).toEqual([
      expect.stringContaining("opencode-dcp@1.0.0 (Dynamic Context Pruning) does the same work"),
      expect.stringContaining("setup --remove` removes it there"),
    ]);
  });

  test("--dry-run shows the diff and writes nothing", async () => {
    const home = makeHome();
    const spec = withPlugin(home);
    const { out, exitCode } = await home.run("setup", "--dry-run", "--spec", spec);
    expect(exitCode).toBe(0);
    expect(out).toContain(`+   "plugin": ["${spec}"]`);
    expect(home.files()).toEqual(["plugin/package.json"]);
  });
});

test("when the second of two files can't be written, the first is as it was", () => {
  const home = makeHome();
  const first = home.write("a.json", "{}");
  home.write("file", "");
  const change = { mode: 0o644, makesFolder: false, edit: null };
  const changes = [
    { ...change, path: first, target: first, before: "{}", after: '{"plugin": []}' },
    {
      ...change,
      path: home.path("file/b.json"),
      target: home.path("file/b.json"),
      before: null,
      after: "{}",
    },
  ];
  const journal = { version: 1, files: [], specs: [], launcher: null } as const;
  const journals = { before: journal, after: journal };
  expect(() => applyChanges(changes, home.path("journal.json"), journals)).toThrow(
    "could not be written",
  );
  expect(home.read("a.json")).toBe("{}");
  expect(home.files()).toEqual(["a.json", "file"]);
});
