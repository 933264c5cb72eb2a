import { expect, test } from "bun:test";
import { parseAnswer } from "../../../src/features/summaries/answer.ts";

/** What is read between the tags of an answer. */
function read(inner: string) {
  const answer = parseAnswer(`<history>${inner}</history>`);
  if (answer.kind === "unreadable") throw new Error(answer.problem);
  const { segments, facts, notes } = answer;
  return { segments: segments.length, facts: facts.map(({ text }) => text), notes };
}

test("a comment begins and ends where its marks say", () => {
  // The mark that begins it is not half of the one that ends it.
  expect(read("<!--><fact>hidden</fact>--><fact>shown</fact>").facts).toEqual(["shown"]);
  expect(read("<!-- <a>--><fact>shown</fact>")).toEqual({
    segments: 0,
    facts: ["shown"],
    notes: [],
  });
  expect(read("Said: <!-- no end <fact>shown</fact>").facts).toEqual(["shown"]);
});

test("a section of characters ends at the first mark after it began, not at one before", () => {
  const text = "]]> before <![CDATA[ </fact> ]]> after";
  expect(read(`<fact>${text}</fact>`).facts).toEqual(["]]> before  </fact>  after"]);
});

test("of an element that nobody knows its end goes with it, and an empty one hides nothing", () => {
  expect(read("<b><fact>hidden</fact></b>").notes).toEqual(["skipped <b>"]);
  expect(read("<mood/><fact>shown</fact><mood>fine</mood>")).toEqual({
    segments: 0,
    facts: ["shown"],
    notes: ["skipped <mood>", "skipped <mood>"],
  });
});

test("an end without a beginning is skipped with a note, and of many notes twenty are kept", () => {
  expect(read("</p1><fact>shown</fact>")).toEqual({
    segments: 0,
    facts: ["shown"],
    notes: ["skipped </p1>"],
  });
  expect(read("</b>".repeat(19)).notes).toHaveLength(19);
  expect(read("</b>".repeat(30)).notes).toHaveLength(20);
});

test("a character by its number is read up to the last that there is", () => {
  expect(read("<fact>&#x10ffff; &#x110000; &#1114111;</fact>").facts).toEqual([
    "\u{10ffff} &#x110000; \u{10ffff}",
  ]);
});
