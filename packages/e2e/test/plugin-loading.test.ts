import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBench } from "../src/open.ts";

setDefaultTimeout(600_000);

test("a plugin is loaded by path with its options, and acts on the wire", async () => {
  const path = join(import.meta.dir, "../fixtures/marker-plugin.js");
  const { host, provider, close } = await openBench({ plugin: [[path, { text: "A MARK" }]] });
  try {
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    expect(provider.listCalls(id, "main")[0]?.system).toEndWith("A MARK");
  } finally {
    await close();
  }
});

const FIXTURES = join(import.meta.dir, "../fixtures");

/** The body of the first call of a turn, without the names that differ by run. */
async function firstCall(plugin: string, env: Readonly<Record<string, string>>) {
  const { host, provider, close } = await openBench({ plugin: [join(FIXTURES, plugin)], env });
  try {
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    const [call] = provider.listCalls(id, "main");
    return JSON.stringify(call?.body).replaceAll(host.project, "PROJECT").replaceAll(id, "SESSION");
  } finally {
    await close();
  }
}

test("this OpenCode calls `setup` too: it does nothing, and the wire is as without it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-setup-"));
  const probe = join(folder, "calls.jsonl");
  try {
    const both = await firstCall("setup-probe-plugin.js", { SETUP_PROBE: probe });
    const calls = readFileSync(probe, "utf8").trim().split("\n");
    expect(new Set(calls)).toEqual(new Set(['{"gave":null,"session":"undefined"}']));
    expect(both).toBe(await firstCall("server-only-plugin.js", {}));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
