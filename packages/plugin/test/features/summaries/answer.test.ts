import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_ANSWER_CHARS, parseAnswer } from "../../../src/features/summaries/answer.ts";
import {
  type AnswerCheck,
  checkAnswer,
  dropUnfinishedSegment,
} from "../../../src/features/summaries/answer-check.ts";
import { MOST_FOR_FOURFOLD, timesAsLong } from "../../processor-time.ts";
import { segmentXml, TIERS_XML, wrapInHistory } from "./answers.ts";

const listProblems = (checked: AnswerCheck) => (checked.kind === "bad" ? checked.problems : []);
const check = (answer: string, count = 9) => checkAnswer(parseAnswer(answer), count);
const good = (answer: string, count = 9) => {
  const checked = check(answer, count);
  if (checked.kind === "bad") throw new Error(checked.problems.join("; "));
  return checked;
};

describe("an answer that fits", () => {
  test("W3: is read with its ranges, tiers, events and facts, whatever stands around it", () => {
    const answer = `Sure! Here it is:\n\`\`\`xml\n<history>
      <segment from="m1" to='m4' kind="fix" importance="70">
        <p1>The login failed as the &lt;token&gt; was stale &amp; old.</p1><p2>The login failed.</p2><p3>Fixed login.</p3><p4>Login.</p4>
        <event at="m3" type="decision">Refresh &#39;it&#39; early.</event>
      </segment>
      ${segmentXml(5, 9)}
      <fact category="CONSTRAINTS" importance="60">Node 20 or later.</fact>
      </history>\n\`\`\`\nAnything else?`;
    const { segments, facts, notes } = good(answer);
    expect(segments[0]).toEqual({
      ...{ first: 0, last: 3, kind: "fix", importance: 70 },
      texts: {
        full: "The login failed as the <token> was stale & old.",
        ...{ short: "The login failed.", brief: "Fixed login.", line: "Login." },
      },
      events: [{ at: 2, type: "decision", text: "Refresh 'it' early." }],
    });
    expect(segments[1]).toMatchObject({ first: 4, last: 8 });
    expect(facts).toEqual([{ category: "CONSTRAINTS", importance: 60, text: "Node 20 or later." }]);
    expect(notes).toEqual([]);
  });

  test("may hold code that no XML parser takes, and sections of characters", () => {
    const tiers =
      "<p1>if (a && b < c) return new Map<string, <T>() => void>(); // and more</p1><p2><![CDATA[Array<string> && more of it]]></p2><p3>List<T></p3><p4>a<b</p4>";
    const [segment] = good(wrapInHistory(segmentXml(1, 9, tiers))).segments;
    expect(segment?.texts).toEqual({
      full: "if (a && b < c) return new Map<string, <T>() => void>(); // and more",
      ...{ short: "Array<string> && more of it", brief: "List<T>", line: "a<b" },
    });
  });

  test("may have the end of its own element in a section of characters", () => {
    const tiers =
      "<p1><![CDATA[The reader stops at </p1> and at </history>.]]> Then on.</p1><p2>a <![CDATA[b]]> c</p2><p3>b</p3><p4>c</p4>";
    const [segment] = good(wrapInHistory(segmentXml(1, 9, tiers))).segments;
    expect(segment?.texts).toMatchObject({
      full: "The reader stops at </p1> and at </history>. Then on.",
      short: "a b c",
    });
  });

  test("W3: says nothing in a comment, and a comment without an end hides nothing", () => {
    const hidden = `<!-- ${segmentXml(1, 9).replace('"fix"', '"decision"')} -->`;
    const { segments, notes } = good(
      wrapInHistory(hidden, segmentXml(1, 4), hidden, segmentXml(5, 9), "<!--"),
    );
    expect(segments.map(({ first, last, kind }) => [first, last, kind])).toEqual([
      [0, 3, "fix"],
      [4, 8, "fix"],
    ]);
    expect(notes).toEqual([]);
    const said = "<p1>a <!-- b --> c</p1><p2>b</p2><p3>c</p3><p4>d</p4>";
    expect(good(wrapInHistory(segmentXml(1, 9, said))).segments[0]?.texts.full).toBe(
      "a <!-- b --> c",
    );
  });

  test("W3: may have attributes of its own with any text in them", () => {
    const segment = segmentXml(1, 9).replace(
      "<segment",
      "<segment title='x > y' note=\"a &gt; b > c\"",
    );
    const { segments, notes } = good(wrapInHistory(segment));
    expect(segments).toHaveLength(1);
    expect(notes).toEqual(["Segment 1: skipped attributes"]);
  });

  test("W3: has entities read once, unknown ones left, and no character that a text can't have", () => {
    const tiers =
      "<p1>&amp;lt;p1&amp;gt; &#x26;amp; &xxe; &#0;&#xD800;&#x1b;[31m &#1114112; end</p1><p2>b</p2><p3>c</p3><p4>d</p4>";
    const answer = `<!DOCTYPE history [<!ENTITY xxe SYSTEM "file:///etc/passwd">]>\n${wrapInHistory(segmentXml(1, 9, tiers))}`;
    expect(good(answer).segments[0]?.texts.full).toBe(
      "&lt;p1&gt; &amp; &xxe; \ufffd[31m &#1114112; end",
    );
  });

  test("in another language stays in it", () => {
    const tiers =
      "<p1>ログインの失敗を直した。トークンが古かった。</p1><p2>ログインの失敗を直した。</p2><p3>直した。</p3><p4>直</p4>";
    expect(good(wrapInHistory(segmentXml(1, 9, tiers))).segments[0]?.texts.short).toBe(
      "ログインの失敗を直した。",
    );
  });

  test("has as many facts and events as fit, each with its text; what is too much is left out", () => {
    const fact = (text: string) => `<fact category="NAMING" importance="1">${text}</fact>`;
    const event = (text: string) => `<event at="m1" type="change">${text}</event>`;
    const [fits, over] = ["f".repeat(500), "f".repeat(501)];
    const many = Array.from({ length: 13 }, (_, at) => `number ${at}`);
    const { segments, facts } = good(
      wrapInHistory(
        segmentXml(1, 9, `${TIERS_XML}${[...many].map(event).join("")}`),
        ...[fits, over, " "].map(fact),
        ...many.map(fact),
      ),
    );
    expect(facts.map(({ text }) => text)).toEqual([fits, ...many.slice(0, 9)]);
    expect(segments[0]?.events.map(({ text }) => text)).toEqual(many.slice(0, 12));
    const lengths = good(
      wrapInHistory(
        segmentXml(
          1,
          9,
          `${TIERS_XML}${event("e".repeat(400))}${event("e".repeat(401))}${event("")}`,
        ),
      ),
    );
    expect(lengths.segments[0]?.events.map(({ text }) => text.length)).toEqual([400]);
    expect(lengths.notes).toHaveLength(2);
  });

  test("may have tiers as long as each other, and as long as they may be", () => {
    const tiers = ([full, short, brief, line]: readonly number[]) =>
      [full, short, brief, line]
        .map((chars, at) => `<p${at + 1}>${"x".repeat(chars ?? 0)}</p${at + 1}>`)
        .join("");
    const lengths = [8_000, 4_000, 1_500, 400];
    expect(good(wrapInHistory(segmentXml(1, 9, tiers(lengths)))).segments).toHaveLength(1);
    expect(good(wrapInHistory(segmentXml(1, 9, tiers([4, 4, 4, 4])))).segments).toHaveLength(1);
    for (const [at, name] of ["p1", "p2", "p3", "p4"].entries()) {
      const longer = lengths.map((chars, other) => (other === at ? chars + 1 : chars));
      expect(listProblems(check(wrapInHistory(segmentXml(1, 9, tiers(longer)))))).toEqual([
        `Segment 1: ${name} is too long.`,
      ]);
    }
  });

  test("may have a segment of one message", () => {
    expect(good(wrapInHistory(segmentXml(1, 1), segmentXml(2, 9))).segments).toHaveLength(2);
  });

  test("may stop before the end of what was given", () => {
    expect(good(wrapInHistory(segmentXml(1, 4))).segments).toHaveLength(1);
  });

  test("has what it knows nothing of skipped, with a note", () => {
    const answer = wrapInHistory(
      "<thinking><p1>no</p1></thinking>",
      segmentXml(1, 9, `<mood>fine</mood>${TIERS_XML}<event at="m99" type="joke">ha</event>`),
      '<segment-count/><fact category="NAMING" importance="1" author="me">x</fact>',
    );
    const { notes, segments } = good(answer);
    expect(segments).toHaveLength(1);
    expect(segments[0]?.events).toEqual([]);
    expect(notes).toEqual([
      ...["skipped <thinking>", "skipped <mood>", "skipped <segment-count>"],
      ...["skipped an event that doesn't fit", "A fact: skipped attributes"],
    ]);
  });

  test("gives no secret away", () => {
    const key = `sk-${"a1B2".repeat(8)}`;
    const tiers = `<p1>The key ${key} was in the log.</p1><p2>A key was in the log.</p2><p3>Key.</p3><p4>K</p4>`;
    const { segments, facts, notes } = good(
      wrapInHistory(
        segmentXml(1, 9, tiers),
        `<fact category="CONFIG_VALUES" importance="50">${key}</fact>`,
      ),
    );
    expect(facts).toEqual([]);
    expect(notes).toHaveLength(1);
    expect(JSON.stringify([segments, facts])).not.toContain(key);
    expect(segments[0]?.texts.full).toContain("[secret]");
  });
});

describe("an answer that doesn't fit", () => {
  test.each([
    ["empty", "", "There is no <history> element."],
    ["prose", "I can't do that.", "There is no <history> element."],
    ["JSON", '{"segments": []}', "There is no <history> element."],
    ["not closed", `<history>${segmentXml(1, 9)}`, "The <history> element is not closed."],
    ["without a segment", wrapInHistory(""), "There is no <segment>."],
    ["too long", `${wrapInHistory(segmentXml(1, 9))}${" ".repeat(MAX_ANSWER_CHARS)}`, "too long"],
    [
      "a segment in a segment",
      wrapInHistory('<segment from="m1">', segmentXml(1, 9)),
      "not closed",
    ],
    ["a tier not closed", wrapInHistory(segmentXml(1, 9, "<p1>abc")), "A <p1> is not closed."],
    [
      "a range of messages not given",
      wrapInHistory(segmentXml(1, 10)),
      "Segment 1: to is not the id",
    ],
    ["a range of nothing", wrapInHistory(segmentXml(1, 0)), "Segment 1: to is not the id"],
    ["the wrong start", wrapInHistory(segmentXml(2, 9)), "Segment 1 starts at m2, not m1."],
    [
      "backwards",
      wrapInHistory(segmentXml(1, 4), segmentXml(5, 3)),
      "Segment 2 ends before it starts.",
    ],
    [
      "overlapping",
      wrapInHistory(segmentXml(1, 4), segmentXml(4, 9)),
      "Segment 2 starts at m4, not m5.",
    ],
    [
      "with a gap",
      wrapInHistory(segmentXml(1, 4), segmentXml(6, 9)),
      "Segment 2 starts at m6, not m5.",
    ],
    [
      "growing tiers",
      wrapInHistory(segmentXml(1, 9, "<p1>a</p1><p2>bb</p2><p3>c</p3><p4>d</p4>")),
      "Segment 1: p2 is longer than the one before.",
    ],
    ["a tier missing", wrapInHistory(segmentXml(1, 9, "<p1>abc</p1>")), "p2 is missing or empty."],
    [
      "a tier without end",
      wrapInHistory(segmentXml(1, 9, TIERS_XML.replace("full", "full ".repeat(2_000)))),
      "Segment 1: p1 is too long.",
    ],
    [
      "an unknown kind",
      wrapInHistory(segmentXml(1, 9).replace('"fix"', '"poem"')),
      "kind is none of",
    ],
    [
      "importance",
      wrapInHistory(segmentXml(1, 9).replace('"50"', '"101"')),
      "importance is not a whole",
    ],
    [
      "a fact of no category",
      wrapInHistory(segmentXml(1, 9), '<fact category="GOSSIP" importance="5">x</fact>'),
      "A fact: category is none of",
    ],
  ])("is refused with a reason: %s", (_, answer, problem) => {
    expect(listProblems(check(answer)).join(" ")).toContain(problem);
  });

  test("is refused in linear time, and a megabyte of it unread", async () => {
    const pieces = [
      "<![CDATA[",
      "<history>",
      "<segment",
      ' a="',
      "<p1>",
      "</p1>",
      "<",
      "&#",
      "<history ",
      "<!--",
      "<!--<a>",
      "-->",
      "<p1><![CDATA[</p1>",
      "x",
    ];
    const whole = MAX_ANSWER_CHARS / 2;
    for (const piece of pieces) {
      const filled = (chars: number) => piece.repeat(chars / piece.length);
      expect(listProblems(check(`<history>${filled(1_000_000)}</history>`))).toEqual([
        "The answer is too long.",
      ]);
      const refuse = (chars: number) => () => {
        expect(check(`<history>${filled(chars)}</history>`).kind).toBe("bad");
        expect(check(wrapInHistory(segmentXml(1, 9, `<p1>${filled(chars)}</p1>`))).kind).toBe(
          "bad",
        );
      };
      const times = await timesAsLong(refuse(whole), refuse(whole / 4));
      expect({ piece, times }).toSatisfy((measured) => measured.times < MOST_FOR_FOURFOLD);
    }
  });

  test("never throws, and what it takes is contiguous and gets shorter", () => {
    const piece = fc.constantFrom(
      ...[
        "<history>",
        "</history>",
        "</segment>",
        "<p1>",
        "</p1>",
        "<p2/>",
        "text",
        "&lt;",
        "<fact>",
      ],
      ...['<segment from="m1" to="m3" kind="fix" importance="5">', segmentXml(1, 3), TIERS_XML],
      ...[segmentXml(4, 6), '<event at="m1" type="change">', "</event>", "</fact>", "<![CDATA["],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const checked = check(`<history>${pieces.join("")}</history>`);
        if (checked.kind === "bad") {
          expect(checked.problems.length).toBeGreaterThan(0);
          return;
        }
        let next = 0;
        for (const { first, last, texts } of checked.segments) {
          expect(first).toBe(next);
          next = last + 1;
          const lengths = Object.values(texts).map((text) => text.length);
          expect(lengths).toEqual([...lengths].sort((one, other) => other - one));
        }
        expect(next).toBeLessThanOrEqual(9);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the last segment of an answer", () => {
  const { segments } = good(wrapInHistory(segmentXml(1, 4), segmentXml(5, 9)));

  test("is left for the next batch, unless its messages end a turn or it is the only one", () => {
    expect(dropUnfinishedSegment(segments, "open").map(({ last }) => last)).toEqual([3]);
    expect(dropUnfinishedSegment(segments, "turn").map(({ last }) => last)).toEqual([3, 8]);
    expect(dropUnfinishedSegment(segments.slice(0, 1), "open")).toHaveLength(1);
  });
});
