import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openBench } from "../src/open.ts";

setDefaultTimeout(60_000);

test("a plugin is loaded by path with its options, and acts on the wire", async () => {
  const path = join(import.meta.dir, "../fixtures/marker-plugin.js");
  const { host, provider, close } = await openBench({ plugin: [[path, { text: "A MARK" }]] });
  try {
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    expect(provider.callsOf(id, "main")[0]?.system).toEndWith("A MARK");
  } finally {
    await close();
  }
});
