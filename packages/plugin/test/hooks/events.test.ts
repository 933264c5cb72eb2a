import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readSessionEvent } from "../../src/hooks/events.ts";
import { author, type HostEvent, PluginStage } from "./composed-plugin.ts";

let stage = new PluginStage();

beforeEach(() => {
  stage = new PluginStage();
});
afterEach(() => stage.close());

/** The host's bus says that an assistant row has changed. */
function heard(id: string, row: object): Promise<void> {
  const { info } = stage.rows.assistant(author, stage.world.nowMs, {});
  const tokens = { input: 1_000, output: 5, reasoning: 0, cache: { read: 30, write: 200 } };
  const properties = { info: { ...info, id, cost: 0.01, tokens, ...row } };
  return stage.hear({ type: "message.updated", properties } as unknown as HostEvent);
}

async function sendCall(): Promise<void> {
  await stage.prompt("hello");
  await stage.call();
}

/** What is stored of the newest turn's figures. */
function figures() {
  stage.plugin.runtime.turns.flush();
  return stage.plugin.database.current().turns.recent("ses_1" as never, 1)[0]?.usage ?? null;
}

test("H5: the figures of a call are those of its answer", async () => {
  await sendCall();
  await heard("msg_answer", {});
  expect(figures()).toEqual({
    inputTokens: 1_000,
    outputTokens: 5,
    cacheReadTokens: 30,
    cacheWriteTokens: 200,
  });
});

test("H5: the figures of a compaction's summary are no turn's", async () => {
  await sendCall();
  await heard("msg_summary", { summary: true });
  expect(figures()).toBeNull();
});

test("H5: nor are those of a user's row, or of a row without any yet", async () => {
  await sendCall();
  await heard("msg_user", { role: "user" });
  const none = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
  await heard("msg_begun", { tokens: none });
  expect(figures()).toBeNull();
});

for (const [name, tokens] of [
  ["input", { input: 1, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }],
  ["output", { input: 0, output: 1, reasoning: 0, cache: { read: 0, write: 0 } }],
  ["cache reads", { input: 0, output: 0, reasoning: 0, cache: { read: 1, write: 0 } }],
  ["cache writes", { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 1 } }],
] as const) {
  test(`H5: a row with ${name} only is a call`, async () => {
    await sendCall();
    await heard("msg_answer", { tokens });
    expect(figures()).not.toBeNull();
  });
}

describe("what features hear", () => {
  const sessionID = "ses_1";
  const tokens = { input: 0, output: 0, cache: { read: 0, write: 0 } };
  const answer = { id: "msg_1", sessionID, role: "assistant", tokens };
  const events: readonly (readonly [string, string, object])[] = [
    ["busy", "session.status", { sessionID, status: { type: "retry" } }],
    ["idle", "session.status", { sessionID, status: { type: "idle" } }],
    ["compacted", "session.compacted", { sessionID }],
    ["saved", "message.updated", { info: { ...answer, role: "user" } }],
    ["touched", "message.updated", { info: answer }],
    ["billed", "message.updated", { info: { ...answer, tokens: { ...tokens, input: 3 } } }],
    ["removed", "message.removed", { sessionID, messageID: "msg_1" }],
    ["touched", "session.updated", { info: { id: sessionID } }],
    ["deleted", "session.deleted", { info: { id: sessionID } }],
  ];
  const refusals: readonly (readonly [string, object, readonly string[]])[] = [
    ["ContextOverflowError", { message: "too long", responseBody: "{}" }, ["too long", "{}"]],
    ["ContextOverflowError", { message: "too long" }, ["too long"]],
    ["APIError", { message: "exceed context limit", isRetryable: false }, ["exceed context limit"]],
  ];
  for (const [name, data, said] of refusals) {
    test(`${name} is heard as refused: ${JSON.stringify(data)}`, () => {
      const properties = { sessionID, error: { name, data } };
      expect(
        readSessionEvent({ type: "session.error", properties } as unknown as HostEvent),
      ).toEqual({
        kind: "refused",
        sessionId: "ses_1",
        said,
        model: null,
      } as never);
    });
  }

  test("errors that say nothing of a call's length, and those of no session, are not heard", () => {
    const data = { message: "prompt is too long", isRetryable: true };
    for (const properties of [
      {},
      { sessionID },
      { sessionID, error: { name: "APIError", data } },
      { sessionID, error: { name: "MessageAbortedError", data } },
      { sessionID, error: { name: "ContextOverflowError" } },
      { error: { name: "ContextOverflowError", data } },
    ]) {
      expect(
        readSessionEvent({ type: "session.error", properties } as unknown as HostEvent),
      ).toBeNull();
    }
  });

  for (const [kind, type, properties] of events) {
    test(`${type} is heard as ${kind}: ${JSON.stringify(properties)}`, () => {
      const happening = readSessionEvent({ type, properties } as unknown as HostEvent);
      expect(happening).toMatchObject({ kind, sessionId: "ses_1" });
    });
  }

  test("events that say nothing of a session are not heard", () => {
    const properties = { sessionID };
    expect(
      readSessionEvent({ type: "todo.updated", properties } as unknown as HostEvent),
    ).toBeNull();
  });
});
