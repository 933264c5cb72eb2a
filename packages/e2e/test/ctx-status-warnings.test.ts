import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../src/open.ts";
import { ctxStatus, PLUGIN, reports, Stage } from "./ctx-status-stage.ts";
import { longTest } from "./long.ts";

setDefaultTimeout(600_000);

const stage = new Stage();

const MARKER = join(import.meta.dir, "../fixtures/marker-plugin.js");

/** A plugin of that name whose system.transform does so. */
function writePlugin(name: string, statement: string): string {
  const path = join(stage.scratch(), `${name}.js`);
  const transform = `async (input, output) => { ${statement} }`;
  writeFileSync(
    path,
    `export default { id: "${name}", server: async () => ({ "experimental.chat.system.transform": ${transform} }) };\n`,
  );
  return path;
}

/** The newest of the turns' calls: a title's may come after them. */
function lastSystem({ provider }: Bench): string {
  return provider.calls.findLast(({ kind }) => kind === "main")?.system ?? "";
}

function unwrapped(report: string): string {
  return report.replace(/\s+/g, " ");
}

describe("what /ctx-status warns of", () => {
  async function reportAfter(bench: Bench): Promise<string> {
    const { client } = bench.host;
    const { id } = await client.createSession();
    await client.prompt(id, "Hello");
    await client.prompt(id, "Go on");
    await ctxStatus(client, id);
    return reports(await client.messages(id))[0]?.text ?? "";
  }

  longTest("nothing, where all is well", async () => {
    expect(await reportAfter(await stage.open())).toContain("Warnings    none");
  });

  test("a plugin that lengthens the host's own string", async () => {
    const plugin = [[MARKER, { text: "A MARK" }] as const, PLUGIN];
    const text = await reportAfter(await stage.open({ plugin }));
    expect(unwrapped(text)).toContain(
      "! The system prompt holds a block that Session Runtime doesn't know",
    );
  });

  longTest("a plugin that adds strings to the system prompt", async () => {
    const plugin = [writePlugin("adder", 'output.system.push("AN ADDITION")'), PLUGIN];
    const bench = await stage.open({ plugin });
    expect(await reportAfter(bench)).toContain(
      "! Another plugin adds strings to the system prompt.",
    );
    expect(lastSystem(bench)).toContain("AN ADDITION");
  });

  longTest("a plugin that is known to rewrite messages, by its name", async () => {
    const plugin = [writePlugin("opencode-dcp", ""), PLUGIN];
    const text = unwrapped(await reportAfter(await stage.open({ plugin })));
    expect(text).toContain(
      "! Another plugin that rewrites messages or the system string is loaded",
    );
    expect(text).toMatch(/Plugins .*opencode-dcp\.js: known to rewrite messages/);
  });

  test("itself, listed twice by different specs: one instance stays idle and all is sent once", async () => {
    const copy = join(stage.scratch(), "copy");
    symlinkSync(join(import.meta.dir, "../../plugin"), copy);
    const bench = await stage.open({ plugin: [PLUGIN, `${copy}/src/index.ts`] });
    const text = await reportAfter(bench);
    expect(unwrapped(text)).toContain(
      "! Session Runtime is listed twice in OpenCode's plugin list",
    );
    expect(text).toContain("2 calls");
    const sent = lastSystem(bench);
    expect(sent.split("<env>")).toHaveLength(2);
  });

  test("a system prompt that isn't recognised: the turn goes on with the host's own, and what to do is told", async () => {
    const plugin = [
      writePlugin(
        "future",
        'output.system[0] = output.system[0].replaceAll("<env>", "<surroundings>")',
      ),
      PLUGIN,
    ];
    const bench = await stage.open({ plugin });
    const text = unwrapped(await reportAfter(bench));
    expect(text).toContain("none yet: this session has made no model call under Session Runtime.");
    expect(text).toContain("! OpenCode's system prompt isn't recognised");
    expect(text).toContain("Session Runtime supports OpenCode 1.18.20 and later versions of 1.x");
    expect(lastSystem(bench)).toContain("<surroundings>");
  });

  longTest("a user's own command of that name is kept", async () => {
    const { host, provider } = await stage.open({
      config: { command: { "ctx-status": { template: "My own words." } } },
    });
    const { id } = await host.client.createSession();
    await host.client.command(id, "ctx-status", "");
    expect(JSON.stringify(provider.listCalls(id, "main")[0]?.body)).toContain("My own words.");
  });
});
