// The rings of tests, and the stages and suites of each.
import { readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newerBun } from "./fetch/newer-bun.mjs";
import { hostBinary } from "./host-binary.mjs";
import { root } from "./install.mjs";
import { PI_OLDEST } from "./pi-install.mjs";
import { testArgs } from "./suite-run.mjs";
import { MAIN_JOB, RUNS_ALONE, testFiles } from "./test-files.mjs";

/** The layers whose branch coverage is complete. */
const PURE = ["context", "ledger", "coverage"];

/** Suites of the plugin that take long, each beside others. */
const LONG_RUNNING = {
  "sessions against a model of the host": ["model"],
  // HOST_V2=path in the environment puts a real OpenCode 2 in the stand-in's place.
  "the edge of OpenCode 2": ["hooks-v2"],
  "storage and inbox": ["storage", "features/inbox"],
};

/** How many suites of a stage run beside each other, on two cores: with the real host they wait half of their time. */
export const SUITES_AT_A_TIME = 5;

/** All packages, packed once for all suites of this run. */
export const packedFolder = join(realpathSync(tmpdir()), `session-runtime-packed-${process.pid}`);

const PACKING = "the packages, packed";

/** The suites that take longest: they begin first, so that none is left over at the end. */
const BEGIN_FIRST = [
  // What needs the packages comes late; a file that is there before them packs them itself.
  PACKING,
  "the plugin's features",
  "the plugin's layers",
  "the command line",
  "conformance/one-host",
  "conformance/own-plugins",
  "cli/broken-set-ups",
  "two-days",
  "storage and inbox",
  "the edge of OpenCode 2",
  "sessions against a model of the host",
  "historian",
  "hints",
  "jobs-kill",
  "small-feature",
  "tui/queue",
  "money",
  "feature-extensions",
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
 * What a ring runs: stages one after the other, up to SUITES_AT_A_TIME of a stage beside each other. "test" is
 * `npm test`, "hosts" what it leaves out, and "long" all there is, at its full depth. What measures time runs
 * alone. `scratch` is where they put what they throw away; null: where the system has it. `newest` is a host's
 * binary that everything about the real host runs on once more, or null. `counts` says how passes and failures
 * are read: from bun's closing lines, or one check that passes or fails as a whole. `repeats` is what runs once
 * more when something fails: the files with failures, or all of it.
 */
export function stages({ ring, newest, scratch }) {
  const isLong = ring === "long";
  const depth = isLong ? { SCHEDULES: "20000", LONG: "1" } : {};
  const place = scratch === null ? {} : { TMPDIR: scratch };
  const suite = (name, paths) => ({
    name,
    counts: "bun",
    command: hostBinary(),
    env: { BUN_BE_BUN: "1", ...depth, ...place },
    args: testArgs(paths.map((path) => `./${path}`)),
    repeats: "files",
  });
  const files = testFiles().filter((file) => isLong || file.ring === ring);
  const paths = files.map(({ path }) => path);
  const isOfHosts = ({ path, ring }) =>
    path.startsWith("packages/e2e/") && (ring !== "test" || MAIN_JOB.includes(path));
  const ofHosts = files.filter(isOfHosts).map(({ path }) => path);
  const withoutHosts = paths.filter((path) => !ofHosts.includes(path));
  const packing = check(PACKING, process.execPath, ["scripts/pack.mjs", packedFolder]);
  return [
    ring === "hosts" ? [] : checks(),
    [
      onDisk(
        suite(
          "what measures time",
          withoutHosts.filter((path) => RUNS_ALONE.includes(path)),
        ),
      ),
    ],
    [
      ...hostFiles("the real host", {}, ofHosts),
      ...unitSuites(withoutHosts.filter((path) => !RUNS_ALONE.includes(path))),
      ...(ring === "test" ? [] : [packing, underNewerBun()]),
    ].sort((left, right) => beginsAt(left) - beginsAt(right)),
    ...(newest === null
      ? []
      : [hostFiles("the newest host", { OPENCODE_BIN: newest }, ofHosts.filter(isOpenCodes))]),
    ...(isLong
      ? [hostFiles("the oldest Pi", { PI_VERSION: PI_OLDEST }, ofHosts.filter(isPis))]
      : []),
  ].map((stage) =>
    stage.filter(({ args }) => args.length > testArgs([]).length || args[0] !== "test"),
  );

  function checks() {
    return [
      check("types", process.execPath, [
        "node_modules/typescript/bin/tsc",
        ...["--project", "tsconfig.json"],
      ]),
      check("lint", join(root, "node_modules/.bin/biome"), ["check", "--error-on-warnings", "."]),
      {
        ...suite("pure layers, every branch covered", []),
        args: [
          ...testArgs([]),
          ...["--preload", "./packages/plugin/test/coverage/instrument.ts"],
          ...PURE.map((name) => `./packages/plugin/test/${name}/`),
        ],
        // A part of it covers a part of the branches.
        repeats: "whole",
      },
    ];
  }

  function unitSuites(unit) {
    const below = (name) => (path) => path.startsWith(`packages/plugin/test/${name}/`);
    const isIn = (names) => (path) => names.some((name) => below(name)(path));
    const apart = isIn([...PURE, ...Object.values(LONG_RUNNING).flat()]);
    const ofPackage = (name) => unit.filter((path) => path.startsWith(`packages/${name}/`));
    const ofPlugin = ofPackage("plugin");
    const others = ofPlugin.filter((path) => !apart(path));
    const isOfFeature = below("features");
    return [
      withEconomy(suite("the plugin's features", others.filter(isOfFeature))),
      withEconomy(
        suite(
          "the plugin's layers",
          others.filter((path) => !isOfFeature(path)),
        ),
      ),
      ...Object.entries(LONG_RUNNING).map(([name, folders]) =>
        suite(name, ofPlugin.filter(isIn(folders))),
      ),
      suite("the edge to Pi", ofPackage("pi")),
      suite("the command line", ofPackage("cli")),
      suite("the test bench", ofPackage("e2e")),
    ];
  }

  /** What runs on Bun's driver alone has run under the host's Bun; long runs have it under the newer one too. */
  function underNewerBun() {
    const storage = testFiles()
      .map(({ path }) => path)
      .filter((path) => path.startsWith("packages/plugin/test/storage/"));
    return {
      ...suite(
        "storage under the registry's Bun, with node:sqlite",
        storage.filter((path) => isLong || runsOnEachDriver(path)),
      ),
      command: newerBun(),
      env: { ...depth, ...place },
    };
  }

  /** Each file is a suite of its own, so that a free place takes the next one. */
  function hostFiles(title, env, hostPaths) {
    return hostPaths.map((path) => {
      const name = suiteName(path);
      const file = suite(`${title}: ${name}`, [path]);
      const placed = name.startsWith("tui/") ? onDisk(file) : file;
      const packed = ring === "test" ? {} : { PACKED: packedFolder };
      return withEconomy({ ...placed, env: { ...placed.env, ...packed, ...env } });
    });
  }

  /** Where users have it: what is measured there counts, and golden screens show its path. */
  function onDisk(one) {
    const { TMPDIR: _, ...env } = one.env;
    return { ...one, env };
  }

  /** Whose hosts spare what no test looks at; long runs have them as they ship. */
  function withEconomy(one) {
    return isLong ? one : { ...one, env: { ...one.env, HOST_ECONOMY: "1" } };
  }
}

/** What a ring leaves out, for its last lines. */
export function leftOut(ring) {
  const count = (name) => testFiles().filter((file) => file.ring === name).length;
  const long = `${count("long")} files of long runs, and rows and depths of others (npm run test:long)`;
  if (ring === "test") {
    const hosts = `${count("hosts")} files that need a real host or a program such as tmux (npm run test:hosts)`;
    return [hosts, long];
  }
  return ring === "hosts" ? ["what npm test runs", long] : [];
}

/** `pi/bill` of packages/e2e/test/pi/bill.test.ts */
function suiteName(path) {
  return path.slice("packages/e2e/test/".length, -".test.ts".length);
}

/** Whether a test of the real host is about OpenCode; the others are about Pi. */
function isOpenCodes(path) {
  return !isPis(path);
}

function isPis(path) {
  return suiteName(path).startsWith("pi/");
}

/** The place of a suite in the queue: those of BEGIN_FIRST in its order, then the others in theirs. */
function beginsAt({ name }) {
  const place = BEGIN_FIRST.findIndex((first) => name === first || name.endsWith(`: ${first}`));
  return place === -1 ? BEGIN_FIRST.length : place;
}

function check(name, command, args) {
  return { name, counts: "whole", command, env: {}, args, repeats: "whole" };
}

/** Whether it runs on node:sqlite where there is one. */
function runsOnEachDriver(path) {
  return readFileSync(join(root, path), "utf8").includes("describeOnEachDriver(");
}
