import { describe, expect, test } from "bun:test";
import { extractSegment } from "../../src/history/extract.ts";
import { splitRanges, TIERS } from "../../src/history/folded-text.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import { assistant, ignored, synthetic, text, user } from "../ledger/history.ts";
import { called, failedCall } from "./calls.ts";

const full = (...range: readonly HostMessage[]) => extractSegment(range, 0).texts.full.split("\n");
const say = (words: string) => assistant("a", text(words));
const ask = (words: string) => user("u", text(words));
const work = (...calls: Parameters<typeof assistant>[1][]) => assistant("a", ...calls);

const read = (filePath: string) => called("read", { filePath }, "port: 5433");
const write = (filePath: string) => called("write", { filePath, content: "x" });
const edit = (filePath: string) => called("edit", { filePath, oldString: "a", newString: "b" });
const run = (command: string, output = "ok", exit = 0) =>
  called("bash", { command }, output, { exit });

describe("a segment without a model says", () => {
  test("what was asked, said and settled, and which files and commands were at work", () => {
    // The open list stands in a record by itself: no age shortens it.
    const todos = [{ content: "Ship it", status: "pending" }];
    const segment = extractSegment(
      [
        user("u", text("Mend the login. We must keep tokens short."), synthetic("a reminder")),
        work(text("I look. All well."), read("src/a.ts"), edit("src/b.ts")),
        work(run("npm test", "1 passed\nError: E4711", 1), called("todowrite", { todos })),
        work(text("The cause was DNS. It works now."), ignored("a note")),
      ],
      7,
    );
    expect(segment).toMatchObject({
      ...{ ref: deriveRef("h", "u"), messageCount: 4, kind: "fix", ageTokens: 7 },
    });
    expect(segment.texts.full.split("\n")).toEqual([
      "Asked: “Mend the login. We must keep tokens short.”",
      "Said: I look. … All well.",
      "Said: The cause was DNS. … It works now.",
      "Settled: “We must keep tokens short.”",
      "Settled: “The cause was DNS.”",
      "Files: src/b.ts (edited), src/a.ts (read)",
      "read src/a.ts: port: 5433",
      "$ npm test (exit 1): Error: E4711",
    ]);
  });

  test("in each tier less, and never more than in the one before", () => {
    const range = [
      ask(`${"A long question. ".repeat(60)}`),
      ...Array.from({ length: 12 }, (_, at) =>
        work(
          text(`We decided ${at}. `.repeat(30)),
          run(`make ${at}`, `error ${at}`, 1),
          edit(`f${at}`),
        ),
      ),
    ];
    const { texts } = extractSegment(range, 0);
    const lines = TIERS.map((tier) => texts[tier].split("\n"));
    const counted = (label: string) =>
      lines.map((some) => some.filter((line) => line.startsWith(label)).length);
    expect(counted("Asked")).toEqual([1, 1, 1, 1]);
    expect(counted("Said")).toEqual([6, 2, 1, 0]);
    expect(counted("Settled")).toEqual([6, 3, 1, 0]);
    expect(counted("$ make")).toEqual([10, 5, 2, 0]);
    const files = lines.map((some) => some.find((line) => line.startsWith("Files")));
    expect(files[1]).toEndWith(", and 4 more");
    expect(files[3]).toBe("Files: f0 (edited), f1 (edited), and 10 more");
    // With the label and the marks around it.
    const asked = lines.map(([line = ""]) => line.length - "Asked: “”".length);
    for (const [at, most] of [480, 240, 120, 80].entries()) {
      expect(asked[at]).toBeLessThanOrEqual(most);
      expect(asked[at]).toBeGreaterThan(most - 20);
    }
  });

  test("three lines of a result at length, and one in shorter tiers", () => {
    const lines = ["alpha: 1000", "beta: 2000", "gamma: 3000", "delta: 4000"];
    const { texts } = extractSegment([work(run("list", lines.join("\n")))], 0);
    expect(texts.full).toBe("$ list: alpha: 1000 | beta: 2000 | gamma: 3000");
    expect([texts.short, texts.brief, texts.line]).toEqual([
      ...["$ list: alpha: 1000", "$ list: alpha: 1000", ""],
    ]);
  });

  test("nothing twice, nothing that the host put beside the words, and no empty line", () => {
    expect(full(ask("Go."), ask("Go."), user("s", synthetic("a reminder"), text(" \n")))).toEqual([
      "Asked: “Go.”",
    ]);
    expect(full(say("Yes."), say("Yes."))).toEqual(["Said: Yes."]);
  });

  test("the newest answers, where there are many, and the oldest questions", () => {
    const many = (say: (words: string) => HostMessage) =>
      full(...Array.from({ length: 20 }, (_, at) => say(`Number ${at}.`)));
    expect(many(ask)).toEqual(Array.from({ length: 8 }, (_, at) => `Asked: “Number ${at}.”`));
    expect(many(say)).toEqual(Array.from({ length: 6 }, (_, at) => `Said: Number ${at + 14}.`));
  });

  test("files with what was done to each, changed ones first; a failed change is a result", () => {
    expect(full(work(read("a"), read("b"), edit("b"), write("c"), read("c")))[0]).toBe(
      "Files: b (read, edited), c (written, read), a (read)",
    );
    expect(full(work(failedCall("edit", { filePath: "a" }, "not found: x")))).toEqual([
      "edit a failed: not found: x",
    ]);
    expect(full(work(edit("a")))).toEqual(["Files: a (edited)"]);
  });

  test("commands with the exit that says something, and other calls with their words", () => {
    expect(full(work(run("ls", "a.ts: 1")))).toEqual(["$ ls: a.ts: 1"]);
    expect(full(work(run("ls", "", 2)))).toEqual(["$ ls (exit 2)"]);
    expect(full(work(failedCall("bash", { command: "ls" }, "denied")))).toEqual([
      "$ ls (exit failed): denied",
    ]);
    expect(
      full(work(called("webfetch", { url: "http://h", format: "text", depth: 2 }, ""))),
    ).toEqual(["webfetch http://h text"]);
    expect(full(work(called("skill", { name: "review" }, "Do so.")))).toEqual(["skill review"]);
    const found =
      "Quoted.\n<recalled>\n[r:k3f9ab] user, 5 min ago\n1| The port is 5433.\n</recalled>";
    expect(full(work(called("ctx_search", { query: "port" }, found)))).toEqual([
      "ctx_search port: The port is 5433.",
    ]);
  });
});

describe("the kind of a segment", () => {
  const classifyRange = (...range: readonly HostMessage[]) => extractSegment(range, 0).kind;
  const settled = say("We decided on tabs. We always test. We never push. Because of Ann.");

  test("goes by what was changed, looked at and settled", () => {
    expect(classifyRange(ask("Hi."), say("Hello."))).toBe("chat");
    expect(classifyRange(ask("Hi."), say("We use tabs instead of spaces."))).toBe("decision");
    expect(classifyRange(ask("Look."), work(read("a")))).toBe("research");
    expect(classifyRange(ask("Look."), work(run("ls")))).toBe("research");
    expect(classifyRange(work(read("a")), settled)).toBe("decision");
    expect(classifyRange(work(read("a")), say("We always test. We never push."))).toBe("research");
    expect(classifyRange(work(edit("a"), run("test", "ok")))).toBe("feature");
    expect(classifyRange(work(write("a"), run("test", "Error", 1)))).toBe("fix");
    expect(classifyRange(work(read("a"), edit("a"), run("test", "Error", 1)))).toBe("fix");
  });

  test("and what is insisted on or settled says how slowly it fades", () => {
    const importance = (...range: readonly HostMessage[]) => extractSegment(range, 0).importance;
    expect(importance(ask("Hi."))).toBe(35);
    expect(importance(ask("Keep in mind: tabs."))).toBe(55);
    expect(importance(ask("Remember tabs."))).toBe(65 + 20 + 2);
    expect(importance(say("Keep in mind: tabs."))).toBe(35);
    expect(importance(work(edit("a")), settled)).toBe(68);
    expect(
      importance(work(edit("a")), ...Array.from({ length: 9 }, (_, at) => say(`We must ${at}.`))),
    ).toBe(70);
    expect(importance(ask(`${"x ".repeat(2_000)}always`))).toBe(65 + 2);
  });
});

describe("messages that belong together", () => {
  const sized = (id: string, tokens: number) => ({ ...user(id), tokens });
  const answer = (id: string, tokens: number) => ({ ...assistant(id), tokens });
  const ranges = (...messages: readonly (HostMessage & { readonly tokens: number })[]) =>
    splitRanges(messages, (one) => (one as (typeof messages)[number]).tokens).map((range) =>
      range.map(({ info }) => info.id).join(),
    );

  test("are a prompt and what came of it; with little between them prompts share a range", () => {
    expect(ranges(sized("a", 10), answer("b", 1_190), sized("c", 10), answer("d", 10))).toEqual([
      ...["a,b", "c,d"],
    ]);
    expect(ranges(sized("a", 10), answer("b", 1_189), sized("c", 10))).toEqual(["a,b,c"]);
  });

  test("are split at an answer where they are many", () => {
    expect(ranges(sized("a", 10), answer("b", 9_990), answer("c", 10))).toEqual(["a,b", "c"]);
    expect(ranges(sized("a", 10), answer("b", 9_989), answer("c", 10))).toEqual(["a,b,c"]);
    expect(ranges()).toEqual([]);
  });
});
