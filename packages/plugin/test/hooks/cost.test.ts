import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { author, type HostEvent, PluginStage } from "./composed-plugin.ts";
import { StatementWatch, writesIn } from "./written.ts";

const watch = new StatementWatch();
let stage: PluginStage;

beforeEach(() => {
  stage = new PluginStage();
});
afterEach(() => stage.close());

/** What is written after a send waits some 40 ms, on a machine with nothing else to do. */
const AFTERWARDS_MS = 120;

/** The statements from the send on, when `table` has been written and nothing more comes. */
async function afterSend(table: string): Promise<readonly string[]> {
  while (!watch.hasWritten(table)) await Bun.sleep(5);
  await Bun.sleep(AFTERWARDS_MS);
  return watch.take();
}

async function arrive(text: string): Promise<void> {
  await stage.prompt(text);
  await stage.hear(busy);
}

const busy: HostEvent = {
  type: "session.status",
  properties: { sessionID: "ses_1", status: { type: "busy" } },
};

/** The session's first call is through, and the model has called a tool. */
async function begun(): Promise<void> {
  await arrive("hello");
  await stage.call();
  await afterSend("session_input");
  const row = stage.rows.assistant(author, stage.world.nowMs, { finish: "tool-calls" });
  row.parts.push(stage.rows.tool(row, "bash", "its output", {}));
}

describe("I20: through all hooks of the plugin, a pass without changes", () => {
  test("asks the storage one question before the send, and writes one row after it", async () => {
    await begun();
    await stage.call();
    expect(watch.take()).toEqual(["PRAGMA data_version"]);
    expect(writesIn(await afterSend("turn"))).toEqual(["turn"]);
  });

  test("of a new prompt writes nothing before the send, and after it the turn and the promotion", async () => {
    await begun();
    await arrive("and now?");
    // The admission is on disk before the host schedules the pass.
    expect(writesIn(watch.take())).toEqual(["session session_input", "session session_lease"]);
    await stage.call();
    expect(watch.take()).toEqual(["PRAGMA data_version"]);
    const after = writesIn(await afterSend("session_input"));
    expect([...after].sort()).toEqual(["session_input", "turn"]);
  });

  test("has its figures written with the answer: one row more, however often the host tells them", async () => {
    await begun();
    await stage.call();
    await afterSend("turn");
    await stage.answered(100);
    await stage.answered(100);
    expect(writesIn(watch.take())).toEqual(["turn"]);
  });

  test("a change is one transaction before the send", async () => {
    await begun();
    stage.world.apply({ of: "file", place: "app", state: 2 });
    const { messages } = await stage.call();
    expect(JSON.stringify(messages)).toContain("Rule 2 of app.");
    expect(writesIn(watch.take())).toEqual(["entry"]);
    expect(writesIn(await afterSend("turn"))).toEqual(["turn"]);
  });
});
