import { describe, expect, test } from "bun:test";
import type { PassFacts } from "../../src/session/pass.ts";
import { TurnRecorder } from "../../src/session/turn-recorder.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { firstCommit, session, usage } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";

const workspace = new Workspace();
const MODEL = "anthropic/claude-opus-5";

const answerTo = (sentAtMs: number) => `msg_answer_${sentAtMs}`;

function fresh() {
  const database = workspace.open(workspace.path(), openBunDriver);
  database.ledger.commit(firstCommit());
  return database;
}

/** A process's recorder. */
function stage(database = fresh()) {
  const recorder = new TurnRecorder({
    database: () => database,
    settings: { cacheTtlMs: 300_000 },
    defer: () => undefined,
    report: (error) => {
      throw error;
    },
  });
  const history: string[] = [];
  let begun: "begun" | "sent" = "sent";
  /** The host asks for the history of a call, which has the answers to all calls before it. */
  const begin = () => {
    const messages = history.map(
      (id) => ({ info: { id, sessionID: session, role: "assistant" }, parts: [] }) as const,
    );
    recorder.beginCall(session, messages);
    begun = "begun";
  };
  const send = (startedAtMs: number, to: Partial<PassFacts> = {}) => {
    if (begun === "sent") begin();
    begun = "sent";
    history.push(answerTo(startedAtMs));
    recorder.record({
      sessionId: session,
      epochSeq: 1,
      facts: {
        ...{ agent: "build", providerId: "anthropic", modelId: "claude-opus-5" },
        ...{
          ownSystem: null,
          structuredNote: "absent",
          messages: [],
          unsentIds: [],
          historyIds: [],
          rewrite: null,
          startedAtMs,
        },
        ...to,
      },
      system: { preamble: "", baseline: "", live: "" },
      formerEnd: -1,
      newMessageIds: [],
    });
  };
  const report = (sentAtMs: number, cacheReadTokens: number) =>
    recorder.settle({
      sessionId: session,
      model: MODEL,
      usage: { ...usage, cacheReadTokens },
      paidUsd: 0,
      messageId: answerTo(sentAtMs),
    });
  /** The host describes these tools, and asks for the history of a call. */
  const offer = (...tools: readonly string[]) => {
    for (const tool of tools) recorder.sawTool(tool, `what ${tool} does`);
    begin();
  };
  /** Oldest first. */
  const stored = () => database.turns.recent(session, 9).toReversed();
  return { database, recorder, begin, send, report, offer, stored };
}

describe("the figures of a turn", () => {
  test("go to the call that they are of, also when the next one is on its way", () => {
    const { send, report, stored } = stage();
    send(1_000);
    send(2_000);
    report(1_000, 7);
    report(2_000, 8);
    expect(stored().map((turn) => turn.usage?.cacheReadTokens)).toEqual([7, 8]);
  });

  test("go to no turn where the newest call has none: nothing of ours was sent in it", () => {
    const { begin, send, report, stored } = stage();
    send(1_000);
    begin();
    report(2_000, 7);
    report(1_000, 8);
    expect(stored().map((turn) => turn.usage?.cacheReadTokens)).toEqual([8]);
  });

  test("go to no turn of a session whose calls this process has forgotten", () => {
    const { recorder, send, report, stored } = stage();
    send(1_000);
    recorder.flush();
    recorder.forget(session);
    report(1_000, 7);
    expect(stored().map((turn) => turn.usage)).toEqual([null]);
  });

  test("are those of the last call that can have made the message, however many there were", () => {
    const { send, report, stored } = stage();
    for (let call = 1; call <= 9; call += 1) send(call * 1_000);
    report(8_000, 8);
    report(9_000, 9);
    expect(stored().map((turn) => turn.usage?.cacheReadTokens)).toEqual([...Array(7), ...[8, 9]]);
  });

  test("I1: a read that was missed leaves the cause that was named at the send", () => {
    const { offer, send, report, stored } = stage();
    offer("read");
    send(1_000);
    report(1_000, 100_000);
    offer("read", "bash");
    send(2_000);
    report(2_000, 0);
    expect(stored().map(({ bust }) => bust)).toEqual([null, "the tool list changed"]);
  });

  test("M6: updates that go back to text are named as the cause, over what the figures alone say", () => {
    const { recorder, send, report, stored } = stage();
    send(1_000);
    report(1_000, 100_000);
    send(2_000);
    recorder.fellBack(session, MODEL, "place");
    report(2_000, 0);
    send(3_000);
    report(3_000, 100_000);
    expect(stored().map(({ bust }) => bust)).toEqual([
      null,
      "an update went back to text: a later message made its place one that the provider's own role may not have",
      null,
    ]);
  });

  test("M6: a refusal of the role is named, and of another model's call it says nothing", () => {
    const { recorder, send, report, stored } = stage();
    send(1_000);
    recorder.fellBack(session, "anthropic/claude-sonnet-5", "refused");
    report(1_000, 1);
    send(2_000);
    recorder.fellBack(session, MODEL, "refused");
    report(2_000, 1);
    expect(stored().map(({ bust }) => bust)).toEqual([
      null,
      "updates went back to text: the provider refused them in its own role",
    ]);
  });
});

describe("I1: the tool list, which the runtime does not hold, is named", () => {
  const busts = (stored: () => readonly { readonly bust: string | null }[]) =>
    stored().map(({ bust }) => bust);

  test("where a tool comes, and where one goes", () => {
    const { recorder, send, offer, stored } = stage();
    for (const [call, tools] of [
      ["read"],
      ["read", "bash"],
      ["read", "bash"],
      ["read"],
    ].entries()) {
      offer(...tools);
      send((call + 1) * 1_000);
    }
    recorder.flush();
    const changed = "the tool list changed";
    expect(busts(stored)).toEqual([null, changed, null, changed]);
  });

  test("by the model that it is for: what another one is offered says nothing", () => {
    const { recorder, send, offer, stored } = stage();
    offer("read", "edit");
    send(1_000);
    offer("read", "apply_patch");
    send(2_000, { providerId: "openai", modelId: "gpt-6" });
    offer("read", "edit");
    send(3_000);
    recorder.flush();
    expect(busts(stored)).toEqual([null, null, null]);
  });

  test("where an answer has to have a form: the host adds a tool of its own for it", () => {
    const { recorder, send, offer, stored } = stage();
    offer("read");
    send(1_000);
    offer("read");
    send(2_000, { structuredNote: "present" });
    recorder.flush();
    expect(busts(stored)).toEqual([null, "the tool list changed"]);
  });

  test("where an MCP server's tools change between two calls", () => {
    const { recorder, send, offer, stored } = stage();
    offer("read");
    send(1_000);
    recorder.flush();
    recorder.sawServerChange("search");
    offer("read");
    send(2_000);
    recorder.flush();
    offer("read");
    send(3_000);
    recorder.flush();
    expect(busts(stored)).toEqual([
      null,
      "the tool list changed: those of the MCP server search",
      null,
    ]);
  });

  test("after a restart too: by the newest call on record to the same model of the same provider", () => {
    const { database, recorder, send, offer } = stage();
    offer("read", "edit");
    send(1_000);
    for (const [index, to] of [
      { modelId: "claude-haiku-5" },
      { providerId: "bedrock" },
      { providerId: "openai", modelId: "gpt-6" },
    ].entries()) {
      offer("read");
      send(2_000 + index, to);
    }
    recorder.flush();
    const next = stage(database);
    next.offer("edit", "read");
    next.send(9_000);
    next.offer("read");
    next.send(9_500);
    next.recorder.flush();
    expect(busts(next.stored).slice(4)).toEqual([null, "the tool list changed"]);
  });

  test("not of a call whose tools nobody knows: the next one that is known is no change", () => {
    const { recorder, send, offer, stored } = stage();
    send(1_000);
    offer("read");
    send(2_000);
    recorder.flush();
    expect(busts(stored)).toEqual([null, null]);
  });

  test("and where two calls are prepared at once, so that it is not known, nothing is claimed", () => {
    const { recorder, send, offer, stored } = stage();
    for (const [call, meanwhile] of [["edit"], [], ["edit"], []].entries()) {
      for (const tool of meanwhile) recorder.sawTool(tool, "of another session");
      offer("read", "edit", ...(meanwhile.length > 0 ? ["task"] : []));
      send((call + 1) * 1_000);
    }
    recorder.flush();
    expect(busts(stored)).toEqual([null, null, null, null]);
  });
});
