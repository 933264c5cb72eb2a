import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import { isObject, type JsonObject } from "../src/json.ts";
import { call, held, makeGate, say } from "../src/provider/reply.ts";
import {
  AGENTS_MD,
  baseline,
  history,
  OURS,
  one,
  PATIENT,
  updates,
  useStage,
} from "./conformance/stage.ts";
import { ctxStatus, reports } from "./ctx-status-stage.ts";
import { asShown, exampleCode, exampleSettings } from "./documents.ts";
import { run, states, userTexts } from "./inbox-stage.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const TOOLS = join(import.meta.dir, "../fixtures/tool-plugin.js");

/** The documents' paths are those of whoever has cloned it. */
const here = (code: string) => code.replaceAll("/path/to/session-runtime", ROOT);

describe("the documents' examples on the real host, as plugin options in one", () => {
  const output = exampleSettings("Output limits");
  const stage = useStage({
    plugin: [
      [
        OURS,
        {
          ...output,
          ...exampleSettings("Log settings"),
          ...exampleSettings("After a crash"),
          ...exampleSettings("Choose the role"),
          observation: { timeoutMs: 10_000 },
        },
      ],
      TOOLS,
    ],
  });

  test("Built-in sources: a changed file is told in these words, as text at an unknown address", async () => {
    const talk = await stage.talk();
    await talk.say("One");
    talk.edit({ "AGENTS.md": "Be kind.\n" });
    await talk.say("Two");
    const shown = exampleCode("Built-in sources", "").replace(
      "/home/you/project",
      talk.client.folder,
    );
    expect(
      history(talk.last())
        .map(({ text }) => text)
        .join("\n"),
    ).toMatch(asShown(shown));
    expect(updates(talk.last())).toHaveLength(1);
  });

  test("LS7, Project documents: a session begins with them, and hears of an edit", async () => {
    const project = stage.host.addProject("documented", {
      "AGENTS.md": AGENTS_MD,
      "ARCHITECTURE.md": "The depot calls the ledger.\n",
      "STRUCTURE.md": "src/: the depot.\n",
      ".opencode/session-runtime.jsonc": exampleCode("Project documents", "jsonc"),
    });
    const talk = await stage.talk(stage.host.createClient(project));
    await talk.say("One");
    const sent = baseline(talk.last());
    expect(sent).toContain("The project's own documents:");
    expect(sent).toContain("The depot calls the ledger.");
    expect(sent).toContain("src/: the depot.");
    talk.edit({ "ARCHITECTURE.md": "The ledger calls the depot.\n" });
    await talk.say("Two");
    expect(baseline(talk.last())).toBe(sent);
    expect(one(updates(talk.last())[0])).toContain("The ledger calls the depot.");
  });

  test("The queue: the commands do what stands beside them", async () => {
    const bench = { host: stage.host, provider: stage.provider, close: () => Promise.resolve() };
    const talk = await stage.talk();
    const gate = makeGate();
    stage.provider.script.queueFor(talk.id, held(gate, say("Done.")));
    await talk.client.promptAsync(talk.id, "First");
    await eventually("the call is there", () => talk.main().length === 1);
    const commands = exampleCode("The queue", "")
      .trimEnd()
      .split("\n")
      .map((line) => String(line.split(/ {2,}/)[0]));
    const args = commands.map((command) => /^\/ctx-queue ?(.*)$/.exec(command)?.[1]);
    expect(args).toHaveLength(5);
    const [add, list, edit, move, drop] = args.map((given) => one(given));
    const queue = (given: string | undefined) => run(talk.client, talk.id, "ctx-queue", given);
    expect(await queue(add)).toContain("Queued as number 1");
    await queue("Write a test");
    await queue("Write the docs");
    expect(await queue(list)).toContain("3 prompts in the queue");
    expect(await queue(edit)).toContain("Prompt 2 has the new text");
    expect(await queue(move)).toContain("Moved prompt 3 to place 1");
    expect(await queue(drop)).toContain("Removed prompt 2 from the queue");
    gate.open();
    await eventually("the queue is empty and answered", () =>
      states(bench, talk.id).every((state) => state === "answered" || state === "dropped"),
    );
    expect(userTexts(await talk.client.messages(talk.id))).toEqual([
      "First",
      "Write the docs",
      "Write two tests",
    ]);
  });

  test("Long results: the limits hold, and the notice is as shown", async () => {
    const { toolOutput } = output;
    const { maxLines, maxBytes } = isObject(toolOutput) ? toolOutput : {};
    const talk = await stage.talk();
    stage.provider.script.queueFor(talk.id, call("report", {}), say("Done."));
    await talk.say("Report");
    const shown = one(history(talk.last()).find(({ text }) => text.startsWith("report 0\n"))).text;
    expect(shown.split("\n").length).toBeLessThanOrEqual(Number(maxLines));
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(Number(maxBytes));
    const [first = "", notice = "", last = ""] = exampleCode("Long results", "").split("\n");
    expect([first, last]).toEqual(["first lines …", "… last lines"]);
    const folder = join(stage.host.home.data, "opencode/tool-output");
    const named = notice.replace("/home/you/.local/share/opencode/tool-output", folder);
    const numbers = named.replace(/\b\d+ bytes from line \d+/, "…");
    expect(shown).toMatch(asShown(numbers));
    expect(shown).toMatch(/\[\.\.\. \d+ bytes from line \d+ on are not shown here/);
  });

  test("Traces: the log holds lines of these fields, and debug ones", async () => {
    const talk = await stage.talk();
    await talk.say("Hello");
    const path = join(dirname(stage.host.home.database), "runtime.log");
    const line = exampleCode("Traces", "");
    const fields = [...line.matchAll(/"([\w.]+)":/g)].map(([, name]) => name);
    const lines = () =>
      existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
    const drains = () => lines().filter((text) => text.includes('"event":"trace.drain"'));
    await eventually("a drain has ended", () => drains().some((text) => text.includes(talk.id)));
    const drain = one(drains().find((text) => text.includes(talk.id)));
    expect(Object.keys(JSON.parse(drain)).filter((name) => fields.includes(name))).toEqual(
      fields.map(String),
    );
    expect(lines().some((text) => text.includes('"level":"debug"'))).toBeTrue();
  });
});

/** The report would warn of a source that is unavailable. */
function addPatience(entry: string | readonly [string, JsonObject]): readonly [string, JsonObject] {
  const [spec, options] = typeof entry === "string" ? [entry, {}] : entry;
  return [spec, { ...options, ...PATIENT }];
}

describe("the documents' opencode.json", () => {
  const stage = useStage({ plugin: [] });

  /** The report of a session in a project with that list of plugins. */
  async function runReport(name: string, example: string): Promise<string> {
    const { plugin } = JSON.parse(here(example));
    const config = JSON.stringify({ plugin: plugin.map(addPatience) });
    const folder = stage.host.addProject(name, { "AGENTS.md": AGENTS_MD, "opencode.json": config });
    const talk = await stage.talk(stage.host.createClient(folder));
    await talk.say("Hello");
    await ctxStatus(talk.client, talk.id);
    const [report] = reports(await talk.client.messages(talk.id));
    return one(report).text;
  }

  test("Without setup: the plugin is loaded by its path, and /ctx-status answers", async () => {
    const text = await runReport("without-setup", exampleCode("Without setup", "jsonc"));
    expect(text).toContain("Epoch       1 (the first)");
    expect(text).toContain("Warnings    none");
  });

  test("Where settings live: the options are taken, without a warning", async () => {
    const text = await runReport("settings", exampleCode("Where settings live", "jsonc"));
    expect(text).toContain("core/date");
    expect(text).toContain("Warnings    none");
  });
});
