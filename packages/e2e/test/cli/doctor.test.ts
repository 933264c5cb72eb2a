import { expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { asShown, exampleCode } from "../documents.ts";
import { longTest } from "../long.ts";
import { makeSetUp, PLUGIN_FOLDER, type SetUp } from "./set-up.ts";

setDefaultTimeout(300_000);

/** `npx session-runtime doctor`, as docs/command-line.md has it. */
const DOCUMENTED_COMMAND = exampleCode("Doctor", "sh").trim().split(" ").slice(2);
/** The report, as docs/command-line.md has it; the host is the one under test. */
const REPORT = exampleCode("Doctor", "").replace("1.18.33", "…");
const SCHEMA = "https://opencode.ai/config.json";
const NPM = "@session-runtime/opencode";

interface Finding {
  readonly code: string;
  readonly what: string;
  readonly cause: string;
  readonly fix: string;
  readonly isSafeFix: boolean;
}

interface Report {
  readonly findings: readonly Finding[];
  readonly checks: readonly { readonly id: string; readonly result: string }[];
  readonly repaired: readonly string[];
  readonly exitCode: number | null;
}

async function examine(
  setUp: SetUp,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const { out, err, exitCode } = await setUp.cli(["doctor", "--json", ...words], env);
  if (!out.startsWith("{")) throw new Error(`doctor said: ${out}\n${err}`);
  return { ...JSON.parse(out), exitCode };
}

function codesIn({ findings }: Report): readonly string[] {
  return findings.map(({ code }) => code);
}

/** With the plugin of the repository in both configs. */
function withPlugin(config: Readonly<Record<string, string[]>> = {}): SetUp {
  const setUp = makeSetUp();
  setUp.writeConfig({ $schema: SCHEMA, plugin: [PLUGIN_FOLDER], ...config });
  writeFileSync(setUp.config("tui.json"), JSON.stringify({ plugin: [PLUGIN_FOLDER] }));
  return setUp;
}

test("a whole set-up: loaded and frozen in the real host, nothing found, nothing written", async () => {
  const setUp = withPlugin();
  const before = readFileSync(setUp.config("opencode.json"), "utf8");
  const report = await examine(setUp);
  expect({ codes: codesIn(report), exitCode: report.exitCode }).toEqual({ codes: [], exitCode: 0 });
  const passed = report.checks.filter(({ result }) => result === "passed").map(({ id }) => id);
  expect(passed).toEqual(
    expect.arrayContaining(["plugin-loads", "prompt-frozen", "rewriters-on-wire"]),
  );
  expect(readFileSync(setUp.config("opencode.json"), "utf8")).toBe(before);
  expect(existsSync(setUp.database)).toBe(false);
});

test("no OpenCode: told, with how to install it", async () => {
  const setUp = makeSetUp();
  const node = dirname(Bun.which("node") ?? "");
  const report = await examine(setUp, [], { OPENCODE_BIN: "/nonexistent", PATH: node });
  expect(codesIn(report)).toEqual(["host-missing"]);
  expect(report.findings[0]?.fix).toContain("npm install -g opencode-ai");
  expect(report.exitCode).toBe(3);
});

longTest("an OpenCode that is too old: told, with the version that is needed", async () => {
  const setUp = withPlugin();
  const old = setUp.write("old/opencode", "#!/bin/sh\necho 1.2.3\n");
  chmodSync(old, 0o755);
  const report = await examine(setUp, ["--no-live"], { OPENCODE_BIN: old });
  expect(codesIn(report)).toContain("host-too-old");
});

longTest("a project config that is no JSON: told by file, line and column", async () => {
  const setUp = withPlugin();
  writeFileSync(join(setUp.project, "opencode.json"), '{\n  "model": "a/b",,\n}\n');
  const report = await examine(setUp);
  expect(codesIn(report)).toEqual(["config-invalid"]);
  expect(report.findings[0]?.cause).toContain("line 2, column 18");
});

longTest(
  "a config that only the host refuses: told in its words, without the file's content",
  async () => {
    const setUp = withPlugin();
    const config = {
      $schema: SCHEMA,
      plugin: [PLUGIN_FOLDER],
      share: "sk-ant-api03-SECRETSECRETSECRET",
    };
    setUp.writeConfig(config);
    const report = await examine(setUp);
    expect(codesIn(report)).toEqual(["config-refused"]);
    expect(report.findings[0]?.cause).toContain("share");
  },
);

test("an entry that another list hides: told, and --fix puts it where it counts", async () => {
  const setUp = withPlugin();
  writeFileSync(setUp.config("opencode.jsonc"), '{\n  // mine\n  "plugin": []\n}\n');
  const { out } = await setUp.cli([...DOCUMENTED_COMMAND, "--no-live"]);
  expect(out).toMatch(asShown(REPORT));
  const fixed = await examine(setUp, ["--fix", "--no-live"]);
  expect(fixed.repaired.length).toBe(1);
  expect({ codes: codesIn(fixed), exitCode: fixed.exitCode }).toEqual({ codes: [], exitCode: 0 });
  expect(readFileSync(setUp.config("opencode.jsonc"), "utf8")).toContain("// mine");
});

longTest("a plugin that throws when it is loaded: told with its own words", async () => {
  const setUp = makeSetUp();
  setUp.write("broken/package.json", JSON.stringify({ name: NPM, type: "module", main: "./a.js" }));
  setUp.write("broken/a.js", 'throw new Error("the cable is cut");\n');
  setUp.writeConfig({ $schema: SCHEMA, plugin: [dirname(setUp.write("broken/b", ""))] });
  const report = await examine(setUp);
  expect(codesIn(report)).toEqual(["plugin-fails"]);
  expect(report.findings[0]?.cause).toContain("the cable is cut");
});

longTest("the plugin in two lists under two names: told with both", async () => {
  const setUp = withPlugin();
  setUp.write("copy/package.json", JSON.stringify({ name: NPM, type: "module", main: "./a.js" }));
  const copy = dirname(setUp.write("copy/a.js", "export default {};\n"));
  setUp.writeConfig({ $schema: SCHEMA, plugin: [PLUGIN_FOLDER, copy] });
  const report = await examine(setUp, ["--no-live"]);
  expect(codesIn(report)).toEqual(["plugin-twice"]);
  expect(report.findings[0]?.cause).toContain(copy);
});

longTest("a plugin that is known to rewrite: told by its name", async () => {
  const setUp = makeSetUp();
  const other = setUp.write(
    "opencode-dcp/index.js",
    'export default { id: "x.dcp", server: async () => ({}) };\n',
  );
  setUp.writeConfig({ $schema: SCHEMA, plugin: [PLUGIN_FOLDER, other] });
  const report = await examine(setUp, ["--no-live"]);
  expect(codesIn(report)).toContain("rewriter-known");
});

test("an unknown plugin that rewrites old messages: found on the wire, and named among others", async () => {
  const setUp = makeSetUp();
  const harmless = setUp.write(
    "harmless.js",
    'export default { id: "x.h", server: async () => ({}) };\n',
  );
  const clock = setUp.write(
    "clock.js",
    `let calls = 0;
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
`,
  );
  setUp.writeConfig({ $schema: SCHEMA, plugin: [harmless, clock, PLUGIN_FOLDER] });
  const report = await examine(setUp);
  const culprits = report.findings.filter(({ code }) => code === "rewriter-on-wire");
  expect(culprits.map(({ what }) => what)).toEqual([expect.stringContaining("clock.js")]);
  expect(report.exitCode).toBe(3);
});

longTest("a damaged database: told, where this Node has no SQLite too", async () => {
  const setUp = withPlugin();
  mkdirSync(dirname(setUp.database), { recursive: true, mode: 0o700 });
  writeFileSync(setUp.database, `SQLite format 3\0${"rubbish ".repeat(1_000)}`, { mode: 0o600 });
  const report = await examine(setUp, ["--no-live"]);
  expect(codesIn(report)).toEqual(["database-damaged"]);
  expect(report.findings[0]?.fix).toContain("OpenCode");
});

longTest("a database that others may read: told, and --fix takes it from them", async () => {
  const setUp = withPlugin();
  mkdirSync(dirname(setUp.database), { recursive: true });
  chmodSync(dirname(setUp.database), 0o755);
  writeFileSync(setUp.database, "", { mode: 0o644 });
  chmodSync(setUp.database, 0o644);
  const report = await examine(setUp, ["--no-live"]);
  expect(codesIn(report)).toContain("database-open-to-others");
  await examine(setUp, ["--no-live", "--fix"]);
  expect(statSync(setUp.database).mode & 0o777).toBe(0o600);
});

longTest(
  "an old copy in the host's cache: told, and --fix removes it and nothing else",
  async () => {
    const setUp = makeSetUp();
    setUp.writeConfig({ $schema: SCHEMA, plugin: [NPM] });
    const copy = `.cache/opencode/packages/${NPM}@latest/node_modules/${NPM}`;
    setUp.write(
      `${copy}/package.json`,
      JSON.stringify({ name: NPM, version: "0.0.1", main: "./a.js" }),
    );
    setUp.write(`${copy}/a.js`, "module.exports = {};\n");
    setUp.write(".cache/opencode/packages/other@1/package.json", "{}");
    const report = await examine(setUp, ["--no-live"]);
    const stale = report.findings.find(({ code }) => code === "package-stale");
    expect(stale?.what).toContain("0.0.1");
    expect(stale?.isSafeFix).toBe(true);
    await examine(setUp, ["--no-live", "--fix"]);
    expect(existsSync(join(setUp.packages, `${NPM}@latest/node_modules`, NPM))).toBe(false);
    expect(existsSync(join(setUp.packages, "other@1/package.json"))).toBe(true);
  },
);

longTest("a setting that does not fit and a host that loads no plugins: both told", async () => {
  const setUp = withPlugin();
  writeFileSync(setUp.config("session-runtime.jsonc"), '{ "recovery": "sometimes" }');
  const report = await examine(setUp, ["--no-live"], { OPENCODE_PURE: "1" });
  expect(codesIn(report)).toEqual(expect.arrayContaining(["host-pure", "setting-unfit"]));
});

longTest("--bundle writes a report without paths and secrets", async () => {
  const setUp = withPlugin();
  const { exitCode } = await setUp.cli(["doctor", "--no-live", "--bundle", "report.md"]);
  const report = readFileSync(join(setUp.project, "report.md"), "utf8");
  expect(exitCode).toBe(0);
  expect(report).toContain("# session-runtime doctor");
  expect(report).toMatch(/OpenCode: \d+\.\d+\.\d+ at <path>\/opencode/);
  expect(report).not.toContain(dirname(setUp.project));
  expect(report).not.toContain(PLUGIN_FOLDER);
});

test.skipIf(process.platform !== "linux")(
  "ended in the middle of its trial, it leaves no host and no folder behind (Linux shows it)",
  async () => {
    const setUp = withPlugin();
    const temporary = dirname(setUp.write("temporary/.keep", ""));
    const running = setUp.start(["doctor"], { TMPDIR: temporary });
    const trials = () => readdirSync(temporary).filter((name) => name.includes("-trial-"));
    await until(() => trials().length > 0 && hostsIn(temporary).length > 0);
    running.kill("SIGTERM");
    expect(await running.exited).toBe(143);
    expect(trials()).toEqual([]);
    await until(() => hostsIn(temporary).length === 0);
  },
);

/** Ids of processes whose data lies below a folder: only Linux shows their environment. */
function hostsIn(folder: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => environmentOf(id).includes(`XDG_DATA_HOME=${folder}/`));
}

function environmentOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/environ`, "latin1");
  } catch {
    // It has ended meanwhile, or is not ours.
    return "";
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 120_000;
  while (!isSo()) {
    if (Date.now() > deadlineMs) throw new Error("It has not come to that in time.");
    await Bun.sleep(50);
  }
}
