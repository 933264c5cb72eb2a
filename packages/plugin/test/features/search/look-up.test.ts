import { describe, expect, test } from "bun:test";
import { extractQuotedLines } from "../../../src/context/frames.ts";
import { type LookupResult, lookUpHits } from "../../../src/features/search/answer.ts";
import { parseTerms } from "../../../src/features/search/query-words.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { estimateTokens } from "../../../src/ledger/tokens.ts";
import { splitPassages } from "../../../src/search-index/document.ts";
import type { ProjectId } from "../../../src/storage/records.ts";
import { makeStage, ran, SES, says } from "./stage.ts";

/** What a look-up gives of a history of which nothing is shown any more. */
function found(messages: readonly HostMessage[], query: string): LookupResult {
  const { file, add } = makeStage();
  add(messages);
  return file.use((store) => {
    const range = store.findRange({ sessionId: SES, project: "project" as ProjectId }, "session");
    if (range === null) throw new Error("Nothing is indexed.");
    return lookUpHits(store, range, parseTerms(query), () => false);
  });
}

const PATH = "/work/a.log";

/** Each line says its number in the record, whose first one is the call's; some of them say the word as well. */
function record(lines: number, word: string, at: readonly number[]): string {
  const filler = "and some more text that nobody asks for";
  return Array.from({ length: lines }, (_, index) => {
    const number = index + 2;
    // Of the same length, so that passages end where they end without the word.
    return at.includes(number)
      ? `line ${number} ${word}${filler.slice(word.length)}`
      : `line ${number} ${filler}`;
  }).join("\n");
}

const read = (text: string) => ran("read", { filePath: PATH }, text);

/** The first lines of a record's passages. */
const passageStartLines = (text: string) =>
  splitPassages(`filePath: ${PATH}\n${text}`).map(({ line }) => line);

const countHitTokens = ({ lines }: LookupResult["hits"][number]) =>
  lines.reduce((sum, { text }) => sum + estimateTokens(text) + 3, 0);

describe("a look-up", () => {
  test("gives at most eight hits, however many there are", () => {
    const many = Array.from({ length: 20 }, (_, at) => says(`the heron nests at ${5_000 + at}`));
    expect(found(many, "heron").hits).toHaveLength(8);
  });

  test("gives two places of one record at most, and leaves room for others", () => {
    const long = read(record(900, "heron", [10, 300, 600, 890]));
    const { hits } = found([long, says("a heron elsewhere")], "heron");
    const counts = Map.groupBy(hits, ({ part }) => part.kind);
    expect(counts.get("output")).toHaveLength(2);
    expect(counts.get("user")).toHaveLength(1);
  });

  test("gives the best hit more room than the others", () => {
    const texts = [read(record(900, "heron", [450])), read(record(900, "heron", [450, 451]))];
    const [best, other] = found(texts, "heron").hits.map(countHitTokens);
    expect(best).toBeWithin(300, 401);
    expect(other).toBeWithin(100, 171);
  });

  test("shows what stands around the place, over the borders of its passage", () => {
    const [, second = 0, third = 0] = passageStartLines(record(300, "heron", []));
    for (const at of [second, third - 1]) {
      const [hit] = found([read(record(300, "heron", [at]))], "heron").hits;
      expect(hit?.lines.find(({ number }) => number === at)?.text).toContain("heron");
      const numbers = hit?.lines.map(({ number }) => number) ?? [];
      expect(numbers).toContain(at - 1);
      expect(numbers).toContain(at + 1);
    }
  });

  test("leaves out a second place that would add only lines without what was asked for", () => {
    const [, border = 0] = passageStartLines(record(300, "heron", []));
    const { hits } = found([read(record(300, "heron", [border - 1, border]))], "heron");
    expect(hits).toHaveLength(1);
    expect(hits[0]?.lines.filter(({ text }) => text.includes("heron"))).toHaveLength(2);
  });
});

test("what stands quoted in an answer is read back by its number and its bar alone", () => {
  const answer = "Found:\n1| a heron\n2| \n3|no quotation\n4| two | bars\nx 5| neither";
  expect(extractQuotedLines(answer)).toEqual(["a heron", "", "two | bars"]);
});
