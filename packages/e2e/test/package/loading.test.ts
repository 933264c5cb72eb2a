import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { PluginEntry } from "../../src/host/host.ts";
import { openBench } from "../../src/open.ts";
import { startNpmRegistry } from "../../src/package/registry.ts";
import { LONG, longTest } from "../long.ts";
import { usePackages } from "./stage.ts";

const stage = usePackages();

/** Two turns with an edit between them: only a plugin that works tells it and keeps the prefix. */
async function worksAs(entry: PluginEntry, env: Readonly<Record<string, string>>): Promise<void> {
  const bench = await openBench({ plugin: [entry], files: { "AGENTS.md": "Be brief.\n" }, env });
  const { host, provider } = bench;
  try {
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "One");
    writeFileSync(join(host.project, "AGENTS.md"), "Be kind.\n");
    await host.client.prompt(id, "Two");
    const [first, second] = provider.listCalls(id, "main");
    expect(second?.system).toBe(String(first?.system));
    expect(JSON.stringify(second?.body)).toContain("<system-update>");
    expect(existsSync(host.home.database)).toBe(true);
  } finally {
    await bench.close();
  }
}

longTest("unpacked into a folder, the real host loads it by path and by file URL", async () => {
  const folder = join(stage.folder, "by path", "plugin");
  cpSync(stage.plugin.folder, folder, { recursive: true });
  await worksAs(folder, {});
  await worksAs(Bun.pathToFileURL(folder).href, {});
});

longTest(
  "installed from the tarball by npm, the real host loads it from node_modules",
  async () => {
    const project = join(stage.folder, "installed");
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, "package.json"), "{}");
    const { success } = Bun.spawnSync(["npm", "install", "--offline", stage.plugin.tarball], {
      cwd: project,
      env: { PATH: process.env.PATH ?? "", HOME: project },
    });
    expect(success).toBe(true);
    await worksAs(join(project, "node_modules", stage.plugin.name), {});
  },
);

test("the real host installs it by its npm spec into a clean home, and loads it", async () => {
  const registry = startNpmRegistry([stage.plugin]);
  const { name, version } = stage.plugin;
  try {
    const env = { npm_config_registry: registry.url };
    // With a version and options; long runs install the newest by its name as well.
    await worksAs([`${name}@${version}`, { epoch: { onModelSwitch: "keep" } }], env);
    if (LONG) await worksAs(name, env);
    // All that it needs is in the one tarball: the peers are the host's, and are not fetched.
    expect([...new Set(registry.fetched)]).toEqual([basename(stage.plugin.tarball)]);
  } finally {
    await registry.stop();
  }
});

test("a host that is older than the package's engines leaves it out, and works without it", async () => {
  const folder = join(stage.folder, "too-new");
  cpSync(stage.plugin.folder, folder, { recursive: true });
  const path = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...manifest, engines: { opencode: ">=99.0.0" } }));
  const packed = Bun.spawnSync(["npm", "pack", `--pack-destination=${folder}`], { cwd: folder });
  expect(packed.success).toBe(true);
  const tarball = join(folder, basename(stage.plugin.tarball));
  const registry = startNpmRegistry([{ ...stage.plugin, folder, tarball }]);
  const bench = await openBench({
    plugin: [stage.plugin.name],
    env: { npm_config_registry: registry.url },
  });
  try {
    const { id } = await bench.host.client.createSession();
    await bench.host.client.prompt(id, "Hello");
    expect(bench.provider.listCalls(id, "main")).toHaveLength(1);
    expect(registry.fetched).toEqual([basename(tarball)]);
    expect(existsSync(bench.host.home.database)).toBe(false);
  } finally {
    await bench.close();
    await registry.stop();
  }
});
