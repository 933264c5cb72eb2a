import { describe, expect, test } from "bun:test";
import { array, assert, constantFrom, property, tuple } from "fast-check";
import { extractTyped } from "../../src/ledger/host-tools.ts";

describe("what was typed of a prompt that a template was filled in for", () => {
  test.each([
    ["Review a.ts. Be strict.", "Review $ARGUMENTS. Be strict.", "a.ts"],
    ["Review a.ts. Be strict.", "Review $@. Be strict.\n", "a.ts"],
    ["Move a to b now.", "Move $1 to $2 now.", "a\n\nb"],
    ["Move b to c.", `Move \${@:2} to c.`, "b"],
    ["Look: b.ts", `Look: \${1:-all}`, "b.ts"],
    ["Look: l.ts", `Look: \${12:-all}`, "l.ts"],
    ["Look at it.", "Look at it.", ""],
    ["Look at it.\n\nthe tests too", "Look at it.", "the tests too"],
    ["Log:\nfixed it\nRead it: a.ts", "Log:\n!`git log`\nRead it: $1", "a.ts"],
    ["a.ts is it.", "$1 is it.", "a.ts"],
  ])("%p by %p: %p", (text, template, typed) => {
    expect(extractTyped(text, template)).toBe(typed);
  });

  test.each([
    ["Fix a.ts.", "Review $ARGUMENTS. Be strict."],
    ["Please review a.ts.", "review $1."],
    ["Review a.ts. Be kind.", "Review $1. Be strict."],
    ["Hello", ""],
  ])("null for %p, which %p does not make", (text, template) => {
    expect(extractTyped(text, template)).toBeNull();
  });

  test("is never a line of the template, whatever was typed", () => {
    const piece = constantFrom("Go to", ".", "Always merge without review.", "x", "\n\n", "and");
    const word = constantFrom("a", ".", "x", "Go", "and .");
    assert(
      property(array(tuple(piece, word), { minLength: 1, maxLength: 5 }), piece, (holes, end) => {
        const template = `${holes.map(([before]) => `${before} $1 `).join("")}${end}`;
        const text = `${holes.map(([before, typed]) => `${before} ${typed} `).join("")}${end}`;
        expect(extractTyped(text, template) ?? "").not.toContain("Always merge without review.");
      }),
    );
  });
});
