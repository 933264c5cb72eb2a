// `npm run mutate`: mutation testing. What its words mean: scripts/mutate/options.mjs.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureInstalled, root as repository } from "./install.mjs";
import { identity, readAccepted, staleRecords, withRecords } from "./mutate/accepted.mjs";
import { readOptions, USAGE } from "./mutate/options.mjs";
import { createProgress } from "./mutate/progress.mjs";
import {
  renderDiff,
  rowsByFile,
  rowsByFolder,
  survivors,
  table,
  writeReport,
} from "./mutate/report.mjs";
import { likelyPercents, takeSample } from "./mutate/sample.mjs";
import { changedSince, chosenFiles, findOwnTests, findTests } from "./mutate/sources.mjs";

/** Fewer mutants than that are not worth a process that takes many. */
const MANY = 3;

ensureInstalled();
const options = readOptions(process.argv.slice(2));
if (options.help) {
  console.log(USAGE);
  process.exit(0);
}
const setting = await loadSetting(options.config);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "mutation-")));
// Some tests work as another user.
chmodSync(folder, 0o755);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
if ((await mutate()) !== 0) process.exitCode = 1;

/** The exit code: 1 if a bar is missed or a record is stale. */
async function mutate() {
  const startedAt = Date.now();
  const chosen = chosenFiles(setting, options.words);
  const files = options.since ? changedSince(setting, options.since, chosen) : chosen;
  if (files.length === 0) {
    console.log("No source file to mutate.");
    return 0;
  }
  // After the installation: these need what was installed.
  const { instrument } = await import("./mutate/instrument.mjs");
  const instrumented = join(folder, "instrumented");
  const all = await instrument(setting, files, instrumented);
  const former = options.survivors ? formerStatuses() : new Map();
  const named = all.filter((mutant) => isNamed(mutant, options.words));
  const { sample, seed } = options;
  const wanted = sample === null ? named : takeSample(named, sample, seed);
  const carried = wanted.flatMap((mutant) => {
    const status = former.get(identity(mutant));
    return status === undefined ? [] : [{ ...mutant, status, killedBy: null, output: "" }];
  });
  const toRun = wanted.filter((mutant) => !former.has(identity(mutant)));
  const ran = await runAll(toRun, files, instrumented);
  const mutants = withRecords(
    inOrder([...carried, ...ran], wanted),
    readAccepted(setting.accepted),
  );
  return conclude(mutants, { files, wholeFiles: wanted.length === all.length, startedAt });
}

async function runAll(mutants, files, instrumented) {
  const { dryRun } = await import("./mutate/dry-run.mjs");
  const { mutantRuns, OTHERS_MS } = await import("./mutate/mutant-run.mjs");
  const { inParallel } = await import("./mutate/pool.mjs");
  const { compiling } = await import("./mutate/compiling.mjs");
  const scratch = join(folder, "scratch");
  mkdirSync(scratch);
  chmodSync(scratch, 0o1777);
  const env = {
    MUTATION_SOURCES: join(setting.root, setting.sources),
    MUTATION_FOLDER: instrumented,
    TMPDIR: scratch,
  };
  if (mutants.length === 0) return [];
  const reaching = findTests(setting, files, options.thorough ? "thorough" : "quick");
  const own = new Set(files.flatMap((file) => [...findOwnTests(setting, file, reaching)]));
  const tests = options.own ? reaching.filter((path) => own.has(path)) : reaching;
  const dry = createProgress("Tests without mutants", tests.length);
  const { runs, failures } = await dryRun(setting, tests, {
    folder,
    env,
    workers: options.workers,
    onDone: () => dry.advance(""),
  });
  for (const failure of failures) {
    console.error(`Left out, as it fails with no mutant active: ${failure}\n`);
    process.exitCode = 1;
  }
  const found = await screenedFirst(mutants, runs, env);
  // The tests of the sources' own folders are few: on a busy machine a limit would let mutants live that they notice.
  const isWithoutLimit = options.thorough || options.own;
  const othersMs = isWithoutLimit ? Number.POSITIVE_INFINITY : OTHERS_MS;
  const runMutant = mutantRuns(setting, runs, { env, othersMs });
  const progress = createProgress("Mutants", mutants.length);
  let survived = 0;
  const results = await inParallel(options.workers, mutants, async (mutant) => {
    const result = { ...mutant, ...(found.get(mutant.id) ?? (await runMutant(mutant))) };
    if (["survived", "no test"].includes(result.status)) survived += 1;
    progress.advance(`${survived} survived`);
    return result;
  });
  return compiling(setting, results);
}

/**
 * By id what came out for mutants that many of share a process. The rest run in processes of their own:
 * those that this can't decide and, with slow tests, those that survived.
 */
async function screenedFirst(mutants, runs, env) {
  if (mutants.length <= MANY) return new Map();
  const { screened } = await import("./mutate/screen.mjs");
  const progress = createProgress("Many mutants in one process", mutants.length);
  const files = runs.map(({ path }) => path);
  const known = new Map(
    withRecords(mutants, readAccepted(setting.accepted)).map((mutant) => [mutant.id, mutant]),
  );
  const decided = options.thorough ? ["killed", "timed out"] : ["killed", "timed out", "survived"];
  let survived = 0;
  const found = await screened(setting, mutants, files, {
    ...{ folder, env, workers: options.workers },
    onResult({ id, status }) {
      if (status === "survived") {
        survived += 1;
        if (known.get(id).record === null) console.error(renderDiff({ ...known.get(id), status }));
      }
      progress.advance(`${survived} survived`);
    },
  });
  return new Map([...found].filter(([, { status }]) => decided.includes(status)));
}

/** Shows and writes what came out. */
function conclude(mutants, { files, wholeFiles, startedAt }) {
  const { bars } = setting;
  const stale = wholeFiles ? staleRecords(mutants, readAccepted(setting.accepted), files) : [];
  if (mutants.length === 1) console.log(mutants[0].output);
  console.log(survivors(mutants, "new").map(renderDiff).join("\n\n"));
  const folders = rowsByFolder(mutants, bars);
  console.log(`\n${table([...rowsByFile(mutants), ...folders])}`);
  if (options.sample !== null) for (const row of folders) console.log(sampleText(row));
  if (wholeFiles) {
    writeReport(setting.reports, { mutants, bars, stale, tookMs: Date.now() - startedAt });
    console.log(`\nThe report: ${setting.reports}/report.md`);
  }
  for (const { file, code, mutator } of stale) {
    console.log(`Stale record: ${file}: ${code} (${mutator}): no such mutant survives. Remove it.`);
  }
  // Of a few files of a folder, or a single mutant, nothing follows for the folder.
  const whole = new Set(folders.filter(({ name }) => isWhole(name, files)).map(({ name }) => name));
  const missed = folders.filter(
    ({ name, bar, percent }) => wholeFiles && whole.has(name) && bar !== null && percent < bar,
  );
  for (const { name, bar } of missed) console.log(`${name} is below its bar of ${bar} per cent.`);
  return missed.length + stale.length > 0 ? 1 : 0;
}

function sampleText({ name, mutants, killed, timedOut }) {
  const noticed = killed + timedOut;
  const { from, to } = likelyPercents(noticed, mutants);
  return `${name} ${noticed} of ${mutants} in a sample of ${options.sample} with the seed ${options.seed}: all of it likely lies between ${from.toFixed(0)} and ${to.toFixed(0)} per cent.`;
}

function isWhole(entry, files) {
  return chosenFiles(setting, [entry]).every((file) => files.includes(file));
}

/** `FILE:LINE`, `FILE:LINE:COLUMN` and `FILE:LINE:COLUMN#N` name some mutants of a file only. */
function isNamed({ place, file }, words) {
  const places = words
    .map((word) => word.replace(`${setting.sources}/`, ""))
    .filter((word) => word.startsWith(`${file}:`));
  return (
    places.length === 0 ||
    places.some(
      (word) =>
        place === word || (/^[:#]/.test(place.slice(word.length)) && place.startsWith(word)),
    )
  );
}

/** By mutant what the last report says of those that were noticed or don't compile. */
function formerStatuses() {
  const file = join(setting.reports, "report.json");
  if (!existsSync(file)) throw new Error("There is no report yet: run without --survivors first.");
  const { mutants } = JSON.parse(readFileSync(file, "utf8"));
  return new Map(
    mutants
      .filter(({ status }) => !["survived", "no test"].includes(status))
      .map((mutant) => [identity(mutant), mutant.status]),
  );
}

function inOrder(mutants, order) {
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  return order.map(({ id }) => byId.get(id));
}

/** Where everything is: the project's own places, or those that a file of `--config` gives. */
async function loadSetting(file) {
  const own = join(repository, "scripts/mutate/config.mjs");
  const path = file === undefined ? own : resolve(file);
  const { config } = await import(pathToFileURL(path).href);
  return {
    root: realpathSync(config.root ?? repository),
    accepted: config.accepted ?? join(repository, "scripts/mutate/accepted.json"),
    reports: config.reports ?? join(repository, "mutation"),
    ...config,
  };
}
