// The command `session-runtime` that setup installs: where it goes, what it starts, and that it leaves no trace.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import manifest from "../../package.json" with { type: "json" };
import { isLauncher, launcherText } from "../../src/launcher-file.ts";
import { planLauncher } from "../../src/setup/launcher.ts";
import { bundledCli, type CommandOutput, runCli } from "../command-line.ts";
import { makeHome, type ThrowawayHome } from "../throwaway-home.ts";

setDefaultTimeout(600_000);

const SETUP = ["setup", "--yes", "--no-check", "--spec", "./plugin"] as const;
const LAUNCHER = ".local/bin/session-runtime";

function homeWithPlugin(): ThrowawayHome {
  const home = makeHome();
  home.write("plugin/package.json", '{"name":"@session-runtime/opencode","exports":{}}');
  return home;
}

function runWithPath(
  home: ThrowawayHome,
  path: string,
  ...words: readonly string[]
): Promise<CommandOutput> {
  return runCli(words, { ...home.env, PATH: path }, home.root);
}

const systemPath = process.env.PATH ?? "";

test("setup installs it where a shell looks; it starts the command line from any folder", async () => {
  const home = homeWithPlugin();
  const path = `${home.path(".local/bin")}:${systemPath}`;
  const { out } = await runWithPath(home, path, ...SETUP);
  expect(out).toContain("~/.local/bin/session-runtime (new file)");
  expect(out).not.toContain("is not on your PATH");
  expect(out).toContain("To remove it: session-runtime setup --remove");
  expect(statSync(home.path(LAUNCHER)).mode & 0o777).toBe(0o755);
  const elsewhere = home.path("elsewhere");
  mkdirSync(elsewhere);
  const started = Bun.spawnSync(["sh", "-c", "session-runtime --version; session-runtime docter"], {
    cwd: elsewhere,
    env: { ...home.env, PATH: path },
  });
  expect(started.stdout.toString()).toBe(`${manifest.version}\n`);
  expect(started.stderr.toString()).toContain("session-runtime --help lists all commands.");
});

test("--remove leaves no trace of it, nor of the folder that was made for it", async () => {
  const home = homeWithPlugin();
  mkdirSync(home.path(".local"));
  const before = home.files();
  await home.run(...SETUP);
  expect(home.files()).toContain(LAUNCHER);
  const { exitCode } = await home.run("setup", "--remove", "--yes");
  expect(exitCode).toBe(0);
  expect(home.files()).toEqual(before);
  expect(statSync(home.path(".local/bin"), { throwIfNoEntry: false })).toBeUndefined();
});

test("it stays as long as one set-up is left: it goes with the last", async () => {
  const home = homeWithPlugin();
  await home.run(...SETUP);
  await home.run(...SETUP, "--project");
  await home.run("setup", "--remove", "--yes");
  expect(home.files()).toContain(LAUNCHER);
  await home.run("setup", "--remove", "--yes", "--project");
  expect(home.files()).not.toContain(LAUNCHER);
});

test("where a shell doesn't look, setup says what to put into the start-up file", async () => {
  const { out } = await homeWithPlugin().run(...SETUP);
  expect(out).toContain("/.local/bin is not on your PATH");
  expect(out).toContain('export PATH="$HOME/.local/bin:$PATH"');
});

test("--launcher chooses the folder, --no-launcher does without", async () => {
  const home = homeWithPlugin();
  await home.run(...SETUP, "--launcher", "tools");
  expect(home.files()).toContain("tools/session-runtime");
  const other = homeWithPlugin();
  await other.run(...SETUP, "--no-launcher");
  expect(other.files().filter((file) => file.endsWith("/session-runtime"))).toEqual([]);
});

test("a file of somebody else's by that name is never overwritten, and never removed", async () => {
  const home = homeWithPlugin();
  home.write(LAUNCHER, "#!/bin/sh\necho mine\n");
  const { out, exitCode } = await home.run(...SETUP);
  expect(exitCode).toBe(0);
  expect(out).toContain(".local/bin/session-runtime already exists");
  const named = await home.run(...SETUP, "--launcher", ".local/bin");
  expect(named.exitCode).toBe(2);
  expect(named.err).toContain("already exists, and is not Session Runtime's.");
  await home.run("setup", "--remove", "--yes");
  expect(home.read(LAUNCHER)).toBe("#!/bin/sh\necho mine\n");
});

test("a launcher that somebody has changed is theirs: --remove leaves it", async () => {
  const home = homeWithPlugin();
  await home.run(...SETUP);
  writeFileSync(home.path(LAUNCHER), `${home.read(LAUNCHER)}# mine\n`);
  await home.run("setup", "--remove", "--yes");
  expect(home.read(LAUNCHER)).toEndWith("# mine\n");
});

test("after its clone has moved it says so, and setup in the new place corrects it", async () => {
  const home = homeWithPlugin();
  const gone = {
    kind: "script",
    node: process.execPath,
    script: home.path("old's/gone.js"),
  } as const;
  home.write(LAUNCHER, launcherText(gone));
  const started = Bun.spawnSync(["sh", home.path(LAUNCHER), "status"]);
  expect(started.exitCode).toBe(4);
  expect(started.stderr.toString()).toContain(`Session Runtime is no longer at ${gone.script}.`);
  expect(started.stderr.toString()).toContain("`npm run cli -- setup`");
  await home.run(...SETUP);
  expect(home.read(LAUNCHER)).toContain(bundledCli());
});

test("it starts with another Node where the one of the setup is gone", () => {
  const home = makeHome();
  const program = { kind: "script", node: home.path("gone"), script: bundledCli() } as const;
  home.write(LAUNCHER, launcherText(program));
  const { stdout } = Bun.spawnSync(["sh", home.path(LAUNCHER), "--version"]);
  expect(stdout.toString()).toBe(`${manifest.version}\n`);
});

test("a launcher of ours is known by its whole text", () => {
  const text = launcherText({ kind: "script", node: "/a b/no'de", script: "/c.js" });
  expect(isLauncher(text)).toBe(true);
  expect(isLauncher(launcherText({ kind: "npx", spec: "session-runtime@1.2.3" }))).toBe(true);
  const packed = { kind: "npx", spec: "file:/a b/no'de/session-runtime-1.2.3.tgz" } as const;
  expect(isLauncher(launcherText(packed))).toBe(true);
  expect(isLauncher(`${text}\n`)).toBe(false);
  expect(isLauncher('#!/bin/sh\nexec npx --yes session-runtime@1 "$@"\n')).toBe(false);
});

test("the usual folder is one of the user's own that a shell looks into, and none of npm's", () => {
  const home = makeHome();
  mkdirSync(home.path("tools"));
  mkdirSync(home.path("clone/node_modules/.bin"), { recursive: true });
  const PATH = [home.path("clone/node_modules/.bin"), "/usr/bin", home.path("tools")].join(":");
  const env = { HOME: home.root, PATH };
  const program = { kind: "npx", spec: "session-runtime@1.0.0" } as const;
  const plan = (platform: NodeJS.Platform) =>
    planLauncher({ kind: "usual" }, program, { env, platform });
  expect(plan("linux").change?.path).toBe(home.path("tools/session-runtime"));
  expect(plan("linux").note).toBeNull();
  expect(plan("win32").change).toBeNull();
  expect(plan("win32").note).toContain("On Windows setup does not install the command");
});
