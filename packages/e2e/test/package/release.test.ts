import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNpmRegistry } from "../../src/package/registry.ts";
import { longTest } from "../long.ts";

const ROOT = join(import.meta.dir, "../../../..");
const TIMEOUT_MS = 400_000;

setDefaultTimeout(TIMEOUT_MS);

let clone = "";
const registry = startNpmRegistry([]);

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=release", "-c", "user.email=release@localhost"];
  const { success, stdout, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd });
  if (!success) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
  return stdout.toString().trim();
}

/** The workspace as it stands, as a repository of its own: what is not committed here is there. */
beforeAll(() => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-release-test-")));
  const files = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  for (const path of files
    .split("\0")
    .filter((name) => name !== "" && existsSync(join(ROOT, name)))) {
    cpSync(join(ROOT, path), join(clone, path));
  }
  for (const folder of [".", "packages/plugin", "packages/cli"]) {
    const modules = join(ROOT, folder, "node_modules");
    if (existsSync(modules)) symlinkSync(modules, join(clone, folder, "node_modules"));
  }
  git(clone, "init", "--quiet", "--initial-branch=main");
  git(clone, "config", "user.name", "release");
  git(clone, "config", "user.email", "release@localhost");
  appendFileSync(join(clone, ".git/info/exclude"), "node_modules\n");
  git(clone, "add", "--all");
  git(clone, "commit", "--quiet", "--message", "All of it");
}, TIMEOUT_MS);

afterAll(async () => {
  await registry.stop();
  rmSync(clone, { recursive: true, force: true });
});

/** As outside of CI, with a registry that has nothing; it answers from this very process. */
async function release(...args: readonly string[]) {
  const { GITHUB_ACTIONS: _, ...env } = process.env;
  const child = Bun.spawn(["node", "scripts/release.mjs", ...args], {
    cwd: clone,
    env: { ...env, npm_config_registry: registry.url },
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, said: said.join("") };
}

function read(path: string): string {
  return readFileSync(join(clone, path), "utf8");
}

/** Changes a file and commits it, and takes that back after `work`. */
async function withChange(path: string, text: string, work: () => Promise<void>) {
  writeFileSync(join(clone, path), text);
  git(clone, "commit", "--quiet", "--all", "--message", "A change");
  try {
    await work();
  } finally {
    git(clone, "reset", "--quiet", "--hard", "HEAD~1");
  }
}

test("a release is refused on a tree with changes, and they are named", async () => {
  appendFileSync(join(clone, "README.md"), "\nMore.\n");
  const { exitCode, said } = await release("prepare", "minor");
  expect(exitCode).toBe(1);
  expect(said).toContain("not committed");
  expect(said).toContain("README.md");
  git(clone, "checkout", "--quiet", "README.md");
});

test("a release is refused where the changelog tells of nothing new", async () => {
  await withChange(
    "CHANGELOG.md",
    "# Changelog\n\n## Unreleased\n\n## 0.0.1 - 2026-01-01\n- All\n",
    async () => {
      const { exitCode, said } = await release("prepare", "minor");
      expect(exitCode).toBe(1);
      expect(said).toContain("CHANGELOG.md says of nothing that is new");
    },
  );
});

test("a release is refused where the packages have different versions, or the new one is no later one", async () => {
  const manifest = JSON.parse(read("packages/cli/package.json"));
  await withChange(
    "packages/cli/package.json",
    JSON.stringify({ ...manifest, version: "9.0.0" }),
    async () => {
      expect((await release("prepare", "minor")).said).toContain("out of step");
    },
  );
  expect((await release("prepare", manifest.version)).said).toContain("is not later than");
  expect((await release("prepare", "0.0.1")).said).toContain("is not later than");
  expect((await release("prepare", "soon")).said).toContain("neither a version");
  expect((await release("prepare")).said).toContain("usage:");
});

longTest("a dry run builds, packs and checks, shows what is new, and changes nothing", async () => {
  const { exitCode, said } = await release("prepare", "minor", "--dry-run");
  expect(said).toContain("@session-runtime/opencode: ");
  expect(said).toMatch(/0\.\d+\.\d+ → 0\.\d+\.0/);
  expect(said).toContain("### The prompt cache");
  expect(said).toContain("Dry run");
  expect(exitCode).toBe(0);
  expect(git(clone, "status", "--porcelain")).toBe("");
  expect(git(clone, "tag")).toBe("");
});

longTest(
  "prepare moves the entries under the version, sets it everywhere, commits and tags; only CI publishes",
  async () => {
    const { exitCode, said } = await release("prepare", "7.0.0");
    expect(said).toContain("tagged v7.0.0");
    expect(exitCode).toBe(0);
    expect(git(clone, "status", "--porcelain")).toBe("");
    expect(git(clone, "tag", "--points-at", "HEAD")).toBe("v7.0.0");
    expect(read("CHANGELOG.md")).toMatch(
      /## Unreleased\n\n## 7\.0\.0 - \d{4}-\d\d-\d\d\n\nThe first version, by use\.\n\n### The prompt cache\n- /,
    );
    const lock = JSON.parse(read("package-lock.json"));
    for (const folder of ["packages/plugin", "packages/cli", "packages/pi"]) {
      expect(JSON.parse(read(`${folder}/package.json`)).version).toBe("7.0.0");
      expect(lock.packages[folder].version).toBe("7.0.0");
    }

    const outside = await release("publish");
    expect(outside.exitCode).toBe(1);
    expect(outside.said).toContain("by CI alone");

    const dry = await release("publish", "--dry-run");
    expect(dry.said).toContain("@session-runtime/opencode@7.0.0");
    expect(dry.said).toContain("session-runtime@7.0.0");
    expect(dry.exitCode).toBe(0);
  },
);

test("what is not tagged is not published", async () => {
  git(clone, "commit", "--quiet", "--allow-empty", "--message", "Later");
  const { exitCode, said } = await release("publish", "--dry-run");
  expect(exitCode).toBe(1);
  expect(said).toContain("is not tagged");
});

test("the release workflow publishes on a tag, may make provenance, and keeps no token", async () => {
  const workflow = readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8");
  expect(workflow).toContain('tags: ["v*"]');
  expect(workflow).toContain("id-token: write");
  expect(workflow).toContain("node scripts/release.mjs publish");
  expect(workflow).not.toMatch(/secrets\.|_authToken|NPM_TOKEN/);
});
