import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { longTest } from "../long.ts";
import { makeSetUp, PLUGIN_FOLDER, type SetUp } from "./set-up.ts";

setDefaultTimeout(600_000);

const SCHEMA = "https://opencode.ai/config.json";
const ENTRY = join(PLUGIN_FOLDER, "src/index.ts");

interface HealthySetUp {
  readonly name: string;
  readonly runs: "each-run" | "long-runs";
  prepare(setUp: SetUp): Readonly<Record<string, string>>;
}

function config(setUp: SetUp, value: object): void {
  writeFileSync(setUp.config("opencode.json"), JSON.stringify({ $schema: SCHEMA, ...value }));
}

function panel(setUp: SetUp, spec: string = PLUGIN_FOLDER): void {
  writeFileSync(setUp.config("tui.json"), JSON.stringify({ plugin: [spec] }));
}

function inProject(setUp: SetUp, path: string, value: object): void {
  const target = join(setUp.project, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, JSON.stringify(value));
}

/** Ways in which people have it, all of them right. */
const SHAPES: readonly HealthySetUp[] = [
  {
    name: "a comment and a trailing comma in opencode.jsonc",
    runs: "each-run",
    prepare: (setUp) => {
      const text = `{\n  // mine\n  "plugin": [${JSON.stringify(PLUGIN_FOLDER)},],\n}\n`;
      writeFileSync(setUp.config("opencode.jsonc"), text);
      panel(setUp);
      return {};
    },
  },
  {
    name: "the plugin by its file",
    runs: "long-runs",
    prepare: (setUp) => {
      config(setUp, { plugin: [ENTRY] });
      return {};
    },
  },
  {
    name: "the plugin by a file URL",
    runs: "long-runs",
    prepare: (setUp) => {
      config(setUp, { plugin: [`file://${PLUGIN_FOLDER}`] });
      panel(setUp);
      return {};
    },
  },
  {
    name: "the plugin by a relative path",
    runs: "long-runs",
    prepare: (setUp) => {
      const path = relative(dirname(setUp.config("x")), PLUGIN_FOLDER);
      config(setUp, { plugin: [path] });
      panel(setUp, path);
      return {};
    },
  },
  {
    name: "options beside the plugin, all of them known",
    runs: "each-run",
    prepare: (setUp) => {
      const options = { recovery: "auto", cache: { ttlMs: 60_000 }, notices: { toast: false } };
      config(setUp, { plugin: [[PLUGIN_FOLDER, options]] });
      panel(setUp);
      return {};
    },
  },
  {
    name: "the plugin in the project's opencode.json",
    runs: "long-runs",
    prepare: (setUp) => {
      inProject(setUp, "opencode.json", { plugin: [PLUGIN_FOLDER] });
      inProject(setUp, "tui.json", { plugin: [PLUGIN_FOLDER] });
      return {};
    },
  },
  {
    name: "the plugin in the project's .opencode folder",
    runs: "long-runs",
    prepare: (setUp) => {
      inProject(setUp, ".opencode/opencode.json", { plugin: [PLUGIN_FOLDER] });
      inProject(setUp, ".opencode/tui.json", { plugin: [PLUGIN_FOLDER] });
      // As the host would leave it: else it fetches its own package there first.
      const root = { dependencies: { "@opencode-ai/plugin": "*" } };
      mkdirSync(join(setUp.project, ".opencode/node_modules"));
      inProject(setUp, ".opencode/package.json", root);
      inProject(setUp, ".opencode/package-lock.json", {
        lockfileVersion: 3,
        packages: { "": root },
      });
      return {};
    },
  },
  {
    name: "settings of the user's and of the project's, all of them known",
    runs: "long-runs",
    prepare: (setUp) => {
      config(setUp, { plugin: [PLUGIN_FOLDER] });
      panel(setUp);
      const text =
        '{\n  // mine\n  "lowering": "auto", "sources": { "team/x": { "command": ["id"] } }\n}\n';
      writeFileSync(setUp.config("session-runtime.jsonc"), text);
      inProject(setUp, "session-runtime.json", { sources: { "team/y": { file: "AGENTS.md" } } });
      return {};
    },
  },
  {
    name: "another plugin and an MCP server beside it",
    runs: "long-runs",
    prepare: (setUp) => {
      const other = 'export default { id: "x.h", server: async () => ({}) };\n';
      const mcp = { none: { type: "local", command: ["true"], enabled: false } };
      config(setUp, { plugin: [setUp.write("other.js", other), PLUGIN_FOLDER], mcp });
      panel(setUp);
      return {};
    },
  },
  {
    name: "config files that are links into a folder of dotfiles",
    runs: "long-runs",
    prepare: (setUp) => {
      config(setUp, { plugin: [PLUGIN_FOLDER] });
      panel(setUp);
      const dotfiles = dirname(setUp.write("dotfiles/x", ""));
      for (const name of ["opencode.json", "tui.json"]) {
        renameSync(setUp.config(name), join(dotfiles, name));
        symlinkSync(join(dotfiles, name), setUp.config(name));
      }
      return {};
    },
  },
  {
    name: "no opencode.json at all, and the list in OPENCODE_CONFIG's file",
    runs: "long-runs",
    prepare: (setUp) => {
      rmSync(setUp.config("opencode.json"));
      panel(setUp);
      const text = JSON.stringify({ plugin: [PLUGIN_FOLDER] });
      return { OPENCODE_CONFIG: setUp.write("elsewhere/opencode.json", text) };
    },
  },
];

for (const { name, runs, prepare } of SHAPES) {
  const run = async () => {
    const setUp = makeSetUp();
    const env = prepare(setUp);
    const { out, err, exitCode } = await setUp.cli(["doctor", "--json", "--no-live"], env);
    expect(out, err).toStartWith("{");
    const { findings, checks } = JSON.parse(out);
    expect(findings).toEqual([]);
    expect(exitCode).toBe(0);
    expect(checks).toContainEqual({ id: "plugin-listed", result: "passed" });
  };
  const title = `healthy, and nothing is found: ${name}`;
  if (runs === "each-run") test(title, run);
  else longTest(title, run);
}

test("there are at least ten shapes", () => {
  expect(new Set(SHAPES.map(({ name }) => name)).size).toBeGreaterThanOrEqual(10);
});
