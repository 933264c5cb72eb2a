// Messages of the host as rows of the kernel, and the rows that it projects as messages again.
import { describe, expect, test } from "bun:test";
import type { V2Message, V2Part, V2Result } from "../../src/hooks-v2/context.ts";
import { groupMessages, type MessageGroup } from "../../src/hooks-v2/rows.ts";
import { toSentMessages } from "../../src/hooks-v2/send.ts";
import type { HostMessage, HostPart } from "../../src/ledger/message.ts";
import { replay } from "../../src/ledger/replay.ts";

const text = (words: string): V2Part => ({ type: "text", text: words });
const call = (id: string): V2Part => ({
  type: "tool-call",
  id,
  name: "read",
  input: { path: "a" },
});
const result = (id: string, given: V2Result): V2Part => ({
  ...{ type: "tool-result", id, name: "read", result: given },
});
const user = (id: string): V2Message => ({ id, role: "user", content: [text(`Prompt ${id}.`)] });
const answer = (id: string, ...content: readonly V2Part[]): V2Message => ({
  ...{ id, role: "assistant", content },
});
const results = (...content: readonly V2Part[]): V2Message => ({ role: "tool", content });
const update: V2Message = { role: "system", content: [text("Use tabs.")] };
const read: V2Result = { type: "text", value: "read" };

function grouped(
  messages: readonly V2Message[],
  stored: Parameters<typeof groupMessages>[1] = new Map(),
): readonly MessageGroup[] | null {
  const model = { id: "opus", providerID: "anthropic" };
  return groupMessages({ sessionID: "ses_1", agent: "build", model, messages }, stored);
}

const groups = (...messages: readonly V2Message[]) => grouped(messages) ?? [];

/** What the projection makes of the row at this place. */
const changed = (group: MessageGroup | undefined, change: (part: HostPart) => readonly object[]) =>
  ({ info: group?.row.info, parts: group?.row.parts.flatMap(change) }) as HostMessage;

describe("a request that is built as none that was read is left alone", () => {
  test.each([
    ["a result comes first", [results(result("a", read)), user("1")]],
    ["a user's message has no id", [user("1"), { role: "user", content: [] }]],
    ["the first message has no id", [{ role: "assistant", content: [] }]],
    ["two messages have one id", [user("1"), answer("1")]],
  ] as const)("where %s", (_, messages) => {
    expect(grouped(messages)).toBeNull();
  });
});

describe("a row", () => {
  test("of what a skill, a shell or a plugin has put into the user's role holds no typed words", () => {
    const types = ["user", "synthetic", "skill", "shell"];
    const stored = new Map(types.map((type) => [type, { time: { created: 1 }, type }]));
    const all = grouped([...types, "unknown"].map(user), stored) ?? [];
    const typed = all.map(({ row }) => row.parts.map((part) => Reflect.get(part, "typed")));
    expect(typed).toEqual([[undefined], [""], [""], [""], [undefined]]);
    expect(all.every(({ row }) => !("type" in row.info))).toBe(true);
  });

  test("has the agent and the model of the call, and an answer the prompt that it is to", () => {
    const stored = new Map([
      ["2", { time: { created: 5, completed: 6 }, tokens: { input: 3 }, finish: "stop" }],
    ]);
    const all = grouped([user("1"), answer("2"), user("3"), answer("4")], stored) ?? [];
    const named = { providerID: "anthropic", modelID: "opus" };
    const base = { sessionID: "ses_1", time: { created: 0 } };
    expect(all.map(({ row }) => row.info)).toEqual([
      { ...base, id: "1", role: "user", agent: "build", model: named },
      {
        ...{ ...base, id: "2", role: "assistant", parentID: "1", ...named },
        ...{ time: { created: 5, completed: 6 }, tokens: { input: 3 }, finish: "stop" },
      },
      { ...base, id: "3", role: "user", agent: "build", model: named },
      { ...base, id: "4", role: "assistant", parentID: "3", ...named },
    ] as never);
  });

  test.each([
    ["text", { type: "text", value: "read" }, { status: "completed", output: "read" }],
    ["JSON", { type: "json", value: { a: [1] } }, { status: "completed", output: '{"a":[1]}' }],
    ["nothing", { type: "json", value: undefined }, { status: "completed", output: "" }],
    ["an error", { type: "error", value: "gone" }, { status: "error", error: "gone" }],
    [
      "content",
      { type: "content", value: [{ text: "a" }, { text: 7 }, null, "x", { text: "b" }] },
      { status: "completed", output: "a\n\n\n\nb" },
    ],
    ["a list", { type: "json", value: [{ text: "a" }] }, { output: '[{"text":"a"}]' }],
    ["no list", { type: "content", value: { text: "a" } }, { output: '{"text":"a"}' }],
  ] as const)("has a call with its result: %s", (_, given, state) => {
    const [, row] = groups(user("1"), answer("2", call("a")), results(result("a", given)));
    const [part] = row?.row.parts ?? [];
    expect(part).toMatchObject({ type: "tool", tool: "read", callID: "a", metadata: {}, state });
    expect(part).toMatchObject({ id: "2/a", state: { input: { filePath: "a" } } });
  });

  test("has a call without a result as one that runs, and what the provider ran as that", () => {
    const own = { ...call("b"), providerExecuted: true } as V2Part;
    const image = { type: "media" } as unknown as V2Part;
    const reasoning: V2Part = { type: "reasoning", text: "Hm." };
    const [, row] = groups(user("1"), answer("2", reasoning, call("a"), own, image));
    const state = { status: "running", input: { filePath: "a" } };
    const base = { messageID: "2", sessionID: "ses_1" };
    expect(row?.row.parts).toEqual([
      { ...base, id: "2/0", type: "reasoning", text: "Hm." },
      { ...base, id: "2/a", type: "tool", tool: "read", callID: "a", metadata: {}, state },
      {
        ...{ ...base, id: "2/b", type: "tool", tool: "read", callID: "b", state },
        metadata: { providerExecuted: true },
      },
      { ...base, id: "2/3", type: "v2:media" },
    ] as never);
  });
});

describe("what is sent", () => {
  const session = [
    user("1"),
    answer("2", text("I read."), call("a"), call("b")),
    update,
    results(result("a", read), result("b", { type: "error", value: "gone" })),
    user("3"),
  ];

  test("is the host's own objects where nothing changed", () => {
    const all = groups(...session);
    const sent = toSentMessages(
      all,
      all.map(({ row }) => row),
    );
    expect(sent.map((message, at) => message === session[at])).toEqual(session.map(() => true));
  });

  test("has a text in a result's place, and leaves the others and the call's words alone", () => {
    const all = groups(...session);
    const stub = (part: HostPart) =>
      part.id === "2/a"
        ? [{ ...part, state: { status: "completed", output: "Dropped." } }]
        : [part];
    const sent = toSentMessages(all, [all[0]?.row, changed(all[1], stub), all[2]?.row] as never);
    expect(sent).toEqual([
      ...session.slice(0, 3),
      results(
        result("a", { type: "text", value: "Dropped." }),
        result("b", { type: "error", value: "gone" }),
      ),
      ...session.slice(4),
    ]);
    expect(sent[1]?.content[0]).toBe(session[1]?.content[0] as V2Part);
  });

  test("keeps a failed call's result as a failure", () => {
    const all = groups(...session);
    const stub = (part: HostPart) =>
      part.id === "2/b" ? [{ ...part, state: { status: "error", error: "Dropped." } }] : [part];
    const sent = toSentMessages(all, [changed(all[1], stub)]);
    expect(sent[2]?.content[1]).toEqual(result("b", { type: "error", value: "Dropped." }));
  });

  test("drops a result with its call, and a message of results that has none left", () => {
    const all = groups(...session);
    const without = (...ids: readonly string[]) =>
      changed(all[1], (part) => (ids.includes(part.id) ? [] : [part]));
    const [, , some] = toSentMessages(all, [without("2/a")]);
    expect(some?.content).toEqual([result("b", { type: "error", value: "gone" })]);
    expect(toSentMessages(all, [without("2/a", "2/b")])).toEqual([
      answer("2", text("I read.")),
      update,
    ]);
  });

  test("takes the provider's seal from words that changed, and from no others", () => {
    const sealed: V2Part = { type: "reasoning", text: "Hm.", providerMetadata: { seal: 1 } };
    const all = groups(user("1"), answer("2", sealed, text("Yes."), call("a"), sealed));
    const revise = (part: HostPart) => (part.id === "2/3" ? [part] : [{ ...part, text: "New." }]);
    const [sent] = toSentMessages(all, [changed(all[1], revise)]);
    expect(sent?.content).toEqual([
      { type: "reasoning", text: "New." },
      text("New."),
      call("a"),
      sealed,
    ]);
    const wordless = changed(all[1], (part) => [
      part.type === "tool" ? part : { ...part, text: 7 },
    ]);
    expect(toSentMessages(all, [wordless])[0]?.content).toEqual(all[1]?.head?.content as never);
  });

  test("has a message of ours with its texts alone, and appended texts at their place", () => {
    const all = groups(user("1"));
    const made = { type: "text", text: "Made." };
    const parts = [made, { type: "text", text: 7 }, { type: "file", text: "x" }];
    const ours = { info: { id: "ours", role: "assistant" }, parts };
    const longer = { info: all[0]?.row.info, parts: [...(all[0]?.row.parts ?? []), made] };
    expect(toSentMessages(all, [ours, longer] as never)).toEqual([
      { role: "assistant", content: [text("Made.")] },
      { ...user("1"), content: [text("Prompt 1."), text("Made.")] },
    ]);
  });

  test("keeps the host's system updates of what is left out, in order, and nothing else of it", () => {
    const later: V2Message = { role: "system", content: [text("Use spaces.")] };
    const all = groups(...session, later);
    const fold = { info: { id: "fold", role: "user" }, parts: [{ type: "text", text: "Folded." }] };
    expect(toSentMessages(all, [fold] as never)).toEqual([
      { role: "user", content: [text("Folded.")] },
      update,
      later,
    ]);
    expect(toSentMessages(all, [fold, all[2]?.row] as never)).toEqual([
      { role: "user", content: [text("Folded.")] },
      ...[update, user("3"), later],
    ]);
  });
});

describe("what is put after a result", () => {
  const sentAs = (given: V2Result) => {
    const own = groups(user("1"), answer("2", call("a")), results(result("a", given)));
    const after = { messageId: "2", partId: null };
    const edit = { verb: "insert", after, text: "News." } as const;
    const sent = toSentMessages(
      own,
      replay(
        [{ seq: 1, edit }],
        own.map(({ row }) => row),
      ),
    );
    const [part] = sent.at(-1)?.content ?? [];
    return part?.type === "tool-result" ? part.result : null;
  };

  test.each<[string, V2Result, V2Result]>([
    ["text", read, { type: "text", value: "read\n\nNews." }],
    ["JSON", { type: "json", value: { a: 1 } }, { type: "text", value: '{"a":1}\n\nNews.' }],
    ["an error", { type: "error", value: "gone" }, { type: "error", value: "gone\n\nNews." }],
    [
      "content",
      {
        type: "content",
        value: [
          { type: "text", text: "a" },
          { type: "file", uri: "b" },
        ],
      },
      {
        type: "content",
        value: [
          { type: "text", text: "a" },
          { type: "file", uri: "b" },
          { type: "text", text: "News." },
        ],
      },
    ],
  ])("of %s leaves it all that the tool said", (_, given, expected) => {
    expect(sentAs(given)).toEqual(expected);
  });
});
