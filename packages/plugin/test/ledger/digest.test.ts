import { describe, expect, test } from "bun:test";
import { digestContent } from "../../src/ledger/digest.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import {
  assistant,
  done,
  failed,
  ignored,
  image,
  interrupted,
  type LoosePart,
  open,
  pruned,
  reasoning,
  synthetic,
  text,
  user,
  withImage,
} from "./history.ts";

/** Where nothing is remembered. */
const content = (messages: readonly HostMessage[], upToIndex: number) =>
  digestContent(messages, upToIndex, new Map());

/** One message of each part, and what differs from all others under each digest. */
const parts: readonly LoosePart[] = [
  text("a"),
  text("ab"),
  ignored("a"),
  reasoning("a"),
  image("x"),
  done("c", "a"),
  pruned("c", "a"),
  withImage("c", "a"),
  failed("c", "a"),
  open("c", "pending"),
  open("c", "running"),
  { type: "compaction" },
  { type: "subtask" },
];

describe("content", () => {
  const all = [user("u1", text("hello")), assistant("a1", ...parts), user("u2", text("bye"))];

  test("is 16 hex digits, the same for equal histories", () => {
    expect(content(all, 2)).toMatch(/^[0-9a-f]{16}$/);
    expect(content(structuredClone(all), 2)).toBe(content(all, 2));
  });

  test("covers the messages up to and including the index, and no later one", () => {
    expect(content(all, 1)).toBe(content(all.slice(0, 2), 99));
    expect(content(all, 1)).not.toBe(content(all, 2));
    expect(content(all, -1)).toBe(content([], 0));
  });

  test("tells kinds, states, flags and lengths apart", () => {
    const seen = parts.map((part) => content([assistant("a1", part)], 0));
    expect(new Set(seen).size).toBe(parts.length);
    expect(content([user("m", text("a"))], 0)).not.toBe(content([assistant("m", text("a"))], 0));
  });

  test("takes a synthetic text under any id for the same", () => {
    const one = user("u1", text("a"), synthetic("plan"));
    const other: HostMessage = {
      ...one,
      parts: one.parts.map((part, index) => (index === 1 ? { ...part, id: "random" } : part)),
    };
    expect(content([other], 0)).toBe(content([one], 0));
  });
});

test("content takes no notice of ids", () => {
  expect(content([user("u1", text("a"))], 0)).not.toBe(content([user("u1", text("b"))], 0));
  expect(content([user("u1", text("a"))], 0)).toBe(content([user("u2", text("a"))], 0));
});

test("content sees the output of an interrupted call, a file's place and the provider's marks", () => {
  const differing: readonly (readonly [LoosePart, LoosePart])[] = [
    [interrupted("c", "a"), interrupted("c", "b")],
    [image("x"), image("y")],
    [reasoning("a"), { ...reasoning("a"), metadata: "other" }],
    [text("a"), { ...text("a"), metadata: "other" }],
  ];
  for (const [one, other] of differing) {
    expect(content([assistant("a1", one)], 0)).not.toBe(content([assistant("a1", other)], 0));
  }
});

test("content stays what it is: digests are stored, and compared by later versions", () => {
  const all = [user("u1", text("hello"), ignored("note")), assistant("a1", ...parts)];
  expect(content(all, 1)).toBe("08be7a3f0f2e22be");
});

describe("contentRemembered", () => {
  const completed = done("c", "a");
  const { state } = completed;
  const withState = (more: object) => ({ ...completed, state: { ...state, ...more } }) as LoosePart;
  for (const [name, before, after] of [
    ["is ignored from now on", text("a"), ignored("a")],
    ["was blanked", completed, withState({ time: { start: 1, end: 2, compacted: 3 } })],
    ["has an attachment now", completed, withState({ attachments: [image("x")] })],
    ["has lost one of its attachments", withImage("c", "a"), withState({ input: {} })],
    [
      "has a second attachment",
      withState({ attachments: [image("x")] }),
      withState({ attachments: [image("x"), image("y")] }),
    ],
    ["failed with more words", failed("c", "a"), failed("c", "ab")],
  ] as const) {
    test(`reads a part anew that ${name}`, () => {
      const known = new Map();
      const was = digestContent([assistant("a1", before)], 0, known);
      const is = [assistant("a1", after)];
      expect(digestContent(is, 0, known)).toBe(content(is, 0));
      expect(content(is, 0)).not.toBe(was);
    });
  }

  test("knows a text by its id, and a synthetic one by its length alone", () => {
    const renamed = (message: HostMessage): HostMessage => {
      return { ...message, parts: message.parts.map((part) => ({ ...part, id: "other" })) };
    };
    const known = new Map();
    const was = digestContent([user("u1", text("a"))], 0, known);
    expect(digestContent([renamed(user("u1", text("b")))], 0, known)).not.toBe(was);
    const reminded = digestContent([user("u2", synthetic("a"))], 0, known);
    expect(digestContent([renamed(user("u2", synthetic("b")))], 0, known)).toBe(reminded);
  });

  const all = [user("u1", text("hello")), assistant("a1", text("answer"), done("c", "out"))];

  test("is the content's digest, whatever is remembered", () => {
    const known = new Map();
    expect(digestContent(all, 1, known)).toBe(content(all, 1));
    expect(digestContent(all, 1, known)).toBe(content(all, 1));
  });

  test("reads a message anew when its shape has changed", () => {
    const known = new Map();
    digestContent(all, 1, known);
    const longer = [user("u1", text("hello there")), ...all.slice(1)];
    expect(digestContent(longer, 1, known)).toBe(content(longer, 1));
  });

  test("takes a message of the same shape as remembered", () => {
    const known = new Map();
    const before = digestContent(all, 1, known);
    const sameLength = [user("u1", text("jello")), ...all.slice(1)].map((message, at) =>
      at === 0
        ? {
            ...message,
            parts: message.parts.map((part, i) => ({ ...part, id: all[0]?.parts[i]?.id ?? "" })),
          }
        : message,
    );
    expect(digestContent(sameLength, 1, known)).toBe(before);
    expect(content(sameLength, 1)).not.toBe(before);
  });
});
