import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { byteLength, countLines, fitsLimits } from "../../../src/features/tool-output/limits.ts";
import { resolveHostOutputPlace } from "../../../src/features/tool-output/managed-files.ts";
import {
  type OutputRetention,
  renderPreview,
  toPreviewText,
} from "../../../src/features/tool-output/preview.ts";
import { anyText, isWellFormed, roomyLimits, someLimits } from "./texts.ts";

const { howToRead } = resolveHostOutputPlace({}, "/home/me");
const kept: OutputRetention = {
  kind: "kept",
  path: "/data/opencode/tool-output/tool_0",
  howToRead,
};

const someKeeping: fc.Arbitrary<OutputRetention> = fc.constantFrom<OutputRetention>(kept, {
  kind: "lost",
});

const MARKER = /\[\.\.\. (\d+) bytes from line (\d+) on are not shown here[^\n]* \.\.\.\]/;

/** Head, tail and the marker's numbers. */
function parsePreview(shown: string) {
  const match = MARKER.exec(shown);
  if (!match) throw new Error(`No marker in ${shown}`);
  const before = shown.slice(0, match.index);
  const after = shown.slice(match.index + match[0].length);
  return { before, after, bytes: Number(match[1]), line: Number(match[2]) };
}

describe("a preview of an output over the limit", () => {
  test("F4: never has more lines or UTF-8 bytes than the limit, whichever is reached first", () => {
    fc.assert(
      fc.property(anyText, someLimits, someKeeping, (text, limits, keeping) => {
        fc.pre(!fitsLimits(text, limits));
        const shown = renderPreview(toPreviewText(text), limits, keeping);
        expect(byteLength(shown)).toBeLessThanOrEqual(limits.maxBytes);
        expect(countLines(shown)).toBeLessThanOrEqual(limits.maxLines);
      }),
      { numRuns: 500 },
    );
  });

  test("F4: splits no code point", () => {
    fc.assert(
      fc.property(anyText, someLimits, someKeeping, (text, limits, keeping) => {
        fc.pre(isWellFormed(text) && !fitsLimits(text, limits));
        expect(isWellFormed(renderPreview(toPreviewText(text), limits, keeping))).toBe(true);
      }),
      { numRuns: 300 },
    );
    const emoji = "😀".repeat(2000);
    for (let maxBytes = 400; maxBytes < 420; maxBytes += 1) {
      expect(
        isWellFormed(renderPreview(toPreviewText(emoji), { maxLines: 9, maxBytes }, kept)),
      ).toBe(true);
    }
  });

  test("F5: is the text's own beginning, one marker, and its own end, that add up to the text", () => {
    fc.assert(
      fc.property(anyText, roomyLimits, someKeeping, (text, limits, keeping) => {
        // Of half a surrogate pair at a text's end this Bun counts two bytes, and writes three.
        fc.pre(isWellFormed(text) && !fitsLimits(text, limits) && !text.includes("[..."));
        const { before, after, bytes, line } = parsePreview(
          renderPreview(toPreviewText(text), limits, keeping),
        );
        const tail = after.slice(1);
        // A marker begins a line: after a head that ends within one, the line's end is ours.
        const headBytes = byteLength(text) - bytes - byteLength(tail);
        const head = byteLength(before) === headBytes ? before : before.slice(0, -1);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length).toBeLessThan(text.length);
        expect(byteLength(head)).toBe(headBytes);
        expect(line).toBe(countLines(head));
      }),
      { numRuns: 500 },
    );
  });

  test("F5: uses the limit: what it leaves unused is less than a cut at a line's end may cost", () => {
    const text = "0123456789\n".repeat(10_000);
    const shown = renderPreview(toPreviewText(text), { maxLines: 2000, maxBytes: 10_000 }, kept);
    expect(byteLength(shown)).toBeGreaterThan(9_900);
    const byLines = renderPreview(toPreviewText(text), { maxLines: 101, maxBytes: 100_000 }, kept);
    expect(countLines(byLines)).toBe(101);
    const { before, after } = parsePreview(byLines);
    expect(before).toBe("0123456789\n".repeat(50));
    expect(after).toBe(`\n${"0123456789\n".repeat(49)}`);
  });

  test("F5: a cut falls on a line's end where one is near: `10 failed` never becomes `0 failed`", () => {
    const text = Array.from({ length: 500 }, (_, line) => `test ${line}: 10 failed`).join("\n");
    for (let maxBytes = 1000; maxBytes < 1040; maxBytes += 1) {
      const { before, after } = parsePreview(
        renderPreview(toPreviewText(text), { maxLines: 999, maxBytes }, kept),
      );
      expect(before).toEndWith("failed\n");
      expect(after).toStartWith("\ntest ");
    }
  });

  test("F5: one line without an end is cut within it", () => {
    const { before, after } = parsePreview(
      renderPreview(toPreviewText("x".repeat(9000)), { maxLines: 10, maxBytes: 1000 }, kept),
    );
    expect(before.length).toBeGreaterThan(400);
    expect(after.length).toBeGreaterThan(400);
  });

  test("names the file of the complete text, or says that there is none", () => {
    const long = "line\n".repeat(5000);
    const limits = { maxLines: 100, maxBytes: 5000 };
    expect(renderPreview(toPreviewText(long), limits, kept)).toContain(
      `Full output saved to: ${kept.path} `,
    );
    expect(renderPreview(toPreviewText(long), limits, kept)).toContain('include "tool_0"');
    const windows = renderPreview(toPreviewText(long), limits, {
      ...kept,
      path: "C:\\data\\tool_1",
    });
    expect(windows).toContain('include "tool_1"');
    const lossy = renderPreview(toPreviewText(long), limits, { kind: "lost" });
    expect(lossy).toContain("are lost: the full output could not be stored");
    expect(lossy).not.toContain("saved to");
  });

  test("a limit smaller than the marker holds as much of the marker as fits", () => {
    const shown = renderPreview(
      toPreviewText("x".repeat(500)),
      { maxLines: 1, maxBytes: 40 },
      kept,
    );
    expect(shown).toBe("[... 500 bytes from line 1 on are not sh");
  });
});

describe("what fits", () => {
  test("counts lines as a split does, and bytes of UTF-8", () => {
    fc.assert(
      fc.property(anyText, someLimits, (text, limits) => {
        const expected =
          text.split("\n").length <= limits.maxLines &&
          Buffer.from(text.toWellFormed()).length <= limits.maxBytes;
        expect(fitsLimits(text, limits)).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });
});
