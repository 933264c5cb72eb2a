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

setDefaultTimeout(600_000);

/** `session-runtime doctor`, as docs/command-line.md has it. */
const DOCUMENTED_COMMAND = exampleCode("Doctor", "sh").trim().split(" ").slice(1);
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
    .filter((id) => readEnvironment(id).includes(`XDG_DATA_HOME=${folder}/`));
}

function readEnvironment(id: string): string {
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
