// Before the first release: what `npm run pack` makes runs by npx, from any folder.
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { usePackages } from "./stage.ts";

const stage = usePackages();

function home(name: string) {
  const root = join(stage.folder, name);
  const opencode = join(root, "bin/opencode");
  mkdirSync(join(root, "elsewhere"), { recursive: true });
  mkdirSync(dirname(opencode));
  writeFileSync(opencode, "#!/bin/sh\necho 1.18.33\n");
  chmodSync(opencode, 0o755);
  const env = {
    PATH: `${join(root, "tools")}:${process.env.PATH}`,
    HOME: root,
    OPENCODE_BIN: opencode,
  };
  const ran = (command: readonly string[]) => {
    const cwd = join(root, "elsewhere");
    const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env });
    return { exitCode, out: stdout.toString(), err: stderr.toString() };
  };
  return { root, ran };
}

test("the packed archive runs by npx, sets up the plugin that was packed with it, and names itself", () => {
  const { root, ran } = home("by-npx");
  const spec = `file:${stage.cli.tarball}`;
  const npx = (...words: readonly string[]) => ran(["npx", "--yes", "--offline", spec, ...words]);
  expect(npx("--version").out).toBe(`${stage.cli.version}\n`);
  expect(npx("docter").err).toContain(`npx ${spec} --help lists all commands.`);
  const tools = join(root, "tools");
  const flags = ["--yes", "--no-check", "--global", "--host", "opencode", "--launcher", tools];
  const set = npx("setup", ...flags);
  expect({ err: set.err, exitCode: set.exitCode }).toMatchObject({ exitCode: 0 });
  const config = readFileSync(join(root, ".config/opencode/opencode.jsonc"), "utf8");
  expect(config).toContain(JSON.stringify(stage.plugin.folder));
  // The command that setup has installed gets the same archive, in whatever cache npx has then.
  const launcher = join(tools, "session-runtime");
  expect(readFileSync(launcher, "utf8")).toContain(`exec npx --yes '${spec}' "$@"`);
  expect(ran([launcher, "--version"]).out).toBe(`${stage.cli.version}\n`);
  expect(npx("setup", "--remove", "--yes").exitCode).toBe(0);
});
