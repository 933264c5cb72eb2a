import { describe, expect, test } from "bun:test";
import { listEdits } from "@session-runtime/opencode/ledger/entry";
import { replay } from "@session-runtime/opencode/ledger/replay";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import * as fc from "fast-check";
import { KnownRows } from "../src/known-rows.ts";
import { toPiMessages } from "../src/messages.ts";
import type { PiAssistant, PiEntry, PiMessage, PiToolResult } from "../src/pi.ts";
import { groupMessages, type RowGroup } from "../src/rows.ts";

const model = { provider: "mock", id: "plain-1" };
const createReader = () => ({ sessionId: "s1" as SessionId, model, known: new KnownRows() });
const reader = createReader();
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };

const text = (said: string) => ({ type: "text", text: said }) as const;
const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;

function answer(at: number, content: PiAssistant["content"]): PiAssistant {
  const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  const by = { provider: "mock", model: "plain-1", usage };
  return { role: "assistant", content, ...by, stopReason, timestamp: at };
}

function call(id: string, name: string, given: Record<string, unknown>) {
  return { type: "toolCall", id, name, arguments: given } as const;
}

function result(at: number, id: string, content: PiToolResult["content"]): PiToolResult {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: "read",
    content,
    isError: false,
    timestamp: at,
  };
}

function toEntries(messages: readonly PiMessage[]): readonly PiEntry[] {
  return messages.map((message, at) => ({ sourceEntry: { id: `e${at}` }, messages: [message] }));
}

function grouped(messages: readonly PiMessage[]): readonly RowGroup[] {
  const groups = groupMessages(toEntries(messages), messages, createReader());
  if (!groups) throw new Error("not grouped");
  return groups;
}

const rowsIn = (groups: readonly RowGroup[]) =>
  groups.flatMap((group) => (group.kind === "row" ? [group.row] : []));

/** A prompt, a read of two files, an answer. */
const session: readonly PiMessage[] = [
  { role: "user", content: "Look.", timestamp: 1 },
  answer(2, [
    { type: "thinking", thinking: "Which?", thinkingSignature: "sig" },
    call("c1", "read", { path: "a.ts" }),
    call("c2", "ls", { path: "src" }),
  ]),
  result(3, "c1", [text("one")]),
  result(4, "c2", [text("two"), image]),
  answer(5, [text("Done.")]),
  { role: "user", content: [text("And this?"), image], timestamp: 6 },
];

describe("Pi's messages as rows", () => {
  test("an entry is a row, a block a part, and a call holds its result", () => {
    const [prompt, looked, done, asked] = rowsIn(grouped(session));
    expect(prompt).toMatchObject({ info: { id: "e0", role: "user" }, parts: [{ id: "e0#0" }] });
    expect(looked).toMatchObject({
      info: { id: "e1", role: "assistant", parentID: "e0", finish: "tool-calls" },
      parts: [
        { type: "reasoning", text: "Which?" },
        { tool: "read", callID: "c1", state: { input: { filePath: "a.ts" }, output: "one" } },
        { tool: "list", callID: "c2", state: { output: "two", attachments: [image] } },
      ],
    });
    expect(done?.parts).toMatchObject([{ id: "e4#0", text: "Done." }]);
    expect(asked?.parts).toMatchObject([{ text: "And this?" }, { type: "file" }]);
  });

  test("a failed answer, a failed call and a left out command are marked as such", () => {
    const failed = { ...answer(1, []), stopReason: "error", errorMessage: "down" } as const;
    const wrong = { ...result(3, "c1", [text("no file")]), isError: true };
    const shell = { command: "ls", output: "a", excludeFromContext: true, timestamp: 4 } as const;
    const [first, second, third] = rowsIn(
      grouped([
        failed,
        answer(2, [call("c1", "read", {})]),
        wrong,
        { role: "bashExecution", ...shell },
      ]),
    );
    expect(first?.info).toMatchObject({ error: { name: "error" } });
    expect(second?.parts).toMatchObject([{ state: { status: "error", error: "no file" } }]);
    expect(third?.parts).toMatchObject([{ ignored: true, typed: "" }]);
  });

  test("what Pi or an extension sends in the user's role was not typed, and what he sends may be", () => {
    const custom = { role: "custom", content: "From an extension.", timestamp: 1 } as const;
    const branch = { role: "branchSummary", summary: "We left.", timestamp: 2 } as const;
    const prompt = { role: "user", content: "Look.", timestamp: 3 } as const;
    const typed = rowsIn(grouped([custom, branch, prompt])).map(({ parts }) =>
      parts.map((part) => ("typed" in part ? part.typed : "all")),
    );
    expect(typed).toEqual([[""], [""], ["all"]]);
  });

  test("a compaction is the row that asks for it and its finished summary", () => {
    const summary = { role: "compactionSummary", summary: "We read.", timestamp: 1 } as const;
    const groups = grouped([summary, ...session.slice(4)]);
    expect(rowsIn(groups).slice(0, 2)).toMatchObject([
      { info: { id: "e0", role: "user" }, parts: [{ type: "compaction" }] },
      { info: { parentID: "e0", summary: true, finish: "stop" }, parts: [{ text: "We read." }] },
    ]);
    expect(toPiMessages(groups, rowsIn(groups))).toEqual([summary, ...session.slice(4)]);
  });

  test("messages that another extension has changed are not taken for the entries'", () => {
    const entries = toEntries(session);
    expect(groupMessages(entries, session.slice(1), reader)).toBeNull();
    const moved = session.map((one, at) => (at === 0 ? { ...one, timestamp: 9 } : one));
    expect(groupMessages(entries, moved, reader)).toBeNull();
    const orphan = [session[0], result(2, "c9", [])].filter((one) => one !== undefined);
    expect(groupMessages(toEntries(orphan), orphan, reader)).toBeNull();
  });
});

const block = fc.oneof(fc.string().map(text), fc.constant(image));
const prompts = fc
  .oneof(fc.string(), fc.array(block))
  .map((content) => [{ role: "user", content } as const]);
const turns = fc
  .array(fc.record({ said: fc.string(), output: fc.string(), isAsked: fc.boolean() }))
  .map((steps) =>
    steps.flatMap(({ said, output, isAsked }, at): readonly PiMessage[] =>
      isAsked
        ? [
            answer(0, [text(said), call(`c${at}`, "bash", { command: said })]),
            result(0, `c${at}`, [text(output)]),
          ]
        : [answer(0, [text(said)])],
    ),
  );
const patch = { role: "system", content: "", sections: { rules: "Be kind." } } as const;
const histories = fc
  .array(fc.oneof(prompts, turns, fc.constant([patch])))
  .map((runs) => runs.flat().map((one, at): PiMessage => ({ ...one, timestamp: at }) as PiMessage));

describe("rows as Pi's messages", () => {
  test("what nothing changes goes back by reference, in its order", () => {
    fc.assert(
      fc.property(histories, (messages) => {
        const groups = grouped(messages);
        const sent = toPiMessages(groups, rowsIn(groups));
        expect(sent.length).toBe(messages.length);
        for (const [at, message] of sent.entries()) expect(message).toBe(messages[at] as PiMessage);
      }),
    );
  });

  test("edits appear at their places, and everything else is the same object", () => {
    const groups = grouped(session);
    const edits = listEdits(
      [
        { verb: "insert", after: { messageId: "e0", partId: null }, text: "<system-update>" },
        { verb: "omit", at: { messageId: "e1", partId: "e1#0" } },
        { verb: "replace", at: { messageId: "e1", partId: "e1#2" }, text: "dropped" },
        { verb: "insert", after: { messageId: "e1", partId: null }, text: "More." },
        { verb: "insert", after: { messageId: "e4", partId: null }, text: "News." },
      ].map((edit, at) => ({ seq: at + 1, edit }) as Parameters<typeof listEdits>[0][number]),
    );
    const sent = toPiMessages(groups, replay(edits, rowsIn(groups)));
    expect(sent).toMatchObject([
      { role: "user", content: [text("Look."), text("<system-update>")] },
      { role: "assistant", content: [{ id: "c1" }, { id: "c2" }] },
      { toolCallId: "c1", content: [text("one")] },
      { toolCallId: "c2", content: [text("dropped\n\nMore.")] },
      { role: "assistant" },
      { role: "user", content: [text("News."), text("And this?"), image] },
    ]);
    expect(sent[2]).toBe(session[2] as PiMessage);
  });

  test("what is put after a result leaves it its pictures, which go with its words", () => {
    const result = session[3] as PiToolResult;
    const pictured = { ...result, content: [text("two"), image] };
    const groups = grouped([...session.slice(0, 3), pictured]);
    const after = { messageId: "e1", partId: null };
    const told = { seq: 1, edit: { verb: "insert", after, text: "More." } } as const;
    const at = { messageId: "e1", partId: "e1#2" };
    const dropped = { seq: 2, edit: { verb: "replace", at, text: "dropped" } } as const;
    const last = (...edits: Parameters<typeof replay>[0]) =>
      toPiMessages(groups, replay(edits, rowsIn(groups))).at(-1);
    expect(last(told)).toMatchObject({ content: [text("two\n\nMore."), image] });
    expect(last(told, dropped)).toEqual({
      ...pictured,
      content: [text("dropped\n\nMore.")],
    } as PiMessage);
  });

  describe("a fold takes its messages with their results, and a system message between stays", () => {
    const more = [answer(7, [call("c3", "read", { path: "b.ts" })]), result(8, "c3", [text("b")])];
    const messages = [
      ...session.slice(0, 4),
      { ...patch, timestamp: 9 },
      ...more,
      ...session.slice(4),
    ];
    const groups = grouped(messages);
    const folded = (first: string, last: string) => {
      const edit = { verb: "fold", first, last, text: "Folded." } as const;
      return toPiMessages(groups, replay(listEdits([{ seq: 1, edit }]), rowsIn(groups)));
    };
    const system = { role: "system", content: "", sections: patch.sections };

    test("its record is in the user's message before, after his words", () => {
      const sent = folded("e1", "e5");
      expect(sent).toMatchObject([
        { role: "user", content: [text("Look."), text("Folded.")] },
        system,
        { role: "assistant", content: [text("Done.")] },
        { role: "user", content: [text("And this?"), image] },
      ]);
      expect(sent.slice(1)).toEqual(messages.slice(-2).toSpliced(0, 0, messages[4] as PiMessage));
    });

    test("where none of his stands before, it begins the one that follows", () => {
      expect(folded("e0", "e7")).toMatchObject([
        system,
        { role: "user", content: [text("Folded."), text("And this?"), image] },
      ]);
    });

    test("between two answers it is a message of its own", () => {
      expect(folded("e5", "e5")).toMatchObject([
        { role: "user", content: "Look." },
        { role: "assistant" },
        { toolCallId: "c1" },
        { toolCallId: "c2" },
        { role: "user", content: [text("Folded.")] },
        system,
        { role: "assistant", content: [text("Done.")] },
        { role: "user", content: [text("And this?"), image] },
      ]);
    });
  });
});
