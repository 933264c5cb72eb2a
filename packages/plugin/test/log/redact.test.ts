import { describe, expect, test } from "bun:test";
import { faultFields } from "../../src/log/fault.ts";
import { redactText, redactValue } from "../../src/log/redact.ts";

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
    expect(redactText("x ".repeat(250))).toHaveLength(500);
    expect(redactText("x ".repeat(251))).toHaveLength(500);
    expect(redactText("x".repeat(10_000_000))).toHaveLength(500);
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
    const fields = faultFields(error);
    expect(fields).toMatchObject({ error: "TypeError", code: "E1" });
    expect(fields.frame).toContain("redact.test.ts");
    expect(JSON.stringify(fields)).not.toContain("plan");
    const frameLike = new Error("they said:\n    at my-secret-place (1:2)\nand more");
    expect(faultFields(frameLike).frame).toContain("redact.test.ts");
    expect(faultFields("text")).toEqual({ error: "string", code: null, frame: null });
  });
});
