import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { eventually } from "../../../plugin/test/eventually.ts";
import { bundledCli } from "../command-line.ts";
import { CONFIG, makeHome, type ThrowawayHome } from "../throwaway-home.ts";

setDefaultTimeout(600_000);

const JSON_FILE = `${CONFIG}/opencode.json`;
const WRITE = ["setup", "--yes", "--no-check", "--no-launcher", "--json", "--spec"] as const;

function withPlugin(home: ThrowawayHome, folder = "plugin"): string {
  home.write(`${folder}/package.json`, '{"name":"@session-runtime/opencode","exports":{}}');
  return home.path(folder);
}

describe("what can't be loaded is refused before anything is written", () => {
  const refusals: readonly (readonly [string, string, string, RegExp])[] = [
    ["an archive", "./x.tgz", "spec-packed", /Unpack it/],
    ["an archive by its bare name", "x.tgz", "spec-packed", /Unpack it/],
    ["another package's folder", "./other", "spec-foreign", /its package is called other/],
    ["a folder without a package", "./empty", "spec-foreign", /no package\.json|is called/],
    ["the command line's own package", "session-runtime", "spec-foreign", /npm spec like/],
  ];
  for (const [name, spec, code, said] of refusals) {
    test(`${name}: ${code}`, async () => {
      const home = makeHome();
      home.write("x.tgz", "");
      home.write("other/package.json", '{"name":"other"}');
      mkdirSync(home.path("empty"));
      const before = home.files();
      const { out, exitCode } = await home.run(...WRITE, spec);
      const { error } = JSON.parse(out);
      expect({ code: error.code, exitCode }).toEqual({ code, exitCode: 2 });
      expect(`${error.message} ${error.advice}`).toMatch(said);
      expect(error.advice).toContain("Nothing was changed.");
      expect(home.files()).toEqual(before);
    });
  }

  test("a plugin that OpenCode can't import", async () => {
    const home = makeHome();
    fakeHost(home, "echo 'error: no such module' >&2; exit 1");
    const exported = { "./server": "./a.js" };
    const manifest = { name: "@session-runtime/opencode", exports: exported };
    home.write("plugin/package.json", JSON.stringify(manifest));
    home.write("plugin/a.js", "");
    const before = home.files();
    const { err, exitCode } = await home.run("setup", "--yes", "--spec", "./plugin");
    expect(err).toContain("can't load");
    expect(err).toContain("no such module");
    expect(err).toContain("Nothing was changed.");
    expect(exitCode).toBe(1);
    expect(home.files()).toEqual(before);
  });
});

/** A program that says it is OpenCode, and does this when it is to run a script or to serve. */
function fakeHost(home: ThrowawayHome, does: string): void {
  const version = 'if [ "$1" = --version ]; then echo 1.18.33; exit; fi';
  home.write(".fake-bin/opencode", `#!/bin/sh\n${version}\n${does}\n`);
  chmodSync(home.path(".fake-bin/opencode"), 0o755);
}

test("Ctrl-C during the check says what is written and how to undo it", async () => {
  const home = makeHome();
  fakeHost(home, `if [ "$1" = serve ]; then touch "$HOME/serving"; exec sleep 60; fi`);
  const exported = { "./server": "./a.js" };
  const manifest = { name: "@session-runtime/opencode", exports: exported };
  home.write("plugin/package.json", JSON.stringify(manifest));
  home.write("plugin/a.js", "");
  const child = Bun.spawn(
    ["node", bundledCli(), "setup", "--yes", "--project", "--spec", "./plugin"],
    {
      cwd: home.root,
      env: { PATH: process.env.PATH ?? "", npm_command: "exec", ...home.env },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  await eventually("the check runs", () => existsSync(home.path("serving")));
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  const said = await child.stderr.text();
  expect(said).toContain("Interrupted. The config is written");
  expect(said).toContain(".opencode/opencode.json");
  expect(said).toContain("npx session-runtime setup --remove --project");
});

test("Ctrl-C before anything is written says so", async () => {
  const home = makeHome();
  fakeHost(home, `touch "$HOME/importing"; exec sleep 60`);
  const manifest = { name: "@session-runtime/opencode", exports: { "./server": "./a.js" } };
  home.write("plugin/package.json", JSON.stringify(manifest));
  home.write("plugin/a.js", "");
  const child = Bun.spawn(["node", bundledCli(), "setup", "--yes", "--spec", "./plugin"], {
    cwd: home.root,
    env: { PATH: process.env.PATH ?? "", ...home.env },
    stdout: "ignore",
    stderr: "pipe",
  });
  await eventually("the trial runs", () => existsSync(home.path("importing")));
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  expect(await child.stderr.text()).toContain("Interrupted. Nothing was changed.");
  expect(existsSync(home.path(CONFIG))).toBe(false);
});

describe("an entry whose folder is gone", () => {
  test("is replaced in the list of the terminal UI too", async () => {
    const home = makeHome();
    home.write(`${CONFIG}/tui.json`, JSON.stringify({ plugin: ["/nowhere/session-runtime"] }));
    const exports = { "./server": "./a.js", "./tui": "./b.js" };
    const manifest = { name: "@session-runtime/opencode", exports };
    home.write("plugin/package.json", JSON.stringify(manifest));
    await home.run(...WRITE, home.path("plugin"));
    expect(JSON.parse(home.read(`${CONFIG}/tui.json`)).plugin).toEqual([home.path("plugin")]);
  });

  test("that setup has written is replaced, and no second one is added", async () => {
    const home = makeHome();
    home.write(JSON_FILE, '{\n  "plugin": ["other"]\n}\n');
    await home.run(...WRITE, withPlugin(home, "first"));
    rmSync(home.path("first"), { recursive: true });
    const second = withPlugin(home, "second");
    await home.run(...WRITE, second);
    expect(JSON.parse(home.read(JSON_FILE)).plugin).toEqual([second, "other"]);
  });

  test("that a user wrote by the name of the clone is replaced; another's stays", async () => {
    const home = makeHome();
    const gone = ["/nowhere/session-runtime/packages/plugin/src/index.ts", "/nowhere/other.js"];
    home.write(JSON_FILE, JSON.stringify({ plugin: gone }));
    const spec = withPlugin(home);
    await home.run(...WRITE, spec);
    expect(JSON.parse(home.read(JSON_FILE)).plugin).toEqual([spec, "/nowhere/other.js"]);
  });

  test("of a clone that has moved is replaced in both lists, whoever wrote it, which is said; --remove restores every byte", async () => {
    const home = makeHome();
    const exports = { "./server": "./a.js", "./tui": "./b.js" };
    const manifest = JSON.stringify({ name: "@session-runtime/opencode", exports });
    home.write("src/sr/packages/plugin/package.json", manifest);
    const gone = home.path("sr/packages/plugin");
    const other = home.path("other/packages/plugin");
    const config = `{\n  // mine\n  "plugin": ["${gone}", "${other}"]\n}\n`;
    const panel = `{ "plugin": [["${gone}", {}]] }`;
    home.write(JSON_FILE, config);
    home.write(`${CONFIG}/tui.json`, panel);
    const spec = home.path("src/sr/packages/plugin");
    const { out } = await home.run(...WRITE, spec);
    expect(home.read(JSON_FILE)).toBe(config.replace(gone, spec));
    expect(home.read(`${CONFIG}/tui.json`)).toBe(panel.replace(gone, spec));
    expect(JSON.parse(out).notes).toEqual([
      ...["opencode.json", "tui.json"].map(
        (name) =>
          `~/${CONFIG}/${name} lists ~/sr/packages/plugin, which no longer exists: setup removes that entry.`,
      ),
      // A dead entry of another name stays, and is said.
      `~/${CONFIG}/opencode.json lists ~/other/packages/plugin, which does not exist. Setup did not write this entry: if it was a clone of Session Runtime, remove it.`,
    ]);
    await home.run("setup", "--remove", "--yes");
    expect(home.read(JSON_FILE)).toBe(config);
    expect(home.read(`${CONFIG}/tui.json`)).toBe(panel);
  });

  test("goes out of the terminal UI's list, too, where the plugin has no part for it", async () => {
    const home = makeHome();
    home.write(`${CONFIG}/tui.json`, '{ "plugin": ["x", "/nowhere/session-runtime"] }');
    await home.run(...WRITE, withPlugin(home));
    expect(JSON.parse(home.read(`${CONFIG}/tui.json`)).plugin).toEqual(["x"]);
  });

  test("is taken out by --remove", async () => {
    const home = makeHome();
    const text = '{\n  "plugin": ["other"]\n}\n';
    home.write(JSON_FILE, text.replace('"other"', '"other", "/nowhere/session-runtime"'));
    await home.run("setup", "--remove", "--yes");
    expect(home.read(JSON_FILE)).toBe(text);
  });
});

describe("a plugin that does the same work", () => {
  const config =
    '{\n  // mine\n  "plugin": [\n    "@tarquinen/opencode-dcp@3.1.14",\n    "x"\n  ]\n}\n';

  test("stays, with a note, unless --replace is given", async () => {
    const home = makeHome();
    home.write(JSON_FILE, config);
    const { out } = await home.run(...WRITE, withPlugin(home));
    expect(home.read(JSON_FILE)).toContain("opencode-dcp");
    expect(JSON.parse(out).notes).toEqual([expect.stringContaining("(Dynamic Context Pruning)")]);
  });

  test("goes with --replace, in the diff too, and comes back with --remove", async () => {
    const home = makeHome();
    home.write(JSON_FILE, config);
    const spec = withPlugin(home);
    const { out } = await home.run(...WRITE, spec, "--replace");
    const { changes, notes } = JSON.parse(out);
    expect(notes).toEqual([]);
    expect(changes[0].diff).toContain('-     "@tarquinen/opencode-dcp@3.1.14",');
    expect(home.read(JSON_FILE)).toContain("// mine");
    expect(JSON.parse(home.read(JSON_FILE).replace("// mine", "")).plugin).toEqual([spec, "x"]);
    await home.run("setup", "--remove", "--yes");
    expect(home.read(JSON_FILE)).toBe(config);
  });
});

test("a settings file that setup makes names its schema, which is the plugin's own", async () => {
  const home = makeHome();
  const spec = withPlugin(home);
  home.write("plugin/config.schema.json", "{}");
  await home.run(...WRITE, spec, "--recovery", "auto");
  expect(JSON.parse(home.read(`${CONFIG}/session-runtime.jsonc`))).toEqual({
    $schema: pathToFileURL(home.path("plugin/config.schema.json")).href,
    recovery: "auto",
  });
  await home.run("setup", "--remove", "--yes");
  expect(home.files()).toEqual(["plugin/config.schema.json", "plugin/package.json"]);
});

test("a record of changes that is damaged is named, with what to do, and nothing is changed", async () => {
  const home = makeHome();
  const record = home.write(".local/share/session-runtime/setup.json", "{");
  const { err, exitCode } = await home.run("setup", "--remove", "--yes");
  expect(exitCode).toBe(1);
  expect(err).toContain(`${record}, setup's record of its changes, is damaged.`);
  expect(err).toContain("Move that file away");
});
