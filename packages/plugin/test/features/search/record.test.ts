import { describe, expect, test } from "bun:test";
import { describePartShape, toPartRecord } from "../../../src/features/search/record.ts";
import type { HostPart } from "../../../src/ledger/message.ts";

type Role = "user" | "assistant";

function part(made: object): HostPart {
  return { id: "prt", messageID: "msg", sessionID: "ses", type: "text", ...made };
}

function call(state: object, tool = "bash"): HostPart {
  return part({ type: "tool", tool, callID: "call", state });
}

function record(made: HostPart, role: Role = "assistant", time: object = { created: 7 }) {
  const info = { id: "msg", sessionID: "ses", role, time };
  return toPartRecord({ info, parts: [made] }, made, "/work");
}

const time = { start: 0, end: 0 };
const done = (input: unknown, output: string) => ({ status: "completed", input, output, time });

describe("a record", () => {
  test("of a text is in the words of whoever said it", () => {
    const base = { key: "prt", messageId: "msg", madeAtMs: 7, text: "hello" };
    expect(record(part({ text: "hello" }), "user")).toEqual({
      ...base,
      kind: "user",
      words: "user",
    });
    expect(record(part({ text: "hello" }))).toEqual({
      ...{ ...base, kind: "assistant", words: "assistant" },
    });
    expect(record(part({ text: "hello", synthetic: true }), "user")).toEqual({
      ...{ ...base, kind: "output", words: "attachment" },
    });
  });

  test("of a role that nobody knows is not the user's", () => {
    const said = record(part({ text: "hello" }), JSON.parse('"user\\u001b[2J"'));
    expect(said).toMatchObject({ kind: "assistant", words: "assistant" });
  });

  test("is made when the message was, or at 0 where the host doesn't say", () => {
    const text = part({ text: "hello" });
    expect(record(text, "user", { created: "today" })?.madeAtMs).toBe(0);
    expect(record(text, "user", {})?.madeAtMs).toBe(0);
  });

  test("is none of what the model never sees", () => {
    const reminder = "<system-reminder>be brief</system-reminder>";
    for (const made of [
      part({ text: "hello", ignored: true }),
      part({ text: " \n" }),
      part({ text: reminder, synthetic: true }),
      part({ type: "step-start" }),
      call({ status: "running", input: {} }),
      call({ status: "pending", input: {} }),
      call(done({}, "quoted"), "ctx_search"),
      call(done({}, "quoted"), "ctx_expand"),
      call(done({}, "quoted"), "ctx_reduce"),
    ]) {
      expect(record(made)).toBeNull();
    }
    expect(record(part({ text: reminder }))?.text).toBe(reminder);
    expect(record(part({ text: "hello", ignored: false }))?.text).toBe("hello");
  });

  test("of a call is its arguments, line by line, and its result", () => {
    const input = { command: "ls", lines: "one\ntwo", count: 3, deep: { a: [1] } };
    expect(record(call(done(input, "a.txt")))).toMatchObject({
      ...{ kind: "output", words: "bash ls" },
      text: 'command: ls\nlines:\none\ntwo\ncount: 3\ndeep: {"a":[1]}\na.txt',
    });
    expect(record(call(done(null, "a.txt")))?.text).toBe("a.txt");
    expect(record(call(done("text", "a.txt")))?.text).toBe("a.txt");
  });

  test("of a call that failed has its error, or what an interrupted one showed", () => {
    const failed = (more: object) =>
      record(call({ status: "error", input: { a: "b" }, error: "no", ...more }))?.text;
    expect(failed({})).toBe("a: b\nno");
    expect(failed({ metadata: { interrupted: true, output: "half" } })).toBe("a: b\nhalf");
    expect(failed({ metadata: { interrupted: true } })).toBe("a: b\nno");
    expect(failed({ metadata: { interrupted: false, output: "half" } })).toBe("a: b\nno");
  });

  test("holds 20 million characters at most", () => {
    const long = "x".repeat(20_000_001);
    expect(record(part({ text: long }))?.text).toHaveLength(20_000_000);
    expect(record(call(done(null, long)))?.text).toHaveLength(20_000_000);
  });
});

test("a part looks otherwise when its size, its flags or its state change", () => {
  const shapes = [
    part({ text: "one" }),
    part({ text: "four" }),
    part({ text: "one", ignored: true }),
    part({ text: "one", synthetic: true }),
    part({ type: "step-start" }),
    part({ type: "step-finish" }),
    call({ status: "pending" }),
    call({ status: "running" }),
    call(done({}, "one")),
    call(done({}, "four")),
    call({ status: "error", error: "one" }),
    call({ status: "error", error: "four" }),
  ].map(describePartShape);
  expect(new Set(shapes).size).toBe(shapes.length);
  expect(describePartShape(part({ text: "one", ignored: false, synthetic: false }))).toBe(
    describePartShape(part({ text: "two" })),
  );
});
