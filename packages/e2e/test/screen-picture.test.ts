import { describe, expect, test } from "bun:test";
import { screenPicture } from "../src/terminal/screen-picture.ts";

describe("a terminal's screen as a picture", () => {
  test("each run of cells stands in its column, in its colours", () => {
    const picture = screenPicture("ab\x1b[38;2;1;2;3mcd\x1b[0m\n  \x1b[1mx\x1b[0m\n", "Two lines");
    expect(picture).toContain(">ab</text>");
    expect(picture).toMatch(/<text x="30.8" y="27.5" fill="#010203"[^>]*>cd<\/text>/);
    expect(picture).toMatch(/y="45.5"[^>]*font-weight="bold"[^>]*>x<\/text>/);
    expect(picture).toContain('<title id="title">Two lines</title>');
  });

  test("reversed cells change their colours, and text is escaped", () => {
    const picture = screenPicture("\x1b[7m<b>\x1b[0m", "A & B");
    expect(picture).toContain('height="18" fill="#e6e8eb"/>');
    expect(picture).toContain('fill="#0b0d10" textLength="25.2"');
    expect(picture).toContain("&lt;b&gt;</text>");
    expect(picture).toContain("A &amp; B");
  });

  test("a wide character takes two cells", () => {
    const picture = screenPicture("漢\x1b[31mx", "Wide");
    expect(picture).toMatch(/<text x="30.8"[^>]*>x<\/text>/);
  });
});
