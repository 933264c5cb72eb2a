import { describe, expect, test } from "bun:test";
import { toFaultFields } from "../../src/log/fault.ts";
import { redactText, redactValue } from "../../src/log/log.ts";

describe("what the log may hold", () => {
  test.each([
    [`sk-ant-${"a1B2".repeat(6)}`, "[secret]"],
    ["Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer [secret]"],
    ['{"apiKey": "hunter2hunter2"}', '{"apiKey": "[secret]"}'],
    ["password=correct-horse", "password=[secret]"],
    [`ghp_${"a1B2".repeat(6)}`, "[secret]"],
    ["https://ada:pw@example.org/a.md?sig=1#x failed", "https://example.org/a.md failed"],
  ])("%s loses its credential", (text, clean) => {
    expect(redactText(text)).toBe(clean);
  });

  test.each(["core/date is unavailable", "basic instructions", "tokens: 12, path /a/b-c"])(
    "%s stays as it is",
    (text) => {
      expect(redactText(text)).toBe(text);
    },
  );

  test("a text has at most 500 characters", () => {
    expect(redactText("x ".repeat(250))).toBe("x ".repeat(250));
    expect(redactText(`${"x ".repeat(250)}y`)).toBe(`${"x ".repeat(249)}x…`);
    expect(redactText("x".repeat(10_000_000))).toHaveLength(500);
  });

  test("a text that was cut before its credentials were looked for says that it was", () => {
    const place = "https://example.org/a.md";
    const signed = (chars: number) => redactText(`${place}?`.padEnd(chars, "x"));
    expect(signed(2_000)).toBe(place);
    expect(signed(2_001)).toBe(`${place}…`);
  });

  test("a text within fields loses its credential; numbers, truth values and null stay", () => {
    expect(redactValue("password=correct-horse")).toBe("password=[secret]");
    expect([1.5, true, false, null].map(redactValue)).toEqual([1.5, true, false, null]);
  });

  test("objects, lists and functions are named, never written", () => {
    expect(redactValue({ parts: ["text"] })).toBe("[object]");
    expect(redactValue(["text"])).toBe("[array]");
    expect(redactValue(() => "text")).toBe("[function]");
    expect(redactValue(10n)).toBe("[bigint]");
    expect(redactValue(Number.NaN)).toBe("NaN");
  });

  test("of an error, class, code and place are told, not the message", () => {
    const error = Object.assign(new TypeError("the user said: secret plan"), { code: "E1" });
    const fields = toFaultFields(error);
    expect(fields).toMatchObject({ error: "TypeError", code: "E1" });
    expect(fields.frame).toContain("redact.test.ts");
    expect(JSON.stringify(fields)).not.toContain("plan");
    const frameLike = new Error("they said:\n    at my-secret-place (1:2)\nand more");
    expect(toFaultFields(frameLike).frame).toContain("redact.test.ts");
    const reworded = new Error("we look at my-secret-place");
    reworded.message = "other words";
    expect(toFaultFields(reworded).frame).toContain("redact.test.ts");
    const bare = new Error("x");
    delete bare.stack;
    expect(toFaultFields(bare)).toEqual({ error: "Error", code: null, frame: null });
    const numbered = Object.assign(new Error("x"), { code: 7 });
    expect(toFaultFields(numbered).code).toBeNull();
    numbered.stack = "Error: x";
    expect(toFaultFields(numbered).frame).toBeNull();
    expect(toFaultFields("text")).toEqual({ error: "string", code: null, frame: null });
  });
});
