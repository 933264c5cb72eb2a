import { describe, expect, test } from "bun:test";
import {
  createCachedMeasure,
  measureParts,
  type PartFacts,
  toCallFacts,
} from "../../src/history/measured-history.ts";
import { type HostPart, isTool } from "../../src/ledger/message.ts";
import {
  estimateMessageTokens,
  estimatePartTokens,
  estimateResultTokens,
} from "../../src/ledger/tokens.ts";
import { user } from "../ledger/history.ts";
import { called, failedCall } from "./calls.ts";

const placed = (id: string, part: object) =>
  ({ id, messageID: "m", sessionID: "ses", ...part }) as HostPart;
const createTool = (id: string, part: object) => {
  const made = placed(id, part);
  if (!isTool(made)) throw new Error("no call");
  return made;
};

const measure = createCachedMeasure();
const message = (...parts: HostPart[]) => ({ ...user("u"), parts });
const measureOne = (part: HostPart): PartFacts => one(measure(message(part)).parts);
const one = <Item>(items: readonly Item[]): Item => {
  const [item] = items;
  if (items.length !== 1 || item === undefined) throw new Error(`${items.length} items`);
  return item;
};

describe("what is known of a part", () => {
  test("is what the estimator says, for each form in which the part is looked at", () => {
    const own = placed("p1", called("bash", { command: "x" }, "a".repeat(4_000)));
    const stub = placed("p1", called("bash", { command: "x" }, "[a stub]"));
    for (const part of [own, stub, own, stub, placed("p1", failedCall("bash", {}, "no")), own]) {
      expect(measureOne(part).tokens).toBe(estimatePartTokens(part));
      expect(measureOne(part).resultTokens).toBe(estimateResultTokens(part));
    }
  });

  test("is looked at again as long as a part may change without a sign", () => {
    const running = (input: object) =>
      placed("p2", {
        type: "tool",
        tool: "bash",
        callID: "c",
        state: { status: "running", input },
      });
    expect(measureOne(running({})).tokens).toBeLessThan(
      measureOne(running({ command: "y".repeat(99) })).tokens,
    );
    const hidden = placed("p3", { type: "text", text: "same", ignored: true });
    expect(measureOne(placed("p3", { type: "text", text: "same" })).tokens).toBe(1);
    expect(measureOne(hidden).tokens).toBe(0);
  });

  test("is not looked for again in a history that is handed out as new objects", () => {
    const own = (text: string) =>
      message(
        placed("p9", called("read", { filePath: "a" }, text)),
        placed("p10", { type: "text", text }),
      );
    const first = measure(own("same"));
    expect(measure(own("same"))).toBe(first);
    expect(measure(own("other"))).not.toBe(first);
    expect(measure(own("same"))).toBe(first);
    const [read, text] = own("same").parts;
    if (!read || !text) throw new Error("no parts");
    expect(measure(message(text, read)).parts.map(({ call }) => call === null)).toEqual([
      true,
      false,
    ]);
    expect(measure(message(read)).parts).toHaveLength(1);
  });

  test("belongs to the part by its id, whatever stands in its place", () => {
    const of = (filePath: string) => placed(`r${filePath}`, called("read", { filePath }, "equal"));
    const paths = (...parts: HostPart[]) =>
      measure(message(...parts)).parts.map(({ call }) =>
        call?.subject.kind === "read" ? call.subject.path : "",
      );
    expect(paths(of("a"), of("b"))).toEqual(["a", "b"]);
    expect(paths(of("b"), of("a"))).toEqual(["b", "a"]);
  });

  test("keys of calls with whole files among their arguments stay short and differ", () => {
    const write = (text: string) =>
      toCallFacts(
        createTool(`w${text}`, called("write", { filePath: "a", content: text.repeat(9_000) })),
      );
    expect(write("a").key.length).toBeLessThan(300);
    expect(write("a").key).not.toBe(write("b").key);
  });

  test("of a message are those of its parts, in both of the forms in which it is looked at", () => {
    const text = placed("p4", { type: "text", text: "some words" });
    const read = placed("p5", called("read", { filePath: "a" }, "b".repeat(900)));
    const stub = placed("p5", called("read", { filePath: "a" }, "[a stub]"));
    const step = placed("p6", { type: "step-start" });
    const forms = [[text, read], [text, stub], [read, text], [step, text, read], [text]];
    for (const form of [...forms, ...forms.toReversed(), ...forms]) {
      expect(measure(message(...form))).toEqual(measureParts(message(...form)));
      expect(measure(message(...form)).tokens).toBe(estimateMessageTokens(message(...form)));
    }
  });
});
