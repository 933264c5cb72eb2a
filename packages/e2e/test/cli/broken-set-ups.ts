// Set-ups in which something is wrong, each with what doctor has to say of it.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toIndexPath } from "@session-runtime/opencode/search-index/place";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { migrate } from "@session-runtime/opencode/storage/migrations";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { schema } from "../../../plugin/test/schema.ts";
import { makeDevelopmentDatabase } from "../../../plugin/test/storage/development-database.ts";
import { makeSetUp, PLUGIN_FOLDER, type SetUp } from "./set-up.ts";

export interface ExpectedFinding {
  readonly code: string;
  readonly what: RegExp;
  readonly cause: RegExp;
  readonly fix: RegExp;
}

export interface BrokenSetUp {
  readonly name: string;
  /** `each-run`: in `npm test` too; each row costs starts of the host. */
  readonly runs: "each-run" | "long-runs";
  /** Whether doctor starts the host for a trial. */
  readonly live: "live" | "no-live";
  readonly user: "whoever" | "ordinary";
  /** Breaks the set-up; gives what the environment says beside. */
  prepare(setUp: SetUp): Readonly<Record<string, string>>;
  /** All findings, in order. */
  readonly findings: readonly ExpectedFinding[];
}

const NPM = "@session-runtime/opencode";
const SCHEMA = "https://opencode.ai/config.json";

/** With the plugin of the repository in both configs. */
export function withPlugin(options?: object): SetUp {
  const setUp = makeSetUp();
  const entry = options === undefined ? PLUGIN_FOLDER : [PLUGIN_FOLDER, options];
  list(setUp, entry);
  return setUp;
}

function list(setUp: SetUp, ...plugin: readonly unknown[]): void {
  const text = JSON.stringify({ $schema: SCHEMA, plugin }, null, 2);
  writeFileSync(setUp.config("opencode.json"), text);
  writeFileSync(setUp.config("tui.json"), JSON.stringify({ plugin: [PLUGIN_FOLDER] }));
}

function program(setUp: SetUp, name: string, text: string): string {
  const path = setUp.write(name, text);
  chmodSync(path, 0o755);
  return path;
}

function settings(setUp: SetUp, text: string): Readonly<Record<string, string>> {
  writeFileSync(setUp.config("session-runtime.jsonc"), text);
  return {};
}

function database(setUp: SetUp, text: string | Uint8Array, mode: number): void {
  mkdirSync(dirname(setUp.database), { recursive: true, mode: 0o700 });
  writeFileSync(setUp.database, text, { mode });
  chmodSync(setUp.database, mode);
}

/** Its path, in a folder of its own. */
function fresh(setUp: SetUp): string {
  database(setUp, "", 0o600);
  return setUp.database;
}

/** The place of the index beside a sound database. */
function createIndexPath(setUp: SetUp): string {
  const driver = openBunDriver(fresh(setUp));
  migrate(driver, schema);
  driver.close();
  return toIndexPath(setUp.database);
}

function vectors(setUp: SetUp, more: object): Readonly<Record<string, string>> {
  return settings(setUp, JSON.stringify({ vectors: { url: "http://127.0.0.1:2/v1", ...more } }));
}

const plugin = (body: string, id: string) =>
  `export default { id: "x.${id}", server: async () => (${body}) };\n`;

const CLOCK = `let calls = 0;
export default {
  id: "x.clock",
  server: async () => ({
    "experimental.chat.messages.transform": async (_, { messages }) => {
      calls += 1;
      messages[0].parts = messages[0].parts.map((part) =>
        part.type === "text" ? { ...part, text: "call " + calls + ": " + part.text } : part);
    },
  }),
};
`;

const NONE = {};
const fast = { runs: "each-run", live: "no-live", user: "whoever" } as const;
const slow = { runs: "long-runs", live: "no-live", user: "whoever" } as const;
const fastLive = { ...fast, live: "live" } as const;
const slowLive = { ...slow, live: "live" } as const;
const noPath = () => ({ PATH: dirname(Bun.which("node") ?? "") });

const HOST: readonly BrokenSetUp[] = [
  {
    ...fastLive,
    name: "OpenCode is not installed",
    prepare: () => ({ OPENCODE_BIN: "", ...noPath() }),
    findings: [
      {
        code: "host-missing",
        what: /^OpenCode was not found\.$/,
        cause: /not on PATH, nor in any of the \d+ places/,
        fix: /npm install -g opencode-ai.*OPENCODE_BIN/,
      },
    ],
  },
  {
    ...slow,
    name: "OpenCode crashes at once",
    prepare: (setUp) => ({
      OPENCODE_BIN: program(setUp, "bin/opencode", "#!/bin/sh\necho 'no such CPU' >&2\nexit 3\n"),
      ...noPath(),
    }),
    findings: [
      {
        code: "host-broken",
        what: /bin\/opencode does not run\.$/,
        cause: /ended with exit code 3 and printed: no such CPU/,
        fix: /Reinstall it/,
      },
    ],
  },
  {
    ...slow,
    name: "the file called opencode is a program for another system",
    prepare: (setUp) => {
      const path = program(setUp, "bin/opencode", "");
      writeFileSync(path, new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 9, 9, 9, 0, 1, 2, 3]));
      return { OPENCODE_BIN: path, ...noPath() };
    },
    findings: [
      {
        code: "host-broken",
        what: /bin\/opencode does not run\.$/,
        cause: /not a program for this system|exit code \d+/,
        fix: /Reinstall it/,
      },
    ],
  },
  {
    ...fast,
    name: "OpenCode hangs, with a child that ignores signals",
    prepare: (setUp) => {
      const marker = join(setUp.root, "hung.pid");
      const loop = `trap "" TERM HUP INT; echo $$ > ${marker}; while :; do sleep 1; done`;
      return {
        OPENCODE_BIN: program(setUp, "bin/opencode", `#!/bin/sh\nsh -c '${loop}' &\nwait\n`),
        ...noPath(),
      };
    },
    findings: [
      {
        code: "host-hangs",
        what: /bin\/opencode did not answer in time\.$/,
        cause:
          /child processes, because it did not answer `--version` within 30 s; this machine may be busy/,
        fix: /^Try again .* reinstall it/,
      },
    ],
  },
  {
    ...slow,
    name: "OpenCode is too old",
    prepare: (setUp) => ({
      OPENCODE_BIN: program(setUp, "old/opencode", "#!/bin/sh\necho 1.2.3\n"),
    }),
    findings: [
      {
        code: "host-too-old",
        what: /OpenCode 1\.2\.3 does not load the plugin/,
        cause: /needs OpenCode >=1\.18\.20 <3/,
        fix: /opencode upgrade/,
      },
    ],
  },
  {
    ...slow,
    name: "OpenCode is of the next major version",
    prepare: (setUp) => ({
      OPENCODE_BIN: program(setUp, "new/opencode", "#!/bin/sh\necho 3.0.0\n"),
    }),
    findings: [
      {
        code: "host-too-new",
        what: /OpenCode 3\.0\.0 does not load the plugin/,
        cause: /needs OpenCode >=1\.18\.20 <3/,
        fix: /Update Session Runtime/,
      },
    ],
  },
  {
    ...slow,
    name: "OPENCODE_BIN leads nowhere, and another OpenCode is on PATH",
    prepare: () => ({
      OPENCODE_BIN: "/nonexistent/opencode",
      PATH: `${dirname(hostBinary())}:${process.env.PATH}`,
    }),
    findings: [
      {
        code: "host-named-unusable",
        what: /OPENCODE_BIN names \/nonexistent\/opencode, which does not work/,
        cause: /no program at that path/,
        fix: /Correct OPENCODE_BIN/,
      },
    ],
  },
];

const CONFIG: readonly BrokenSetUp[] = [
  {
    ...slowLive,
    name: "the project's opencode.json is not valid JSON",
    prepare: (setUp) => {
      writeFileSync(join(setUp.project, "opencode.json"), '{\n  "model": "a/b",,\n}\n');
      return NONE;
    },
    findings: [
      {
        code: "config-invalid",
        what: /opencode\.json is not valid JSON/,
        cause: /line 2, column 18/,
        fix: /Correct that line/,
      },
    ],
  },
  {
    ...slow,
    name: "the user's own opencode.json lacks a bracket",
    prepare: (setUp) => {
      writeFileSync(setUp.config("opencode.json"), '{\n  "plugin": ["a"\n}\n');
      return NONE;
    },
    findings: [
      {
        code: "config-invalid",
        what: /opencode\/opencode\.json is not valid JSON/,
        cause: /line 3/,
        fix: /Correct that line/,
      },
    ],
  },
  {
    ...fast,
    name: "OpenCode rejects a value in its config",
    prepare: (setUp) => {
      setUp.writeConfig({ $schema: SCHEMA, plugin: [PLUGIN_FOLDER], share: "sk-ant-api03-SECRET" });
      return NONE;
    },
    findings: [
      {
        code: "config-refused",
        what: /rejects its config/,
        cause: /Expected "manual" \| "auto" \| "disabled", got “sk-ant-api03-SECRET” share/,
        fix: /opencode\.ai\/docs\/config/,
      },
    ],
  },
  {
    ...slow,
    name: "opencode.json is a folder",
    prepare: (setUp) => {
      rmSync(setUp.config("opencode.json"));
      mkdirSync(setUp.config("opencode.json"));
      return NONE;
    },
    findings: [
      {
        code: "config-unreadable",
        what: /opencode\.json can't be read/,
        cause: /^It is a folder, not a file\.$/,
        fix: /readable file/,
      },
    ],
  },
  {
    ...slow,
    name: "opencode.jsonc is a link to nowhere",
    prepare: (setUp) => {
      symlinkSync(join(setUp.root, "nowhere"), setUp.config("opencode.jsonc"));
      return NONE;
    },
    findings: [
      {
        code: "config-unreadable",
        what: /opencode\.jsonc can't be read/,
        cause: /link to a file that does not exist/,
        fix: /readable file/,
      },
    ],
  },
  {
    ...fast,
    name: "another file's plugin list hides ours",
    prepare: (setUp) => {
      writeFileSync(setUp.config("opencode.jsonc"), '{\n  // mine\n  "plugin": []\n}\n');
      return NONE;
    },
    findings: [
      {
        code: "plugin-shadowed",
        what: /opencode\.json lists the plugin, but OpenCode ignores that list/,
        cause: /only the last "plugin" list counts/,
        fix: /setup` puts it into the list that counts/,
      },
    ],
  },
  {
    ...slow,
    name: "no list names the plugin",
    prepare: (setUp) => {
      setUp.writeConfig({ $schema: SCHEMA });
      rmSync(setUp.config("tui.json"));
      return NONE;
    },
    findings: [
      {
        code: "plugin-not-listed",
        what: /does not load the plugin/,
        cause: /No "plugin" list/,
        fix: /setup$/,
      },
    ],
  },
  {
    ...slow,
    name: "two copies of the plugin are listed",
    prepare: (setUp) => {
      setUp.write("copy/package.json", JSON.stringify({ name: NPM, main: "./a.js" }));
      list(setUp, PLUGIN_FOLDER, dirname(setUp.write("copy/a.js", "export default {};\n")));
      return NONE;
    },
    findings: [
      {
        code: "plugin-twice",
        what: /loads the plugin twice/,
        cause: /packages\/plugin in .* and as .*\/copy in /,
        fix: /Take one of the two out/,
      },
    ],
  },
  {
    ...slowLive,
    name: "the listed folder of the plugin is gone",
    prepare: (setUp) => {
      list(setUp, join(setUp.root, "session-runtime-main/packages/plugin"));
      return NONE;
    },
    findings: [
      {
        code: "plugin-gone",
        what: /opencode\/opencode\.json lists a plugin that no longer exists/,
        cause: /nothing at .*session-runtime-main\/packages\/plugin\./,
        fix: /setup` replaces the entry.*setup --remove` takes it out/,
      },
    ],
  },
  {
    ...slow,
    name: "the project's list names our folder, which is gone",
    prepare: (setUp) => {
      const gone = join(setUp.root, "session-runtime/packages/plugin");
      setUp.writeConfig({ $schema: SCHEMA });
      rmSync(setUp.config("tui.json"));
      writeFileSync(join(setUp.project, "opencode.json"), JSON.stringify({ plugin: [gone] }));
      return NONE;
    },
    findings: [
      {
        code: "plugin-gone",
        what: /first\/opencode\.json lists a plugin that no longer exists/,
        cause: /nothing at .*session-runtime\/packages\/plugin\./,
        fix: /setup --project` replaces the entry/,
      },
    ],
  },
  {
    ...slow,
    name: "tui.json names our folder, which is gone",
    prepare: (setUp) => {
      const gone = join(setUp.root, "session-runtime/packages/plugin");
      writeFileSync(setUp.config("tui.json"), JSON.stringify({ plugin: [gone] }));
      return NONE;
    },
    findings: [
      {
        code: "plugin-gone",
        what: /tui\.json lists a plugin that no longer exists/,
        cause: /nothing at .*session-runtime\/packages\/plugin\./,
        fix: /setup` replaces the entry/,
      },
    ],
  },
  {
    ...slow,
    name: "another plugin's file is gone",
    prepare: (setUp) => {
      list(setUp, PLUGIN_FOLDER, join(setUp.root, "gone/other.js"));
      return NONE;
    },
    findings: [
      {
        code: "other-plugin-gone",
        what: /opencode\.json lists a plugin that no longer exists/,
        cause: /nothing at .*gone\/other\.js/,
        fix: /Correct the path/,
      },
    ],
  },
  {
    ...slow,
    name: "tui.json does not name the plugin",
    prepare: (setUp) => {
      rmSync(setUp.config("tui.json"));
      return NONE;
    },
    findings: [
      {
        code: "terminal-part-missing",
        what: /does not show the panel/,
        cause: /tui\.json does not list the plugin/,
        fix: /setup` adds it/,
      },
    ],
  },
];

const PLUGINS: readonly BrokenSetUp[] = [
  {
    ...fastLive,
    name: "the plugin throws when it is loaded",
    prepare: (setUp) => {
      const manifest = { name: NPM, type: "module", main: "./a.js" };
      setUp.write("broken/package.json", JSON.stringify(manifest));
      list(setUp, dirname(setUp.write("broken/a.js", 'throw new Error("the cable is cut");\n')));
      return NONE;
    },
    findings: [
      {
        code: "plugin-fails",
        what: /can't load .*\/broken\.$/,
        cause: /the cable is cut/,
        fix: /setup` installs a version that works/,
      },
    ],
  },
  {
    ...slowLive,
    name: "the plugin's package lacks its entry file",
    prepare: (setUp) => {
      const manifest = { name: NPM, type: "module", main: "./dist/a.js" };
      list(setUp, dirname(setUp.write("empty/package.json", JSON.stringify(manifest))));
      return NONE;
    },
    findings: [
      {
        code: "plugin-fails",
        what: /can't load .*\/empty\.$/,
        cause: /^Its package\.json names .*dist\/a\.js, which does not exist\.$/,
        fix: /setup` installs a version that works/,
      },
    ],
  },
  {
    ...fastLive,
    name: "another plugin hangs OpenCode while it is loaded",
    prepare: (setUp) => {
      const harmless = setUp.write("harmless.js", plugin("{}", "h"));
      const stuck = setUp.write(
        "stuck.js",
        'export default { id: "x.s", server: () => new Promise(() => setInterval(() => {}, 1e6)) };\n',
      );
      list(setUp, harmless, stuck, PLUGIN_FOLDER);
      return NONE;
    },
    findings: [
      {
        code: "plugin-hangs",
        what: /The plugin .*\/stuck\.js makes OpenCode hang/,
        cause:
          /With this plugin alone, OpenCode did not finish loading plugins within \d+ s; without/,
        fix: /Take it out of the "plugin" list in .*opencode/,
      },
    ],
  },
  {
    ...slowLive,
    name: "another plugin hangs every prompt",
    prepare: (setUp) => {
      const stuck = setUp.write(
        "stuck.js",
        plugin('{ "chat.message": () => new Promise(() => {}) }', "s"),
      );
      list(setUp, PLUGIN_FOLDER, stuck);
      return NONE;
    },
    findings: [
      {
        code: "plugin-hangs",
        what: /The plugin .*\/stuck\.js makes OpenCode hang/,
        cause: /With this plugin alone, OpenCode did not finish a prompt within \d+ s; without/,
        fix: /Take it out of the "plugin" list/,
      },
    ],
  },
  {
    ...fastLive,
    name: "another plugin changes what was sent",
    prepare: (setUp) => {
      const harmless = setUp.write("harmless.js", plugin("{}", "h"));
      list(setUp, harmless, setUp.write("clock.js", CLOCK), PLUGIN_FOLDER);
      return NONE;
    },
    findings: [
      {
        code: "rewriter-on-wire",
        what: /clock\.js changes what was sent before/,
        cause:
          /With only this plugin and Session Runtime, calls change\. In the messages, “.*” became “.*”/,
        fix: /Take it out of the "plugin" list/,
      },
    ],
  },
  {
    ...slow,
    name: "Dynamic Context Pruning is listed beside it",
    prepare: (setUp) => {
      list(setUp, PLUGIN_FOLDER, setUp.write("opencode-dcp/index.js", plugin("{}", "dcp")));
      return NONE;
    },
    findings: [
      {
        code: "rewriter-known",
        what: /opencode-dcp.*\(Dynamic Context Pruning\) does the same work/,
        cause: /costs the prompt cache/,
        fix: /setup --replace` removes Dynamic Context Pruning/,
      },
    ],
  },
  {
    ...slowLive,
    name: "OPENCODE_PURE is set",
    prepare: () => ({ OPENCODE_PURE: "1" }),
    findings: [
      {
        code: "host-pure",
        what: /loads no plugins here/,
        cause: /environment has OPENCODE_PURE=1/,
        fix: /unset OPENCODE_PURE/,
      },
    ],
  },
  {
    ...slow,
    name: "OpenCode runs an old copy of the plugin from its cache",
    prepare: (setUp) => {
      setUp.writeConfig({ $schema: SCHEMA, plugin: [NPM] });
      const copy = `.cache/opencode/packages/${NPM}@latest/node_modules/${NPM}`;
      const manifest = { name: NPM, version: "0.0.1", main: "./a.js" };
      setUp.write(`${copy}/package.json`, JSON.stringify(manifest));
      setUp.write(`${copy}/a.js`, "module.exports = {};\n");
      return NONE;
    },
    findings: [
      {
        code: "package-stale",
        what: /runs version 0\.0\.1 of the plugin/,
        cause: /fetched it once/,
        fix: /Remove .*@latest/,
      },
    ],
  },
];

const SETTINGS: readonly BrokenSetUp[] = [
  {
    ...slowLive,
    name: "a settings file says that it is off",
    prepare: (setUp) => settings(setUp, '{\n  // for a while\n  "enabled": false\n}\n'),
    findings: [
      {
        code: "disabled-by-setting",
        what: /turned off by .*session-runtime\.jsonc:3\.$/,
        cause: /"enabled" is false there/,
        fix: /remove that line/,
      },
    ],
  },
  {
    ...slow,
    name: "the plugin's options say that it is off",
    prepare: (setUp) => {
      list(setUp, [PLUGIN_FOLDER, { enabled: false }]);
      return NONE;
    },
    findings: [
      {
        code: "disabled-by-setting",
        what: /turned off by .*opencode\.json:7\.$/,
        cause: /"enabled" is false there/,
        fix: /remove that line/,
      },
    ],
  },
  {
    ...slow,
    name: "a setting's value is misspelt",
    prepare: (setUp) => settings(setUp, '{\n  "recovery": "atuo"\n}\n'),
    findings: [
      {
        code: "setting-invalid",
        what: /"recovery" in .*session-runtime\.jsonc:2 is ignored/,
        cause:
          /^Expected "ask", "auto" or "off", found "atuo"; did you mean "auto"\? The default is used\.$/,
        fix: /^Write "auto"\.$/,
      },
    ],
  },
  {
    ...slow,
    name: "a setting's value is of the wrong type",
    prepare: (setUp) => settings(setUp, '{ "cache": { "ttlMs": "soon" } }'),
    findings: [
      {
        code: "setting-invalid",
        what: /"cache\.ttlMs" in .*:1 is ignored/,
        cause: /^Expected a whole number from 1000 to 86400000, found "soon"; the default is used/,
        fix: /^Correct or remove it/,
      },
    ],
  },
  {
    ...slow,
    name: "a setting's name is misspelt",
    prepare: (setUp) => settings(setUp, '{\n\n  "continuty": {}\n}\n'),
    findings: [
      {
        code: "setting-invalid",
        what: /"continuty" in .*session-runtime\.jsonc:3 is ignored/,
        cause: /^Unknown key; did you mean "continuity"\?/,
        fix: /^Write "continuity"\.$/,
      },
    ],
  },
  {
    ...fast,
    name: "the plugin's options have a misspelt name",
    prepare: (setUp) => {
      list(setUp, [PLUGIN_FOLDER, { recovry: "ask" }]);
      return NONE;
    },
    findings: [
      {
        code: "setting-invalid",
        what: /"recovry" in .*opencode\.json:7 is ignored/,
        cause: /^Unknown key; did you mean "recovery"\?/,
        fix: /^Write "recovery"\.$/,
      },
    ],
  },
  {
    ...slow,
    name: "the settings file is not valid JSON",
    prepare: (setUp) => settings(setUp, '{\n  "recovery": \n}\n'),
    findings: [
      {
        code: "setting-invalid",
        what: /session-runtime\.jsonc is ignored/,
        cause: /^Line 3, column 1: value expected/,
        fix: /^Correct the file/,
      },
    ],
  },
  {
    ...slow,
    name: "the settings file is a link to nowhere",
    prepare: (setUp) => {
      symlinkSync(join(setUp.root, "nowhere"), setUp.config("session-runtime.jsonc"));
      return NONE;
    },
    findings: [
      {
        code: "setting-invalid",
        what: /session-runtime\.jsonc is ignored/,
        cause: /^It is a link to a file that does not exist/,
        fix: /^Point the link to a file, or remove it\.$/,
      },
    ],
  },
  {
    ...fast,
    name: "jobs, the historian and upkeep name models that OpenCode does not offer",
    prepare: (setUp) =>
      settings(
        setUp,
        JSON.stringify({
          jobs: { model: "foo/bar" },
          historian: { models: ["opencode/none-such"] },
          upkeep: { tasks: { verify: { model: "foo/baz" } } },
        }),
      ),
    findings: [
      {
        code: "model-not-offered",
        what: /^jobs\.model names foo\/bar, which OpenCode does not offer/,
        cause: /No provider "foo" is set up/,
        fix: /`opencode models` lists what it offers/,
      },
      {
        code: "model-not-offered",
        what: /^historian\.models names opencode\/none-such/,
        cause: /provider "opencode"/,
        fix: /opencode models/,
      },
      {
        code: "model-not-offered",
        what: /^upkeep\.tasks\.verify\.model names foo\/baz/,
        cause: /No provider "foo"/,
        fix: /opencode models/,
      },
    ],
  },
  {
    ...slow,
    name: "nobody answers at vectors.url",
    prepare: (setUp) => vectors(setUp, { model: "m" }),
    findings: [
      {
        code: "vectors-no-answer",
        what: /endpoint for embeddings at 127\.0\.0\.1:2 can't be used now/,
        cause: /^It can't be reached \(ECONNREFUSED\)\.$/,
        fix: /^Start it, or correct vectors\.url/,
      },
    ],
  },
  {
    ...slow,
    name: "vectors.url is set, and vectors.model is not",
    prepare: (setUp) => vectors(setUp, {}),
    findings: [
      {
        code: "vectors-no-model",
        what: /^vectors\.url is set and vectors\.model is not/,
        cause: /must name its model/,
        fix: /^Set vectors\.model/,
      },
    ],
  },
  {
    ...slow,
    name: "the variable that vectors.apiKeyEnv names is not set",
    prepare: (setUp) => vectors(setUp, { model: "m", apiKeyEnv: "EMBEDDINGS_KEY" }),
    findings: [
      {
        code: "vectors-no-key",
        what: /gets no key/,
        cause: /^vectors\.apiKeyEnv names EMBEDDINGS_KEY, which is not set/,
        fix: /^Set EMBEDDINGS_KEY where OpenCode is started/,
      },
    ],
  },
  {
    ...slow,
    name: "a project's settings want to run a command",
    prepare: (setUp) => {
      const sources = { "team/x": { command: ["id"] } };
      writeFileSync(join(setUp.project, "session-runtime.json"), JSON.stringify({ sources }));
      return NONE;
    },
    findings: [
      {
        code: "setting-refused",
        what: /"sources\.team\/x" in .*session-runtime\.json:1 is ignored/,
        cause: /can't run commands/,
        fix: /^If you want it, move "sources\.team\/x" from .*session-runtime\.json to .*opencode\/session-runtime\.jsonc; otherwise remove it\.$/,
      },
    ],
  },
];

const DATA: readonly BrokenSetUp[] = [
  {
    ...fast,
    user: "ordinary",
    name: "the data folder can't be written",
    prepare: (setUp) => {
      mkdirSync(dirname(setUp.database), { recursive: true });
      chmodSync(dirname(setUp.database), 0o555);
      return NONE;
    },
    findings: [
      {
        code: "data-not-writable",
        what: /database .*runtime\.db can't be written/,
        cause: /session-runtime \(mode 555\): you don't have permission/,
        fix: /^Run chmod u\+rwx .*session-runtime, or choose another place/,
      },
    ],
  },
  {
    ...slow,
    user: "ordinary",
    name: "the database can't be written",
    prepare: (setUp) => {
      database(setUp, "", 0o400);
      return NONE;
    },
    findings: [
      {
        code: "data-not-writable",
        what: /database .*runtime\.db can't be written/,
        cause: /runtime\.db \(mode 400\): you don't have permission/,
        fix: /^Run chmod u\+rw .*runtime\.db/,
      },
    ],
  },
  {
    ...slow,
    name: "the database's path can't exist",
    prepare: (setUp) => ({ SESSION_RUNTIME_DB: join(setUp.write("file", ""), "x/runtime.db") }),
    findings: [
      {
        code: "data-not-writable",
        what: /database .*file\/x\/runtime\.db can't be opened/,
        cause: /a part of that path is a file, not a folder/,
        fix: /Make .*file\/x a folder, .*SESSION_RUNTIME_DB/,
      },
    ],
  },
  {
    ...slow,
    name: "storage.path names a folder",
    prepare: (setUp) => {
      mkdirSync(join(setUp.root, "place"), { mode: 0o700 });
      return settings(setUp, JSON.stringify({ storage: { path: join(setUp.root, "place") } }));
    },
    findings: [
      {
        code: "data-not-writable",
        what: /database .*\/place can't be opened/,
        cause: /it is a folder, not a file/,
        fix: /^To name a file, change "storage\.path"/,
      },
    ],
  },
  {
    ...slow,
    name: "XDG_DATA_HOME names a file",
    prepare: (setUp) => ({ XDG_DATA_HOME: setUp.write("file", ""), SESSION_RUNTIME_DB: "" }),
    findings: [
      {
        code: "folder-variable-wrong",
        what: /^XDG_DATA_HOME does not name a folder/,
        cause: /\/file: it is a file, not a folder/,
        fix: /Correct XDG_DATA_HOME, or unset it/,
      },
    ],
  },
  {
    ...slowLive,
    name: "TMPDIR names a folder that can't exist",
    // Below a file: what the host could make, it makes.
    prepare: (setUp) => ({ TMPDIR: join(setUp.write("file", ""), "tmp") }),
    findings: [
      {
        code: "folder-variable-wrong",
        what: /^TMPDIR does not name a folder/,
        cause: /\/file\/tmp: a part of that path is a file, not a folder/,
        fix: /Correct TMPDIR, or unset it/,
      },
    ],
  },
  {
    ...slow,
    name: "everybody can write the data folder",
    prepare: (setUp) => {
      database(setUp, "", 0o600);
      chmodSync(dirname(setUp.database), 0o777);
      return NONE;
    },
    findings: [
      {
        code: "data-folder-open",
        what: /Other users of this machine can replace the files in .*session-runtime/,
        cause: /mode is 777/,
        fix: /^chmod 700 /,
      },
    ],
  },
  {
    ...slow,
    name: "others can read the database",
    prepare: (setUp) => {
      database(setUp, "", 0o644);
      chmodSync(dirname(setUp.database), 0o755);
      return NONE;
    },
    findings: [
      {
        code: "database-open-to-others",
        what: /Other users of this machine can read .*runtime\.db/,
        cause: /mode is 644, that of its folder 755/,
        fix: /^chmod 600 /,
      },
    ],
  },
  {
    ...slow,
    name: "the database is of a development version",
    prepare: (setUp) => {
      makeDevelopmentDatabase(fresh(setUp));
      return NONE;
    },
    findings: [
      {
        code: "database-development",
        what: /runtime\.db was written by a development version of Session Runtime/,
        cause: /OpenCode has not opened it since the update/,
        fix: /moves it aside at its next start.* memories, notes and queued prompts to it\. .*migrate does so now\.$/,
      },
    ],
  },
  {
    ...slow,
    name: "the database is damaged",
    prepare: (setUp) => {
      database(setUp, `SQLite format 3\0${"rubbish ".repeat(1_000)}`, 0o600);
      return NONE;
    },
    findings: [
      {
        code: "database-damaged",
        what: /database .*runtime\.db is damaged/,
        cause: /^SQLite can't read it as a database\.$/,
        fix: /Restart OpenCode: it moves the file aside/,
      },
    ],
  },
  {
    ...slow,
    name: "storage.path names a file of the user's that is not a database",
    prepare: (setUp) => {
      const path = setUp.write("notes.md", "# Mine\n");
      chmodSync(dirname(path), 0o700);
      chmodSync(path, 0o600);
      return settings(setUp, JSON.stringify({ storage: { path } }));
    },
    findings: [
      {
        code: "database-unopenable",
        what: /notes\.md can't be opened, so nothing is saved/,
        cause: /it is not a database, and is left as it is/,
        fix: /^Choose a file that does not exist yet.*"storage\.path" in your settings/,
      },
    ],
  },
  {
    ...slow,
    name: "a secret was stored before there were rules for it",
    prepare: (setUp) => {
      const driver = openBunDriver(fresh(setUp));
      migrate(driver, schema);
      const insert = "INSERT INTO user_profile (text, by, written_at_ms) VALUES (?, 'model', 1)";
      driver.run(insert, ["The API password is hunter2", "horse99."].join(""));
      driver.close();
      return NONE;
    },
    findings: [
      {
        code: "secrets-stored",
        what: /hold what looks like a password.*: 1 of kind "note about you"\.$/,
        cause: /before there were the rules/,
        fix: /memory check --fix` masks them for good/,
      },
    ],
  },
  {
    ...fast,
    name: "the search index is damaged",
    prepare: (setUp) => {
      writeFileSync(createIndexPath(setUp), "rubbish ".repeat(1_000), { mode: 0o600 });
      return NONE;
    },
    findings: [
      {
        code: "index-damaged",
        what: /search index .*runtime\.recall\.db is damaged/,
        cause: /^SQLite can't read it as a database\.$/,
        fix: /session-runtime.* index` creates a new one/,
      },
    ],
  },
  {
    ...fast,
    name: "a folder stands in the place of the search index",
    prepare: (setUp) => {
      mkdirSync(createIndexPath(setUp));
      return NONE;
    },
    findings: [
      {
        code: "index-place-taken",
        what: /search index can't be created: sessions and commits can't be searched/,
        cause: /runtime\.recall\.db is a folder, and must be a file/,
        fix: /^Move it away: mv /,
      },
    ],
  },
];

export const BROKEN_SET_UPS: readonly BrokenSetUp[] = [
  ...HOST,
  ...CONFIG,
  ...PLUGINS,
  ...SETTINGS,
  ...DATA,
];
