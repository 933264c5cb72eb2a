import { describe, expect, test } from "bun:test";
import type { ShownQueue } from "../../src/feature-api/screen.ts";
import { parseQueueRequest } from "../../src/features/inbox/queue-command.ts";
import { describeTrouble } from "../../src/tui/host-command.ts";
import {
  formatQueueArguments,
  handleKey,
  QUEUE_KEYS,
  type QueueKey,
  type QueueState,
  replaceQueue,
} from "../../src/tui/queue-state.ts";

const createQueue = (...ids: readonly string[]): ShownQueue => ({
  activity: "busy",
  waiting: ids.map((id) => ({ id, text: `Do ${id}`, files: 0 })),
  length: ids.length,
});

const createState = (chosenId: string | null, ...ids: readonly string[]): QueueState => ({
  queue: createQueue(...ids),
  chosenId,
  trouble: null,
});

describe("keys of the queue's dialog", () => {
  const cases: readonly (readonly [QueueKey, string, object])[] = [
    ["up", "b", { kind: "choose", id: "a" }],
    ["up", "a", { kind: "none" }],
    ["down", "b", { kind: "choose", id: "c" }],
    ["down", "c", { kind: "none" }],
    ["move-up", "b", { kind: "change", change: { kind: "move", id: "b", by: -1 } }],
    ["move-up", "a", { kind: "none" }],
    ["move-down", "b", { kind: "change", change: { kind: "move", id: "b", by: 1 } }],
    ["move-down", "c", { kind: "none" }],
    ["add", "b", { kind: "write", edited: null }],
    ["edit", "b", { kind: "write", edited: { id: "b", text: "Do b", files: 0 } }],
    ["drop", "b", { kind: "change", change: { kind: "drop", id: "b" } }],
  ];
  test.each([...cases])("%s at %s", (key, chosenId, intent) => {
    expect(handleKey(createState(chosenId, "a", "b", "c"), key)).toEqual(intent as never);
  });

  test("in an empty queue a prompt can be added and nothing else; before it is read, nothing", () => {
    const unread = { queue: null, chosenId: null, trouble: null };
    for (const key of QUEUE_KEYS) {
      expect(handleKey(createState(null), key).kind).toBe(key === "add" ? "write" : "none");
      expect(handleKey(unread, key).kind).toBe("none");
    }
  });

  test("the last prompt that is shown can move among those that are not", () => {
    const queue = { ...createQueue("a", "b"), length: 3 };
    const intent = handleKey({ queue, chosenId: "b", trouble: null }, "move-down");
    expect(intent.kind).toBe("change");
  });
});

describe("what is chosen as the queue changes", () => {
  test("the first at the beginning, and then the same prompt wherever it is", () => {
    const begun = replaceQueue(
      { queue: null, chosenId: null, trouble: null },
      createQueue("a", "b"),
    );
    expect(begun.chosenId).toBe("a");
    expect(replaceQueue(begun, createQueue("c", "b", "a")).chosenId).toBe("a");
  });

  test("where it has left the queue, the one in its place; at the end the last; none in an empty one", () => {
    const state = createState("b", "a", "b", "c");
    expect(replaceQueue(state, createQueue("a", "c")).chosenId).toBe("c");
    expect(replaceQueue(state, createQueue("a")).chosenId).toBe("a");
    expect(replaceQueue(state, createQueue()).chosenId).toBeNull();
  });
});

describe("changes as /ctx-queue takes them", () => {
  test("by the places of this moment, and understood as they are meant", () => {
    const queue = createQueue("a", "b", "c");
    const parsed = (change: Parameters<typeof formatQueueArguments>[0]) =>
      parseQueueRequest(String(formatQueueArguments(change, queue)));
    expect(parsed({ kind: "drop", id: "b" })).toEqual({ kind: "drop", from: 2, to: 2 });
    expect(parsed({ kind: "move", id: "c", by: -1 })).toEqual({ kind: "move", from: 3, to: 2 });
    expect(parsed({ kind: "edit", id: "a", text: "Two\nlines" })).toEqual({
      kind: "edit",
      place: 1,
      text: "Two\nlines",
    });
    for (const text of ["drop all", "-- x", "list", "edit 1 x"]) {
      expect(parsed({ kind: "add", text })).toEqual({ kind: "add", text });
    }
  });

  test("a prompt that was sent meanwhile is left alone, as is an empty text and the end of the queue", () => {
    const queue = createQueue("a");
    expect(formatQueueArguments({ kind: "drop", id: "gone" }, queue)).toBeNull();
    expect(formatQueueArguments({ kind: "edit", id: "gone", text: "New" }, queue)).toBeNull();
    expect(formatQueueArguments({ kind: "edit", id: "a", text: " \n" }, queue)).toBeNull();
    expect(formatQueueArguments({ kind: "add", text: "  " }, queue)).toBeNull();
    expect(formatQueueArguments({ kind: "move", id: "a", by: -1 }, queue)).toBeNull();
    expect(formatQueueArguments({ kind: "move", id: "a", by: 1 }, queue)).toBeNull();
  });
});

describe("how a command ended", () => {
  test("the end of one that has done its work is not trouble", () => {
    const message = "This is not an error: /ctx-queue was answered without a model call. Done.";
    expect(describeTrouble("ctx-queue", { name: "UnknownError", data: { message } })).toBeNull();
    expect(describeTrouble("ctx-queue", new Error(message))).toBeNull();
  });

  test("any other error is shown, and so is a command that went to the model", () => {
    const message = "/ctx-queue could not be answered, and no model was called: see the log.";
    expect(describeTrouble("ctx-queue", { data: { message } })).toBe(message);
    expect(describeTrouble("ctx-resume", new Error("fetch failed"))).toBe("fetch failed");
    expect(describeTrouble("ctx-resume", undefined)).toContain("ran /ctx-resume as a prompt");
  });
});
