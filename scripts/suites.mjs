// The stages and suites of `npm test`.
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { newerBun } from "./fetch/newer-bun.mjs";
import { hostBinary } from "./host-binary.mjs";
import { root } from "./install.mjs";
import { PI_OLDEST } from "./pi-install.mjs";
import { testArgs } from "./suite-run.mjs";

/** The layers whose branch coverage is complete. */
const PURE = ["context", "projection", "coverage"];

/** Suites of the plugin that take long, each beside others. */
const LONG_RUNNING = ["model", "storage", "rooms/inbox", "v2"];

/** How many suites of a stage run beside each other: with the real host they wait half of their time. */
export const SUITES_AT_A_TIME = 4;

/** All packages, packed once for all suites of this run. */
export const packedFolder = join(realpathSync(tmpdir()), `session-runtime-packed-${process.pid}`);

/** The suites that take longest: they begin first, so that none is left over at the end. */
const BEGIN_FIRST = [
  "the plugin's layers",
  "the command line",
  "conformance/one-host",
  "conformance/own-plugins",
  "cli/broken-set-ups",
  "two-days",
  "storage and inbox",
  "the edge of OpenCode 2 (v2)",
  "sessions against a model of the host",
  "historian",
  "hints",
  "jobs-kill",
  "tui/queue",
  "money",
  "feature-doors",
  "pi/bill",
  "conformance/process",
  "history-limit",
  "tool-output",
  "inbox-kill",
  "history",
  "history-edits",
  "own-sources",
  "continuity",
  "cli/setup",
  "jobs",
];

/**
 * What `npm test` runs: stages one after the other, up to SUITES_AT_A_TIME of a stage beside each other. What
 * measures time runs alone. `scratch` is where they put what they throw away; null: where the system has it.
 * `newest` is a host's binary that everything about the real host runs on once more, or null. `counts` says how
 * passes and failures are read: from bun's closing lines, or one check that passes or fails as a whole.
 * `repeats` is what runs once more when something fails: the files with failures, or all of it.
 */
export function stages({ long, newest, scratch }) {
  const depth = long ? { SCHEDULES: "20000", LONG: "1" } : {};
  const place = scratch === null ? {} : { TMPDIR: scratch };
  const suite = (name, paths) => ({
    name,
    counts: "bun",
    command: hostBinary(),
    env: { BUN_BE_BUN: "1", ...depth, ...place },
    args: testArgs(paths),
    repeats: "files",
  });
  const entries = readdirSync(join(root, "packages/plugin/test"), { withFileTypes: true });
  const folders = foldersIn("").flatMap((name) =>
    name === "rooms" ? foldersIn("rooms/") : [name],
  );
  const unit = folders.filter((name) => !PURE.includes(name) && !LONG_RUNNING.includes(name));
  const layers = [...unit.flatMap(testsIn), ...entries.flatMap(testAt)];
  const inFolder = (name) => `./packages/plugin/test/${name}/`;
  const coverage = "./packages/plugin/test/coverage/instrument.ts";
  const names = hostTests(long ? "all" : "ordinary");
  return [
    [
      check("types", process.execPath, [
        "node_modules/typescript/bin/tsc",
        ...["--project", "tsconfig.json"],
      ]),
      check("the packages, packed", process.execPath, ["scripts/pack.mjs", packedFolder]),
      check("lint", join(root, "node_modules/.bin/biome"), ["check", "--error-on-warnings", "."]),
      {
        ...suite("pure layers, every branch covered", [
          ...["--preload", coverage],
          ...PURE.map(inFolder),
        ]),
        // A part of it covers a part of the branches.
        repeats: "whole",
      },
    ],
    [onDisk(suite("what measures time", layers.filter(measuresTime)))],
    [
      ...hostFiles("the real host", {}, names),
      withEconomy(
        suite(
          "the plugin's layers",
          layers.filter((path) => !measuresTime(path)),
        ),
      ),
      suite("the edge to Pi", testsBelow("packages/pi/test")),
      suite("the command line", cliTests(long ? "all" : "ordinary")),
      suite("sessions against a model of the host", [inFolder("model")]),
      // HOST_V2=path in the environment puts a real OpenCode 2 in the stand-in's place.
      suite("the edge of OpenCode 2 (v2)", [inFolder("v2")]),
      suite("storage and inbox", [inFolder("storage"), inFolder("rooms/inbox")]),
      {
        ...suite(
          "storage under the registry's Bun, with node:sqlite",
          // What runs on Bun's driver alone has run above; long runs have it under this newer Bun as well.
          testsIn("storage").filter((path) => long || runsOnEachDriver(path)),
        ),
        command: newerBun(),
        env: { ...depth, ...place },
      },
    ].sort((left, right) => beginsAt(left) - beginsAt(right)),
    ...(newest === null
      ? []
      : [hostFiles("the newest host", { OPENCODE_BIN: newest }, names.filter(isOpenCodes))]),
    ...(long ? [hostFiles("the oldest Pi", { PI_VERSION: PI_OLDEST }, names.filter(isPis))] : []),
  ];

  /** Each file is a suite of its own, so that a free place takes the next one. */
  function hostFiles(title, env, files) {
    return files.map((name) => {
      const file = suite(`${title}: ${name}`, [`./packages/e2e/test/${name}.test.ts`]);
      const placed = name.startsWith("tui/") ? onDisk(file) : file;
      return withEconomy({ ...placed, env: { ...placed.env, PACKED: packedFolder, ...env } });
    });
  }

  /** Where users have it: what is measured there counts, and golden screens show its path. */
  function onDisk(one) {
    const { TMPDIR: _, ...env } = one.env;
    return { ...one, env };
  }

  /** Whose hosts spare what no test looks at; long runs have them as they ship. */
  function withEconomy(one) {
    return long ? one : { ...one, env: { ...one.env, HOST_ECONOMY: "1" } };
  }
}

/** The tests of the real host by file, without `.test.ts`; those of `NAME.long.test.ts` in long runs only. */
function hostTests(which) {
  return readdirSync(join(root, "packages/e2e/test"), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => file.slice(0, -".test.ts".length))
    .filter((name) => which === "all" || !name.endsWith(".long"))
    .sort();
}

/** Whether a test of the real host is about OpenCode; the others are about Pi. */
function isOpenCodes(name) {
  return !isPis(name);
}

function isPis(name) {
  return name.startsWith("pi/");
}

/** The test files of the command line; those of `NAME.long.test.ts` in long runs only. */
function cliTests(which) {
  return testsBelow("packages/cli/test").filter(
    (path) => which === "all" || !path.endsWith(".long.test.ts"),
  );
}

/** The place of a suite in the queue: those of BEGIN_FIRST in its order, then the others in theirs. */
function beginsAt({ name }) {
  const place = BEGIN_FIRST.findIndex((first) => name === first || name.endsWith(`: ${first}`));
  return place === -1 ? BEGIN_FIRST.length : place;
}

function check(name, command, args) {
  return { name, counts: "whole", command, env: {}, args, repeats: "whole" };
}

/** The folders right below one of the plugin's tests, named from there. */
function foldersIn(place) {
  return readdirSync(join(root, "packages/plugin/test", place), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${place}${name}`);
}

/** The test files of a folder of the plugin's tests. */
function testsIn(folder) {
  return testsBelow(`packages/plugin/test/${folder}`);
}

function testsBelow(place) {
  return readdirSync(join(root, place), { recursive: true })
    .map((name) => `./${place}/${name}`)
    .filter(isTest);
}

function testAt(entry) {
  return entry.isFile() && isTest(entry.name) ? [`./packages/plugin/test/${entry.name}`] : [];
}

function isTest(path) {
  return /\.test\.tsx?$/.test(path);
}

/** Beside other suites, what it measures would be theirs. Its stage may measure for it. */
function measuresTime(path) {
  const text = readFileSync(join(root, path), "utf8");
  if (text.includes("performance.now()")) return true;
  // What it imports from its folder, and what it runs there in a process of its own.
  const stages = [...text.matchAll(/"(?:\.\/)?([\w-]+\.ts)"/g)]
    .map(([, name]) => join(root, dirname(path), name))
    // A test's own text may import files that are not there.
    .filter((file) => existsSync(file));
  return stages.some((file) => readFileSync(file, "utf8").includes("performance.now()"));
}

/** Whether it runs on node:sqlite where there is one. */
function runsOnEachDriver(path) {
  return readFileSync(join(root, path), "utf8").includes("describeOnEachDriver(");
}
