import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../../src/features/inbox/inbox.ts";
import type { Outcome, Step } from "../../../src/features/inbox/plan.ts";
import { createInboxCommands } from "../../../src/features/inbox/queue.ts";
import { describeOutcome } from "../../../src/features/inbox/words.ts";
import { session } from "../../storage/records.ts";

const queue = { length: 0, isIdle: true, listFirst: () => [], working: [] };

function stage(answers: { readonly drive?: Outcome; readonly stop?: string } = {}) {
  const did: string[] = [];
  const inbox = {
    readQueue: async () => queue,
    admit: async () => did.push("admit"),
    resume: async () => {
      did.push("resume");
      return answers.drive;
    },
    interrupt: async () => answers.stop,
  };
  const commands = createInboxCommands(inbox as unknown as Inbox);
  const act = (name: string, args = "", process: "stays" | "ends" = "stays") => {
    const command = commands.find((one) => one.name === name);
    if (!command) throw new Error(name);
    const call = { sessionId: session, args, files: [], process };
    return Promise.resolve(command.act(call as never));
  };
  return { commands, did, act };
}

test("the list of the queue has a dialog; changes of it, and the other commands, have none", () => {
  const { commands } = stage();
  expect(commands.map(({ kind, name }) => [kind, name])).toEqual([
    ["action", "ctx-queue"],
    ["action", "ctx-resume"],
    ["action", "ctx-interrupt"],
  ]);
  expect(commands.map(({ dialog }) => dialog(""))).toEqual(["ctx-queue", null, null]);
  expect(commands.map(({ dialog }) => dialog("Fix it"))).toEqual([null, null, null]);
});

test("a prompt that is queued shows in the conversation, the list in a note", async () => {
  const { act, did } = stage();
  expect(await act("ctx-queue", "Fix it")).toEqual({
    ...{ text: "The session is idle: the prompt is sent now.", shownBy: "conversation" },
  });
  expect(did).toEqual(["admit"]);
  expect(await act("ctx-queue")).toMatchObject({ shownBy: "note" });
});

describe("going on", () => {
  const found = { unsaved: 0, unanswered: 0, swallowed: 0, waiting: 1, tools: [], unread: 0 };
  const looked = (step: Step): Outcome => ({ ...step, found });
  const rows: readonly (readonly [Outcome, "conversation" | "note"])[] = [
    [{ kind: "nothing" }, "note"],
    [{ kind: "elsewhere" }, "note"],
    [{ kind: "busy" }, "conversation"],
    [{ kind: "undone", found }, "note"],
    [looked({ kind: "rest" }), "conversation"],
    [looked({ kind: "promote" }), "conversation"],
    [looked({ kind: "hold", why: "failed" }), "note"],
  ];
  test.each(rows)("%j shows in the %s", async (drive, shownBy) => {
    expect(await stage({ drive }).act("ctx-resume")).toEqual({
      ...{ text: describeOutcome(drive), shownBy },
    });
  });

  test("is not begun where OpenCode ends with the command", async () => {
    const { act, did } = stage({ drive: { kind: "busy" } });
    const { text, shownBy } = await act("ctx-resume", "", "ends");
    expect(text).toStartWith(
      `Nothing was started, because OpenCode ends with this command. Open the session`,
    );
    expect([shownBy, did]).toEqual(["note", []]);
  });
});

test("interrupting says what came of it", async () => {
  for (const [stop, words] of [
    ["stopped", "Stopped. Queued prompts are held"],
    ["idle", "Nothing is running in this session"],
    ["lingers", "OpenCode was asked to stop, but"],
  ] as const) {
    const { text, shownBy } = await stage({ stop }).act("ctx-interrupt");
    expect(text).toStartWith(words);
    expect(shownBy).toBe("note");
  }
});
