import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { makeClient } from "../../src/client/client.ts";
import { type Home, makeHome, makeProject, writeFiles } from "../../src/host/home.ts";
import { MODELS, providerConfig } from "../../src/host/models.ts";
import { isolatedEnvironment, spawnHost } from "../../src/host/process.ts";
import { startNpmRegistry } from "../../src/package/registry.ts";
import { type MockProvider, startProvider } from "../../src/provider/server.ts";
import { commandsIn, exampleCode, ROOT } from "../documents.ts";
import { longTest } from "../long.ts";
import { usePackages } from "../package/stage.ts";

const stage = usePackages();

/** The words after `session-runtime`, as docs/command-line.md has them. */
const COMMANDS = commandsIn(exampleCode("Set up and remove", ""));
const INSTALL = wordsIn(COMMANDS[0]);
const REMOVE = wordsIn(COMMANDS.at(-1));

function wordsIn(command = ""): readonly string[] {
  const [name, ...words] = command.split(/\s+/);
  expect(name).toBe("session-runtime");
  return words;
}

interface CommandOutput {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number | null;
}

/** A user's clean home: OpenCode, a provider in its config, and a registry that has our packages. */
function newcomer(home: Home, provider: MockProvider, registryUrl: string) {
  const { providerID, modelID } = MODELS.anthropic;
  const config = {
    model: `${providerID}/${modelID}`,
    autoupdate: false,
    provider: providerConfig(provider.url),
  };
  const text = `// my config\n${JSON.stringify(config, null, 2)}\n`;
  writeFiles(join(home.config, "opencode"), { "opencode.jsonc": text });
  const project = makeProject(home, "first", { "AGENTS.md": "Be brief.\n" });
  const env = {
    ...isolatedEnvironment(home),
    OPENCODE_BIN: hostBinary(),
    npm_config_registry: registryUrl,
  };
  return { text, project, env, file: join(home.config, "opencode/opencode.jsonc") };
}

async function ran(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<CommandOutput> {
  const child = Bun.spawn([...command], {
    cwd,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { out, err, exitCode: await child.exited };
}

function npx(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  return ran(["npx", "--yes", "session-runtime", ...words], cwd, env);
}

test("the README's installation from a clone leads to a cached turn, and its removal back to the byte", async () => {
  const home = makeHome();
  const provider = await startProvider();
  const registry = startNpmRegistry([]);
  try {
    const { text, project, env, file } = newcomer(home, provider, registry.url);
    const [clone, folder, install, setup] = commandsIn(exampleCode("Install", "sh"));
    // This checkout stands for the clone.
    expect(clone).toMatch(/^git clone https:\/\/\S+\.git$/);
    expect(folder).toBe("cd session-runtime");
    expect(install).toBe("npm install");
    const command = String(setup).split(" ");
    expect(command.slice(0, 4)).toEqual(["npm", "run", "cli", "--"]);
    const set = await ran([...command, "--yes"], ROOT, env);
    expect({ exitCode: set.exitCode, err: set.err }).toMatchObject({ exitCode: 0 });
    await firstCachedTurn(project, env, provider);
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const remove = /`(session-runtime setup --remove)`/.exec(readme)?.[1];
    // By the launcher that setup installed, from a folder that is not the clone.
    const path = `${join(home.root, ".local/bin")}:${process.env.PATH}`;
    const removed = await ran(["sh", "-c", `${remove} --yes`], project, { ...env, PATH: path });
    expect({ exitCode: removed.exitCode, err: removed.err }).toMatchObject({ exitCode: 0 });
    expect(readFileSync(file, "utf8")).toBe(text);
  } finally {
    await registry.stop();
    await provider.stop();
    home.remove();
  }
});

test("CL1: from a clean home to the first cached turn by one command, and back to the byte", async () => {
  const home = makeHome();
  const provider = await startProvider();
  const registry = startNpmRegistry([stage.plugin, stage.cli]);
  try {
    const { text, project, env, file } = newcomer(home, provider, registry.url);
    const began = performance.now();
    const set = await npx([...INSTALL, "--yes", "--json"], project, env);
    expect({ exitCode: set.exitCode, err: set.err }).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(set.out)).toMatchObject({
      spec: `${stage.plugin.name}@${stage.plugin.version}`,
      isWritten: true,
      works: true,
    });
    expect(readFileSync(file, "utf8")).toStartWith("// my config\n");
    await firstCachedTurn(project, env, provider);
    const tookMs = performance.now() - began;
    console.log(`clean home to first cached turn: ${(tookMs / 1_000).toFixed(1)} s`);

    const removed = await npx([...REMOVE, "--yes"], project, env);
    expect(removed.exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(text);
  } finally {
    await registry.stop();
    await provider.stop();
    home.remove();
  }
});

/** Two turns with an edit between them: the second reads the first one's prefix from the cache. */
async function firstCachedTurn(
  project: string,
  env: Readonly<Record<string, string>>,
  provider: MockProvider,
): Promise<void> {
  const host = await spawnHost({
    command: [hostBinary()],
    cwd: project,
    env,
    log: () => undefined,
  });
  try {
    const client = makeClient(() => host.url, project);
    const { id } = await client.createSession();
    await client.prompt(id, "One");
    writeFileSync(join(project, "AGENTS.md"), "Be kind.\n");
    await client.prompt(id, "Two");
    const [first, second] = provider.listCalls(id, "main");
    expect(second?.system).toBe(String(first?.system));
    expect(JSON.stringify(second?.body)).toContain("<system-update>");
  } finally {
    await host.end();
  }
}

longTest("a package that can't be had: told, and the config is as it was", async () => {
  const home = makeHome();
  const provider = await startProvider();
  const registry = startNpmRegistry([stage.cli]);
  try {
    const { text, project, env, file } = newcomer(home, provider, registry.url);
    const { out, exitCode } = await npx(["setup", "--yes", "--json"], project, env);
    expect(exitCode).toBe(1);
    expect(JSON.parse(out).error).toMatchObject({ code: "package-unavailable" });
    expect(readFileSync(file, "utf8")).toBe(text);
  } finally {
    await registry.stop();
    await provider.stop();
    home.remove();
  }
});
