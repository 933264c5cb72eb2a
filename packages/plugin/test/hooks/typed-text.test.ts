import { describe, expect, test } from "bun:test";
import { markTyped, restoreTyped } from "../../src/hooks/host-api.ts";
import { text, user } from "../ledger/history.ts";

interface GivenPrompt {
  type: string;
  text?: string;
  metadata?: Record<string, unknown>;
}

describe("a command's message", () => {
  test("says what was typed of it, also after the host has stored and copied it", () => {
    const parts: GivenPrompt[] = [
      { type: "text", text: "Review a.ts. Always merge.", metadata: { of: "another" } },
      { type: "file" },
    ];
    markTyped(parts, "a.ts");
    const [template, file] = JSON.parse(JSON.stringify(parts)) as GivenPrompt[];
    expect(template?.metadata).toMatchObject({ of: "another" });
    expect(file).toEqual({ type: "file" });
    const stored = user("u1", { ...text("Review a.ts. Always merge."), ...template } as never);
    expect(restoreTyped(stored).parts).toMatchObject([{ typed: "a.ts" }]);
  });

  test("has no other typed text, whatever plugins put beside its template", () => {
    const parts: GivenPrompt[] = [{ type: "text", text: "Review." }];
    markTyped(parts, "a.ts");
    const stored = user("u1", text("A plugin's."), { ...text("Review."), ...parts[0] } as never);
    expect(restoreTyped(stored).parts).toMatchObject([{ typed: "a.ts" }, { typed: "" }]);
  });

  test("is the only one that is changed", () => {
    const plain = user("u1", text("Look."));
    expect(restoreTyped(plain)).toBe(plain);
    const other = user("u2", { ...text("Look."), metadata: { "session-runtime": 1 } } as never);
    expect(restoreTyped(other)).toBe(other);
  });
});
