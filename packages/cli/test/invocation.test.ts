import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { sourceFilesIn } from "../../plugin/test/import-graph.ts";
import { loadCatalogue } from "../src/catalogue.ts";
import { invocation } from "../src/invocation.ts";
import { bundledCli, runCli } from "./command-line.ts";
import { makeHome } from "./throwaway-home.ts";

setDefaultTimeout(600_000);

const CATALOGUE = await loadCatalogue();

const CLONE = { npm_lifecycle_event: "cli", npm_package_json: "/clone/package.json" };

/** How it was started, and the words that work there. */
const STARTS: readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] = [
  [
    "by npx",
    "/home/me/.npm/_npx/ab12/node_modules/.bin/session-runtime",
    { PATH: "/home/me/.npm/_npx/ab12/node_modules/.bin:/usr/bin", npm_command: "exec" },
    "npx session-runtime",
  ],
  ["by bunx", "/tmp/bunx-0-session-runtime/session-runtime", {}, "bunx session-runtime"],
  ["installed globally", "/usr/bin/session-runtime", { PATH: "/usr/bin" }, "session-runtime"],
  [
    "installed in a project",
    "/p/node_modules/.bin/session-runtime",
    { PATH: "/usr/bin" },
    "npx session-runtime",
  ],
  [
    "in the clone",
    "/clone/packages/cli/dist/session-runtime.js",
    { ...CLONE, INIT_CWD: "/clone" },
    "npm run cli --",
  ],
  [
    "with the clone, from another project",
    "/clone/packages/cli/dist/session-runtime.js",
    { ...CLONE, INIT_CWD: "/project" },
    "npm --prefix /clone run cli --",
  ],
  ["as a file", "/a b/session-runtime.js", {}, "node '/a b/session-runtime.js'"],
];

for (const [name, script, env, words] of STARTS) {
  test(`started ${name}: advice begins with "${words}"`, () => {
    expect(invocation(script, env)).toBe(words);
  });
}

describe("what is printed names no command that may not exist where it was started", () => {
  const COMMANDS = CATALOGUE.map(({ name }) => name).join("|");

  test("no text of the command line or the plugin spells out a command but in a help's example", () => {
    const spelt = new RegExp(`session-runtime (?:${COMMANDS}|--help)\\b`);
    const folders = ["../src", "../../plugin/src"].map((path) => resolve(import.meta.dir, path));
    const found = folders.flatMap((folder) =>
      sourceFilesIn(folder).flatMap(({ path, text }) =>
        text
          .split("\n")
          .filter((line) => spelt.test(line) && !/^\s*(?:\/\/|\/?\*)|\bline: ["']/.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      ),
    );
    // A report's heading, and the title of the session that doctor starts.
    expect(found).toEqual([
      expect.stringContaining('"# session-runtime doctor"'),
      expect.stringContaining('{ title: "session-runtime doctor" }'),
    ]);
  });

  /** In a clone, and a home with nothing in it. */
  async function inClone(home: string, ...words: readonly string[]): Promise<string> {
    const env = { ...CLONE, INIT_CWD: "/clone", HOME: home, OPENCODE_BIN: hostBinary() };
    const { out, err } = await runCli(words, env, home);
    return out + err;
  }

  test("in a clone, errors, hints and help say `npm run cli --`", async () => {
    const home = makeHome().root;
    expect(await inClone(home, "status")).toContain("`npm run cli -- doctor` finds out");
    expect(await inClone(home, "show", "--call", "x")).toContain("`npm run cli -- show` lists");
    expect(await inClone(home, "import", "gone.jsonl")).toContain("`npm run cli -- export`");
    expect(await inClone(home, "docter")).toContain("npm run cli -- --help lists all commands.");
    expect(await inClone(home, "doctor", "--jsn")).toContain("npm run cli -- doctor --help lists");
    expect(await inClone(home, "--help")).toContain("  npm run cli -- <command> [options]");
    const help = await inClone(home, "setup", "--help");
    expect(help).toContain("  npm run cli -- setup [options]");
    expect(help).toContain("  npm run cli -- setup --project --dry-run");
    expect(help).not.toMatch(new RegExp(`session-runtime (?:${COMMANDS})`));
  });

  test("a process that runs it again for SQLite knows it by the name of the link that was started", async () => {
    const home = makeHome();
    const link = home.path("node_modules/.bin/session-runtime");
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(bundledCli(), link);
    const { stderr } = Bun.spawnSync(["node", link, "status"], {
      cwd: home.root,
      env: { HOME: home.root, PATH: process.env.PATH, OPENCODE_BIN: hostBinary() },
    });
    expect(stderr.toString()).toContain("`npx session-runtime doctor` finds out");
  });
});
