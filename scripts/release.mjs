// Releases all packages, in two steps:
//   node scripts/release.mjs prepare patch|minor|major|VERSION [--dry-run]
//     on a clean tree: checks, builds and packs, moves the changelog's entries under the version,
//     writes the version, commits and tags. Nothing leaves the machine.
//   node scripts/release.mjs publish [--dry-run]
//     in CI, on the tag: the same checks, then npm publish with provenance.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, root } from "./install.mjs";
import { hasVersion, released, unreleased } from "./release/changelog.mjs";
import { currentVersion, nextVersion, writeVersion } from "./release/versions.mjs";

const USAGE = "node scripts/release.mjs prepare patch|minor|major|VERSION | publish  [--dry-run]";
const CHANGELOG = join(root, "CHANGELOG.md");

try {
  ensureInstalled();
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`Not released: ${error.message}`);
  process.exit(1);
}

async function main(args) {
  const mode = args.includes("--dry-run") ? "dry-run" : "real";
  const [command, wanted] = args.filter((arg) => !arg.startsWith("--"));
  requireCleanTree();
  if (command === "prepare" && wanted !== undefined) await prepare(wanted, mode);
  else if (command === "publish" && wanted === undefined) await publish(mode);
  else throw new Error(`usage: ${USAGE}`);
}

async function prepare(wanted, mode) {
  const { withCheckedPackages } = await import("./release/check-packages.mjs");
  const former = currentVersion();
  const version = nextVersion(former, wanted);
  const changelog = readFileSync(CHANGELOG, "utf8");
  const next = released(changelog, version, new Date().toISOString().slice(0, 10));
  await withCheckedPackages(describePackages);
  console.log(`\n${former} → ${version}\n\n${unreleased(changelog)}\n`);
  if (mode === "dry-run") {
    console.log("Dry run: nothing was changed.");
    return;
  }
  writeFileSync(CHANGELOG, next);
  const paths = [...writeVersion(version), "CHANGELOG.md"];
  git("commit", "--quiet", "--message", `Release ${version}`, "--", ...paths);
  git("tag", "--annotate", `v${version}`, "--message", `Release ${version}`);
  console.log(`Committed and tagged v${version}. Pushing the tag makes CI publish it:`);
  console.log(`  git push origin HEAD v${version}`);
}

async function publish(mode) {
  const { withCheckedPackages } = await import("./release/check-packages.mjs");
  const version = currentVersion();
  const tags = git("tag", "--points-at", "HEAD").split("\n");
  if (!tags.includes(`v${version}`)) {
    throw new Error(`HEAD is not tagged v${version}: run "prepare" first, and publish its tag.`);
  }
  if (!hasVersion(readFileSync(CHANGELOG, "utf8"), version)) {
    throw new Error(`CHANGELOG.md says nothing of ${version}.`);
  }
  if (mode === "real") requireCi();
  await withCheckedPackages((packages) => {
    describePackages(packages);
    for (const packed of packages) publishOne(packed, mode);
  });
}

/** Provenance is a statement of the machine that builds: it can be made in CI only. */
function requireCi() {
  if (process.env.GITHUB_ACTIONS && process.env.ACTIONS_ID_TOKEN_REQUEST_URL) return;
  throw new Error(
    "packages are published by CI alone, with provenance: push the tag. --dry-run shows what would go out.",
  );
}

function publishOne({ tarball, name, version }, mode) {
  const how = mode === "real" ? ["--provenance"] : ["--dry-run", "--no-provenance"];
  const args = ["publish", tarball, "--access", "public", "--ignore-scripts", ...how];
  const { status } = spawnSync("npm", args, { stdio: "inherit", shell: shellForNpm() });
  if (status !== 0) throw new Error(`npm publish of ${name} ${version} failed; see above.`);
}

function describePackages(packages) {
  for (const { name, files, bytes } of packages) {
    console.log(`${name}: ${files.length} files, ${Math.ceil(bytes / 1024)} KiB packed`);
  }
}

function requireCleanTree() {
  const changed = git("status", "--porcelain");
  if (changed !== "") throw new Error(`there are changes that are not committed:\n${changed}`);
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr.trim()}`);
  return stdout.trim();
}

function shellForNpm() {
  return process.platform === "win32";
}
