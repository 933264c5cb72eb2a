import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { installPi, PI_VERSION } from "../../../../scripts/pi-install.mjs";
import { runCli } from "../../../cli/test/command-line.ts";
import { writeFiles } from "../../src/host/home.ts";
import { isObject, objects } from "../../src/json.ts";
import { type NpmRegistry, startNpmRegistry } from "../../src/package/registry.ts";
import { missingPi, openPi, type PiHome, type PiProcess } from "../../src/pi/pi.ts";
import { usePackages } from "../package/stage.ts";

// The package for Pi as it is published, installed into the real Pi in each way that there is.

const stage = usePackages();

describe.skipIf(missingPi !== null)(missingPi ?? "the package on Pi", () => {
  let pi: PiHome;
  let program: string;
  let path: string;
  let before: string;
  let registry: NpmRegistry;

  beforeAll(async () => {
    registry = startNpmRegistry([stage.pi]);
    pi = await openPi({ files: { "AGENTS.md": "Use tabs.\n" } });
    const { node, program: script } = installPi();
    program = join(pi.root, "pi");
    // Whoever has Pi has its Node first on PATH, and with it SQLite; of OpenCode there is nothing.
    const others = (process.env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => !existsSync(join(folder, "opencode")));
    path = [dirname(node), ...others].join(delimiter);
    writeFileSync(program, `#!/bin/sh\nexec '${node}' '${script}' "$@"\n`);
    chmodSync(program, 0o755);
    before = settings();
  }, 600_000);
  afterAll(async () => {
    await registry.stop();
    await pi.close();
  });

  const settings = () => readFileSync(join(pi.agent, "settings.json"), "utf8");
  const packages = (): readonly string[] => JSON.parse(settings()).packages ?? [];
  const env = () => ({
    PATH: path,
    HOME: pi.root,
    PI_BIN: program,
    PI_CODING_AGENT_DIR: pi.agent,
    PI_OFFLINE: "1",
    SESSION_RUNTIME_DB: pi.database,
    npm_config_registry: registry.url,
  });
  const cli = (...words: readonly string[]) => runCli(words, env(), pi.project);

  async function piSays(...words: readonly string[]): Promise<string> {
    const child = Bun.spawn([program, ...words], {
      cwd: pi.project,
      env: env(),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const said = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(await child.exited, said.join("")).toBe(0);
    return said.join("");
  }

  async function hasCommand(running: PiProcess): Promise<boolean> {
    const { data } = await running.ask({ type: "get_commands" });
    const commands = isObject(data) ? objects(data.commands) : [];
    return commands.some(({ name }) => name === "ctx-status");
  }

  test("setup lists it, sees Pi load it, a session is announced its edit, doctor is content, and --remove restores every byte", async () => {
    const done = await cli("setup", "--yes", "--json", "--no-launcher", "--spec", stage.pi.folder);
    expect({ err: done.err, exitCode: done.exitCode }).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(done.out)).toMatchObject({
      host: null,
      pi: { version: PI_VERSION, works: true },
    });
    const running = pi.start();
    await running.say("Hello");
    writeFiles(pi.project, { "AGENTS.md": "Use spaces.\n" });
    await running.say("And on");
    expect(JSON.stringify(pi.provider.requests.at(-1)?.body)).toContain("Use spaces.");
    await running.end();
    const { out } = await cli("doctor", "--json");
    const { checks, findings } = JSON.parse(out);
    for (const id of ["pi-found", "pi-version", "pi-listed", "pi-loads", "pi-sessions"]) {
      expect(checks).toContainEqual({ id, result: "passed" });
    }
    expect(findings).toEqual([]);
    expect((await cli("setup", "--remove", "--yes")).exitCode).toBe(0);
    expect(settings()).toBe(before);
  });

  const WAYS = [
    ["its folder", () => stage.pi.folder],
    ["its packed archive", () => `npm:${stage.pi.name}@file:${stage.pi.tarball}`],
    ["its name from a registry", () => `npm:${stage.pi.name}@${stage.pi.version}`],
  ] as const;
  for (const [name, source] of WAYS) {
    test(`\`pi install\` of ${name} works, \`pi list\` shows it, and setup recognises it and takes it out`, async () => {
      await piSays("install", source());
      expect(packages()).toHaveLength(1);
      expect(await piSays("list")).toContain(source());
      const running = pi.start();
      expect(await hasCommand(running)).toBe(true);
      await running.end();
      await cli("setup", "--remove", "--yes", "--host", "pi");
      expect(packages()).toEqual([]);
    });
  }

  test("`pi remove` takes out what setup has listed", async () => {
    await cli("setup", "--yes", "--no-check", "--no-launcher", "--spec", stage.pi.folder);
    expect(packages()).toEqual([stage.pi.folder]);
    await piSays("remove", stage.pi.folder);
    expect(packages()).toEqual([]);
  });
});
