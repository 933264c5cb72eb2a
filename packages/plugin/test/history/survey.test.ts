import { expect, test } from "bun:test";
import {
  countBlocks,
  countCallsAfter,
  countCallsBeyond,
  type MeasuredHistory,
} from "../../src/history/measured-history.ts";
import { collectResults } from "../../src/history/results.ts";
import { selectSuperseded, splitIntoPieces, surveyHistory } from "../../src/history/survey.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import { estimateMessageTokens, estimatePartTokens } from "../../src/ledger/tokens.ts";
import { assistant, done, image, insert, reasoning, synthetic, text } from "../ledger/history.ts";
import { output, ran, read, SimulatedSession, said, settings } from "./simulation.ts";

function session(): SimulatedSession {
  const made = new SimulatedSession(168_000, null);
  made.prompt("Look.");
  made.call(said("I look."), ran("make", output("make", 4_000)), ran("ls", "a"));
  made.call(said("Done."));
  return made;
}

const own = () => null;

test("what is sent is, piece by piece, each part and what its message takes beside them, or a message that stays", () => {
  const survey = surveyHistory(session().view(), settings, 0);
  const pieces = splitIntoPieces(survey, own);
  const [prompt, answer, end] = survey.input.messages;
  const parts = answer?.parts.map((part) => estimatePartTokens(part)) ?? [];
  const whole = (message?: HostMessage) => (message ? estimateMessageTokens(message) : 0);
  const sizes = [whole(prompt), 4, ...parts, whole(end)];
  expect(pieces.map(({ tokens }) => tokens)).toEqual(sizes);
  expect([pieces[0], pieces.at(-1)].map((one) => [one?.blocks, one?.saves, one?.sent])).toEqual([
    [1, 0, "sent"],
    [1, 0, "new"],
  ]);
  const total = survey.input.messages.reduce((sum, one) => sum + estimateMessageTokens(one), 0);
  expect(survey.sheet.totalTokens).toBe(total);
  const [frame, words, make, ls] = pieces.slice(1);
  expect([frame, words, make, ls].map((one) => [one?.aheadTokens, one?.aheadBlocks])).toEqual([
    [0, 0],
    [0, 0],
    [words?.tokens, 1],
    [(words?.tokens ?? 0) + (make?.tokens ?? 0), 3],
  ]);
  expect([frame, words, make].map((one) => one?.blocks)).toEqual([0, 1, 2]);
  expect([make?.calls, ls?.calls, make?.candidate?.dropReason, ls?.candidate]).toEqual([
    ...[1, 0, "spent", null],
  ] as never);
  expect(make?.saves).toBe(make?.candidate?.saves as number);
});

test("a row that goes with a fold is one piece, which spares its share", () => {
  const survey = surveyHistory(session().view(), settings, 0);
  const [, row] = survey.sheet.rows;
  const pieces = splitIntoPieces(survey, (one) => (one === row ? 0.75 : null));
  const piece = pieces.find((one) => one.row === row);
  expect(pieces.filter((one) => one.row === row)).toHaveLength(1);
  expect(piece).toMatchObject({
    ...{ candidate: null, tokens: row?.tokens, saves: 0.75 * (row?.tokens ?? 0) },
    ...{ blocks: 5, calls: 1, aheadTokens: 0, aheadBlocks: 0 },
  } as never);
});

test("what a call has sent is told from what is new, to the message", () => {
  const view = session().view();
  const sentUpTo = (index: number | null) => {
    const watermark =
      index === null ? null : { index, messageId: view.messages[index]?.info.id ?? "" };
    const survey = surveyHistory({ ...view, watermark }, settings, 0);
    const whole = splitIntoPieces(survey, () => 1).map(({ sent }) => sent);
    const parts = splitIntoPieces(survey, own);
    const first = survey.sheet.rows.map((row) => parts.find((one) => one.row === row)?.sent);
    expect(first).toEqual(whole);
    return whole;
  };
  expect(sentUpTo(null)).toEqual(["new", "new", "new"]);
  expect(sentUpTo(0)).toEqual(["sent", "new", "new"]);
  expect(sentUpTo(1)).toEqual(["sent", "sent", "new"]);
});

test("where only what is dead may go, nothing else can", () => {
  const made = session();
  const file = () => read("a.ts", output("a", 4_000));
  made.call(file());
  made.call(file());
  const survey = surveyHistory(made.view(), settings, 0);
  const gone = (some: typeof survey) => [...some.candidates.values()].map((one) => one.dropReason);
  expect(gone(survey).toSorted()).toEqual(["repeated", "spent"]);
  expect(gone(selectSuperseded(survey))).toEqual(["repeated"]);
  const pieces = splitIntoPieces(selectSuperseded(survey), own).filter(({ saves }) => saves > 0);
  expect(pieces.map(({ candidate }) => candidate?.dropReason)).toEqual(["repeated"]);
});

test("pieces that were looked at stay the same, as each rewrite that is thought of asks for them", () => {
  const survey = surveyHistory(session().view(), settings, 0);
  const [once, again] = [splitIntoPieces(survey, own), splitIntoPieces(survey, own)];
  expect(again.every((piece, at) => piece === once[at])).toBe(true);
});

test("calls are counted by what came after, in tokens or in messages", () => {
  const { sheet } = surveyHistory(session().view(), settings, 0);
  const [prompt] = sheet.rows;
  expect([-1, 0, 1, 2, 3].map((place) => countCallsAfter(sheet, place))).toEqual([2, 2, 1, 0, 0]);
  const [, second] = sheet.callStarts;
  const end = prompt?.end ?? 0;
  const grown = (second ?? 0) - end;
  expect([0, 1, grown, grown + 1].map((tokens) => countCallsBeyond(sheet, end, tokens))).toEqual([
    ...[2, 1, 1, 0],
  ]);
});

test("what is put after a result counts with it, and is none of the tool's own words", () => {
  const made = session();
  const [, answer] = made.messages;
  const before = surveyHistory(made.view(), settings, 0);
  made.commit([insert(answer?.info.id ?? "", "A note of ours.")]);
  const { sheet } = surveyHistory(made.view(), settings, 0);
  expect(sheet.rows.map(({ kind, first, last }) => [kind, first, last])).toEqual([
    ["own", 0, 0],
    ["own", 1, 1],
    ["own", 2, 2],
  ]);
  expect(sheet.totalTokens).toBeGreaterThan(before.sheet.totalTokens);
  const texts = (rows: MeasuredHistory["rows"]) =>
    collectResults(rows.map(({ message }) => message)).map(({ text }) => text);
  expect(texts(sheet.rows)).toEqual(texts(before.sheet.rows));
  expect(sheet.callPlaces).toEqual([1, 2]);
});

test("a provider sees a call and its result as two blocks, what shows as one, and nothing else", () => {
  const seen = (...parts: Parameters<typeof assistant>[1][]) =>
    countBlocks(assistant("a", ...parts));
  expect(seen(text("A."), done("c", "out"), reasoning("I think."), image("u"))).toBe(5);
  expect(seen({ type: "step-start" }, { ...text("note"), ignored: true })).toBe(0);
  expect(seen(synthetic("a reminder"))).toBe(1);
});

test("messages that the host has no more are looked for no further than its array", () => {
  const view = session().view();
  const gone = { ...view.projected[0], info: { ...view.projected[0]?.info, id: "gone" } };
  const projected = [...view.projected, gone as HostMessage];
  const { sheet } = surveyHistory({ ...view, projected }, settings, 0);
  expect(sheet.rows.at(-1)).toMatchObject({ kind: "insert", first: 2, last: 2 });
});
