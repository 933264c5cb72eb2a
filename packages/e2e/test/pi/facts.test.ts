import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { isObject, type JsonObject, objects } from "../../src/json.ts";
import { missingPi, openPi, type PiHome, type PiProcess } from "../../src/pi/pi.ts";
import { call, held, makeGate, say } from "../../src/provider/reply.ts";

// What our extension takes for granted of Pi's events, seen by a small extension.

setDefaultTimeout(600_000);

describe.skipIf(missingPi !== null)(missingPi ?? "Pi's events", () => {
  let pi: PiHome;
  let running: PiProcess;

  beforeAll(async () => {
    const witness = join(import.meta.dir, "../../fixtures/pi/witness.js");
    pi = await openPi({ extensions: [witness], files: { "notes.txt": "A first note.\n" } });
    running = pi.start();
  }, 600_000);
  afterAll(() => pi.close());

  /** What the extension saw since its last report. */
  async function report() {
    const notice = running.next(({ method }) => method === "notify");
    await running.say("/report");
    return JSON.parse(String((await notice).message));
  }

  async function entries(): Promise<readonly JsonObject[]> {
    const { data } = await running.ask({ type: "get_entries" });
    return isObject(data) ? objects(data.entries) : [];
  }

  test("Pi: events come in one order, and the projection is message for message what is sent", async () => {
    pi.provider.script.queue(call("read", { path: "notes.txt" }), say("Read."));
    await running.say("Read the note.");
    const { events, strangers } = await report();
    const request = ["context", "context_with_system", "before_provider_request", "message_end"];
    expect(events).toEqual([
      ...["input", "before_agent_start", "agent_start", "turn_start"],
      // The system prompt's, which is a message of the session too, and the prompt's.
      ...["message_end", "message_end"],
      ...request,
      ...["tool_call", "tool_result", "message_end", "turn_end", "turn_start"],
      ...request,
      ...["turn_end", "agent_end", "agent_before_settle", "agent_settled"],
    ]);
    expect(strangers).toEqual([]);
  });

  test("Pi: a handler that changes the messages in place and throws sends what it has left", async () => {
    await running.say("/spoil");
    await running.say("Is anything left?");
    expect(pi.provider.calls.at(-1)?.body.messages).toEqual([]);
    const failures = running.events.filter(({ type }) => type === "extension_error");
    expect(failures).toMatchObject([{ event: "context_with_system" }]);
    await running.say("And the next one?");
    expect(objects(pi.provider.calls.at(-1)?.body.messages).length).toBeGreaterThan(4);
  });

  test("Pi: kill -9 keeps the prompt that was asked and all ids, and loses the one that was to steer it", async () => {
    pi.provider.script.queue(held(makeGate(), say("Never said.")));
    const asked = pi.provider.calls.length;
    await running.ask({ type: "prompt", message: "Think for long." });
    await pi.provider.arrival(({ index }) => index >= asked);
    expect(await running.ask({ type: "steer", message: "Rather stop." })).toMatchObject({
      success: true,
    });
    const ids = (await entries()).map(({ id }) => id);
    await running.kill9();
    running = pi.start(["--continue"]);
    const kept = await entries();
    expect(kept.slice(0, ids.length).map(({ id }) => id)).toEqual(ids);
    expect(JSON.stringify(kept)).toContain("Think for long.");
    expect(JSON.stringify(kept)).not.toContain("Rather stop.");
  });
});
