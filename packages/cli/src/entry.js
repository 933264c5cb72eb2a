#!/usr/bin/env node
// The first file that runs: it refuses a Node that is too old before anything that needs a newer one loads.
// It is shipped unbundled, without static imports, and every Node that has `import()` can read it.

/** Repeats `engines` of package.json, since importing that would load a file first. */
const NEEDED = "20.12";

const [neededMajor = 0, neededMinor = 0] = NEEDED.split(".").map(Number);
const version = process.version.replace(/^v/, "");
const [major = 0, minor = 0] = version.split(".").map(Number);
const isOld = major < neededMajor || (major === neededMajor && minor < neededMinor);

if (isOld) {
  const message = `session-runtime needs Node ${NEEDED} or later; this is Node ${version} (${process.execPath}).`;
  const advice = "Install a newer Node: https://nodejs.org. Nothing was done.";
  if (process.argv.includes("--json")) {
    process.stdout.write(
      `${JSON.stringify({ error: { code: "node-too-old", message, advice } }, null, 2)}\n`,
    );
  } else process.stderr.write(`error: ${message}\n  ${advice}\n`);
  // The code is that of EXIT.missing: something required is missing.
  process.exitCode = 4;
} else {
  void import("./main.js");
}
