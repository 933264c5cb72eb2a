import { describe, expect, test } from "bun:test";
import { selectInboxStores } from "../../../src/features/inbox/inbox-deps.ts";
import { LiveParts } from "../../../src/features/inbox/instance.ts";
import { Workspace } from "../../storage/workspace.ts";
import { createPrompt, inputRecord } from "./records.ts";

const workspace = new Workspace();
const parts = (...ids: readonly string[]) => ids.map((id) => ({ id, type: "text" }));

function stage() {
  const { inbox } = selectInboxStores(workspace.open(workspace.path()));
  const live = new LiveParts(() => inbox);
  const admit = (id: string, ...partIds: readonly string[]) =>
    inbox.admit({
      ...inputRecord(id, "steer"),
      prompt: { ...createPrompt(id), form: "resolved", parts: parts(...partIds) },
    });
  const stored = (id: string) => inbox.prompt(id)?.parts.map((part) => part.id);
  return { inbox, live, admit, stored };
}

describe("parts that another plugin takes out after us", () => {
  test("leave the stored prompt, and no others", () => {
    const { live, admit, stored } = stage();
    admit("msg_1", "a", "b", "c");
    const list = parts("a", "b", "c");
    live.keep("msg_1", list);
    list.splice(1, 2, ...parts("c", "new"));
    live.follow("msg_1");
    expect(stored("msg_1")).toEqual(["a", "c"]);
  });

  test("are none where nothing was taken out, or the prompt didn't come here", () => {
    const { inbox, live, admit, stored } = stage();
    admit("msg_1", "a", "b");
    live.follow("msg_1");
    live.keep("msg_1", parts("a", "b"));
    live.follow("msg_1");
    expect(stored("msg_1")).toEqual(["a", "b"]);
    const list = parts("a");
    live.keep("msg_2", list);
    list.pop();
    expect(() => live.follow("msg_2")).not.toThrow();
    admit("msg_2", "a");
    inbox.settle("msg_2", "answered", 1);
    expect(() => live.follow("msg_2")).not.toThrow();
  });
});

describe("a message holds all of a prompt", () => {
  test("that came here, by the host's own list of its parts; the rows are not asked", () => {
    const live = new LiveParts(() => {
      throw new Error("asked");
    });
    const list = parts("a", "b");
    live.keep("msg_1", list);
    expect(live.hasAllParts("msg_1", parts("a"))).toBe(false);
    expect(live.hasAllParts("msg_1", parts("b", "a", "c"))).toBe(true);
    list.pop();
    expect(live.hasAllParts("msg_1", parts("a"))).toBe(true);
    live.forget("msg_1");
    expect(() => live.hasAllParts("msg_1", parts("a"))).toThrow("asked");
  });

  test("that came to another process, by its row; one that no row holds is whole", () => {
    const { inbox, live, admit } = stage();
    admit("msg_1", "a", "b");
    expect(live.hasAllParts("msg_1", parts("a"))).toBe(false);
    expect(live.hasAllParts("msg_1", parts("a", "b"))).toBe(true);
    expect(live.hasAllParts("msg_2", [])).toBe(true);
    inbox.settle("msg_1", "answered", 1);
    expect(live.hasAllParts("msg_1", parts("a"))).toBe(true);
  });
});
