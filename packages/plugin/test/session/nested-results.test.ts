import { describe, expect, test } from "bun:test";
import { hashText } from "../../src/context/canonical.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import {
  draftNestedWitnesses,
  listNestedPaths,
  stripKnownInstructions,
} from "../../src/session/nested-witness.ts";
import { toNestedKey } from "../../src/sources/nested-instructions.ts";

const path = "/project/app/AGENTS.md";
const reminder = `\n\n<system-reminder>\nInstructions from: ${path}\nUse tabs.\n</system-reminder>`;
const output = `<path>x</path>\n<content>\n1: x\n</content>${reminder}`;
const json = (content: string) => JSON.stringify({ path, content });
const snapshot = (entry: string, key: string = toNestedKey(path, hashText)) =>
  ({ [key]: { hash: "0", json: entry, removed: null } }) as never;

describe("a read result without the copies of what the model has been told", () => {
  test("the copy goes where it is the told text word for word", () => {
    const told = snapshot(json("Use tabs."));
    expect(stripKnownInstructions(output, { loaded: [path] }, told)).toBe(
      output.replace(reminder, ""),
    );
  });

  const kept: readonly (readonly [string, unknown, never])[] = [
    ["the told text is another one", { loaded: [path] }, snapshot(json("Use spaces."))],
    ["nothing was told of the file", { loaded: [path] }, snapshot(json("Use tabs."), "team/x")],
    ["what was told can't be read", { loaded: [path] }, snapshot("{")],
    ["the host doesn't say that it appended a file", { loaded: [] }, snapshot(json("Use tabs."))],
    ["its note names no files", { loaded: path }, snapshot(json("Use tabs."))],
    [
      "its note names something else than files",
      { loaded: [1, null] },
      snapshot(json("Use tabs.")),
    ],
    ["there is no note of files", {}, snapshot(json("Use tabs."))],
    ["there is no note", undefined, snapshot(json("Use tabs."))],
    ["the note is empty", null, snapshot(json("Use tabs."))],
    ["the note is a text", "loaded", snapshot(json("Use tabs."))],
  ];
  test.each(kept)("it stays where %s", (_what, metadata, told) => {
    expect(stripKnownInstructions(output, metadata, told)).toBe(output);
  });
});

describe("nested files that are watched", () => {
  test("are those of the snapshot, without what can't be read and what is of other sources", () => {
    const other = "/project/lib/AGENTS.md";
    const entries = {
      ...(snapshot(json("a")) as object),
      ...(snapshot(JSON.stringify({ path: other, content: "" }), "team/x") as object),
      ...(snapshot("{", toNestedKey(other, hashText)) as object),
    };
    expect(listNestedPaths(entries as never)).toEqual([path]);
  });
});

describe("a result that showed a nested file is a witness", () => {
  function shownBy(tool: string, state: object): readonly unknown[] {
    const part = {
      id: "p1",
      messageID: "a1",
      sessionID: "s",
      type: "tool",
      callID: "c",
      tool,
      state,
    };
    const message = { info: { id: "a1", sessionID: "s", role: "assistant" }, parts: [part] };
    const files = { observe: () => null } as never;
    return draftNestedWitnesses([message] as unknown as readonly HostMessage[], [], files);
  }
  const state = { status: "completed", input: {}, output, metadata: { loaded: [path] }, time: {} };

  test("of a read that is done", () => {
    expect(shownBy("read", state)).toMatchObject([{ anchor: { messageId: "a1", partId: "p1" } }]);
  });

  test("not of another tool, a read that is not done, a blanked one, or one that showed none", () => {
    expect(shownBy("bash", state)).toEqual([]);
    expect(shownBy("read", { ...state, status: "error", error: "" })).toEqual([]);
    expect(shownBy("read", { ...state, time: { compacted: 1 } })).toEqual([]);
    expect(shownBy("read", { ...state, output: "no reminder" })).toEqual([]);
    expect(shownBy("read", { ...state, metadata: {} })).toEqual([]);
    const numbered = { output: output.replace(path, "7"), metadata: { loaded: [7] } };
    expect(shownBy("read", { ...state, ...numbered })).toEqual([]);
  });
});
