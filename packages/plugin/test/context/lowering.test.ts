import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  isWrapped,
  splitUpdatesAtEnd,
  UPDATE_GAP,
  unwrapUpdate,
  wrapUpdate,
} from "../../src/context/frames.ts";
import { toSourceKey } from "../../src/context/key.ts";
import { joinParts } from "../../src/context/operations.ts";

const OPEN = "<system-update>\n";
const CLOSE = "\n</system-update>";

test("parts are joined by a blank line", () => {
  const part = (text: string) => ({ key: toSourceKey("test/a"), text });
  expect(joinParts([])).toBe("");
  expect(joinParts([part("one")])).toBe("one");
  expect(joinParts([part("one"), part("two\n"), part("three")])).toBe("one\n\ntwo\n\n\nthree");
});

test("an update is wrapped in its tag, its text byte for byte", () => {
  const text =
    'Run `npm ci && npm test > "out.log"` <b>first</b>; it\'s &amp; not & <system-update>\r\n';
  expect(wrapUpdate(text)).toBe(`${OPEN}${text}${CLOSE}`);
});

test("only the closing tag is neutralised inside, in any case and with any blanks", () => {
  const cases = [
    ["a </system-update> b", "a <\\/system-update> b"],
    ["</SYSTEM-Update>", "<\\/SYSTEM-Update>"],
    ["</system-update >", "<\\/system-update >"],
    ["< /\tsystem-update\n>", "< \\/\tsystem-update\n>"],
    ["</system-update></system-update>", "<\\/system-update><\\/system-update>"],
    ["</system-updates>", "</system-updates>"],
    ["</system>", "</system>"],
    ["<\\/system-update>", "<\\/system-update>"],
  ] as const;
  for (const [text, inert] of cases) expect(wrapUpdate(text)).toBe(`${OPEN}${inert}${CLOSE}`);
});

test("lone surrogates are made well-formed", () => {
  expect(wrapUpdate("a \ud83d b \ude00 c 😀")).toBe(`${OPEN}a \ufffd b \ufffd c 😀${CLOSE}`);
});

test("the wrapping is taken off by rule, and what is inside stays as it is", () => {
  expect(unwrapUpdate(`${OPEN}a && <b>${CLOSE}`)).toBe("a && <b>");
  expect(unwrapUpdate(wrapUpdate("a </system-update> b"))).toBe("a <\\/system-update> b");
  for (const text of ["", "text", `${OPEN}${CLOSE}`, ` ${OPEN}x${CLOSE}`, `${OPEN}x`]) {
    expect(isWrapped(text)).toBe(false);
    expect(unwrapUpdate(text)).toBe(text);
  }
});

test("no text ends its own wrapping, and none is lost by it", () => {
  const fragment = fc.constantFrom(
    "<",
    "/",
    "system-update",
    "SYSTEM-UPDATE",
    ">",
    " ",
    "\\",
    "x",
    "😀",
  );
  const hostile = fc.array(fragment, { maxLength: 24 }).map((fragments) => fragments.join(""));
  fc.assert(
    fc.property(hostile, (text) => {
      const wrapped = wrapUpdate(text);
      const inside = wrapped.slice(OPEN.length, -CLOSE.length);
      expect(inside).not.toMatch(/<\s*\/\s*system-update\s*>/i);
      expect(inside.replaceAll("\\", "")).toBe(text.replaceAll("\\", ""));
    }),
    { numRuns: 2000 },
  );
});

test("updates are taken off a text's end as they were put there, whatever they and it say", () => {
  const news = fc.stringMatching(
    /^[a-z]{1,5}( <system-update>\n|\n\n<system-update>\nb|<\/system-update>)?$/,
  );
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z\n]{0,9}$/),
      fc.array(news, { maxLength: 3 }),
      (own, texts) => {
        const updates = texts.map(wrapUpdate);
        const ended = own + updates.map((update) => UPDATE_GAP + update).join("");
        expect(splitUpdatesAtEnd(ended)).toEqual({ own, updates });
      },
    ),
  );
  const open = `a\n\n<system-update>\nb${CLOSE}`.slice(0, -1);
  expect(splitUpdatesAtEnd(open)).toEqual({ own: open, updates: [] });
  expect(splitUpdatesAtEnd(CLOSE)).toEqual({ own: CLOSE, updates: [] });
});
