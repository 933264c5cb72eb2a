// `npm test`, `npm run test:hosts` and `npm run test:long`, the rings of tests: installs if need be, runs every
// suite of the ring that `--ring NAME` names, and closes with `N passed, N failed`. `--only WORD` runs the suites
// whose name has it. HOST_VERSION=1.18.30 (or latest) in the environment runs all of it on that host,
// PI_VERSION=1.5.2 the tests of Pi.
// Folder: The repository's commands: test, build, pack, release.
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { PINNED_OPENCODE } from "./fetch/opencode.mjs";
import { hostBinary, newestHost, versionBinary } from "./host-binary.mjs";
import { ensureInstalled } from "./install.mjs";
import { memoryFolder } from "./memory-folder.mjs";
import { installPi } from "./pi-install.mjs";
import { afterRepeat, planRepeat } from "./suite-repeat.mjs";
import { countOutcomes, runSuite } from "./suite-run.mjs";
import { ensureSystemTools } from "./system-tools.mjs";

const args = process.argv.slice(2);
const valueAfter = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const ring = valueAfter("--ring") ?? "test";
const only = valueAfter("--only") ?? "";
ensureInstalled();
if (ring !== "test") {
  for (const name of ensureSystemTools()) console.log(`Tests that need ${name} are skipped.`);
}
fetchHosts();
// After the installation: they look for what was installed.
const { leftOut, packedFolder, stages, SUITES_AT_A_TIME } = await import("./suites.mjs");
process.on("exit", () => rmSync(packedFolder, { recursive: true, force: true }));
const HOST_PORT = 4096;
/** More suites than this that fail at once are a fault of the code, not of a busy machine. */
const REPEATED_AT_MOST = 5;
const total = { passed: 0, failed: 0, processorSeconds: 0 };
/** What failed: of each suite of tests it runs once more, alone. */
const failures = [];
const startedAt = Date.now();

await holdHostPort();

const newest = ring === "long" ? newestBinary() : null;
const scratch = ring === "long" ? null : memoryFolder();
for (const stage of stages({ ring, newest, scratch })) {
  const waiting = stage.filter(({ name }) => name.includes(only));
  const places = Array.from({ length: SUITES_AT_A_TIME }, () => takeFrom(waiting));
  await Promise.all(places);
}

await repeatFailures();

for (const what of leftOut(ring)) console.log(`Left out: ${what}.`);
console.log(
  `\nIn ${seconds(startedAt)} s, with ${total.processorSeconds.toFixed(0)} s of the processor`,
);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

/** Before all tests, so that its progress is seen; a test of Pi says itself why it can't run. */
function fetchHosts() {
  try {
    hostBinary();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
  try {
    installPi();
  } catch (error) {
    console.error(`Tests of Pi are skipped. ${error.message}`);
  }
}

/**
 * Keeps the port that every host takes before any other, if it is free. Else the host of one suite would
 * come to where that of another has just been killed, and be found there by what waits for that one.
 */
async function holdHostPort() {
  const holder = createServer((socket) => socket.destroy());
  holder.unref();
  await new Promise((resolve) => {
    // Taken: by an OpenCode of the user's own, which keeps it as well.
    holder.once("error", resolve);
    holder.listen(HOST_PORT, "127.0.0.1", resolve);
  });
}

/** The host that the registry calls latest; null where that is the pinned one or can't be had. */
function newestBinary() {
  try {
    const newest = newestHost();
    if (newest !== PINNED_OPENCODE) return versionBinary(newest);
    console.log(`The newest host is the pinned one, ${newest}.`);
  } catch (error) {
    console.log(`■ the newest host: 0 passed, 1 failed: ${error.message}`);
    total.failed += 1;
  }
  return null;
}

/**
 * Repeats what failed of each suite, alone, and lists at the end, where it is found, what fails still. A test
 * that waits for a host can be late on a busy machine; one that passes alone is listed as unsteady, with its
 * first output above, so that nobody takes it for sound.
 */
async function repeatFailures() {
  const areMany = failures.length > REPEATED_AT_MOST;
  const closing = [];
  for (const { suite, result } of failures) {
    const repeat = planRepeat(suite, result);
    if (areMany || suite.counts !== "bun") closing.push([`✗ ${suite.name}`, ...repeat.failing]);
    else closing.push(...(await runAgain(repeat)));
  }
  for (const lines of closing) console.log(lines.join("\n  "));
}

/** Corrects the totals, and gives what is to be said at the end: what is unsteady, and what fails still. */
async function runAgain(repeat) {
  const { name } = repeat.suite;
  const result = await report(repeat.suite, "what failed, once more, alone");
  const { change, unsteady, failing } = afterRepeat(repeat, result);
  total.passed += change.passed;
  total.failed += change.failed;
  const isSound = repeat.first.failed + change.failed === 0;
  const line = `! Unsteady in ${name}: failed at first, passed when run again, alone`;
  return [
    ...(unsteady.length > 0 || isSound ? [[line, ...unsteady]] : []),
    ...(isSound ? [] : [[`✗ ${name}`, ...failing]]),
  ];
}

/** Runs one suite after the other, as long as there are any. */
async function takeFrom(waiting) {
  for (let suite = waiting.shift(); suite; suite = waiting.shift()) {
    const result = await report(suite, "");
    const { passed, failed } = countOutcomes(suite, result);
    total.passed += passed;
    total.failed += failed;
    if (failed > 0) failures.push({ suite, result });
  }
}

/** Suites run beside each other: what one prints comes whole, when it is done. */
async function report(suite, manner) {
  const since = Date.now();
  const title = manner === "" ? suite.name : `${suite.name}, ${manner}`;
  console.log(`▶ ${title}`);
  const result = await runSuite(suite);
  const { output } = result;
  const counts = countOutcomes(suite, result);
  console.log(counts.failed === 0 ? closingLines(output) : output);
  const processor = `${result.processorSeconds.toFixed(1)} s of the processor`;
  console.log(
    `■ ${title}: ${counts.passed} passed, ${counts.failed} failed, ${seconds(since)} s, ${processor}`,
  );
  total.processorSeconds += result.processorSeconds;
  return result;
}

/** Of a suite that passed, what it says beside its passes: skipped tests with their reason, coverage. */
function closingLines(output) {
  const said = output.split("\n").filter((line) => /^\(skip\)|^coverage:|^Ran \d/.test(line));
  return said.map((line) => `  ${line}`).join("\n");
}

function seconds(since) {
  return ((Date.now() - since) / 1000).toFixed(1);
}
