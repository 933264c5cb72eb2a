import { describe, expect, test } from "bun:test";
import { shortenPage } from "../../../src/features/tool-output/host-file.ts";

const text = Array.from({ length: 50 }, (_, line) => `text of ${line}`).join("\n");
const display = { type: "file", path: "/p/a.txt", text, lineStart: 1 };
const numbered = text
  .split("\n")
  .map((line, index) => `${index + 1}: ${line}`)
  .join("\n");
const front = "<path>/p/a.txt</path>\n<type>file</type>\n<content>\n";
const END = "\n</content>\nmore";
const page = `${front}${numbered}\n\n(Showing lines 1-50.)${END}`;
const limits = { maxLines: 20, maxBytes: 2_000 };

describe("a page of the read tool", () => {
  test("ends earlier, and says so in the place of the host's own note", () => {
    const shown = shortenPage(page, { display }, limits) ?? "";
    const note = "(Output capped. Showing lines 1-13. Use offset=14 to continue.)";
    expect(shown.split("\n")).toHaveLength(20);
    expect(shown).toEndWith(`13: text of 12\n\n${note}${END}`);
  });

  const others: readonly (readonly [string, string])[] = [
    ["other lines, of the same length", page.replace("text of 7", "text of X")],
    ["another beginning", ` ${page}`],
    ["no note", `${front}${numbered}${END}`],
    ["something before its note", page.replace("\n\n(Showing", "\nmore\n\n(Showing")],
    ["a note of two lines", page.replace("1-50.", "1-\n50.")],
    ["no end", page.replace("\n</content>", "")],
  ];
  test.each(others)("is none with %s", (_what, output) => {
    expect(shortenPage(output, { display }, limits)).toBeNull();
  });

  test("is none of a folder, and none that the host says nothing of", () => {
    for (const metadata of [null, {}, { display: null }, { display: { ...display, type: "x" } }]) {
      expect(shortenPage(page, metadata, limits)).toBeNull();
    }
    for (const changed of [{ path: 1 }, { text: null }, { lineStart: "1" }]) {
      expect(shortenPage(page, { display: { ...display, ...changed } }, limits)).toBeNull();
    }
  });

  test("is not shortened to none of its lines", () => {
    expect(shortenPage(page, { display }, { maxLines: 7, maxBytes: 2_000 })).toBeNull();
  });
});
