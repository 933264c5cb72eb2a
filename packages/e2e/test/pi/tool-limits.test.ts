import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { missingPi } from "../../src/pi/pi.ts";
import { usePi } from "./stage.ts";

// A provider that takes 128 tools, beside an extension of 122, on the real Pi.
setDefaultTimeout(600_000);

const MANY = join(import.meta.dir, "../../fixtures/pi/many-tools.js");

describe.skipIf(missingPi !== null)(missingPi ?? "tools on Pi", () => {
  const stage = usePi();

  test("a call offers no more than its provider takes: ours are left out first, and the prefix stands", async () => {
    const settings = { extensions: [MANY], env: { MANY_TOOLS: "122" } };
    const running = await stage.begin(settings);
    await running.say("Hello");
    const all = ours();
    await running.end();
    asOpenAi();
    stage.pi.provider.script.limitTools = 128;
    const bounded = stage.pi.start(["--model", "openai/gpt-responses"]);
    await bounded.say("One");
    await bounded.say("Two");
    expect(stage.calls().map(({ outcome }) => outcome.type)).toEqual(Array(3).fill("answered"));
    expect(tools()).toHaveLength(128);
    expect(ours().length).toBeLessThan(all.length);
    expect(ours()).toContain("ctx_search");
  });

  function tools(): readonly string[] {
    return stage.last().blocks.flatMap(({ layer, bytes }) => {
      const tool: { readonly name?: string } = layer === "tools" ? JSON.parse(bytes) : {};
      return tool.name ?? [];
    });
  }

  const ours = () => tools().filter((name) => name.startsWith("ctx_"));

  /** The mock of OpenAI's Responses under OpenAI's own name. */
  function asOpenAi(): void {
    const path = join(stage.pi.agent, "models.json");
    const { providers } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(
      path,
      JSON.stringify({ providers: { ...providers, openai: providers.responses } }),
    );
  }
});
