import { expect, test } from "bun:test";
import { cutPiece } from "../../../src/features/search/snippet.ts";

const words = (...texts: readonly string[]) => texts.map((text) => ({ text, weight: 1 }));
const filler = (length: number) => "lorem ipsum ".repeat(Math.ceil(length / 12)).slice(0, length);

test("a line of 400 characters stays whole, and a longer one is cut", () => {
  expect(cutPiece("x".repeat(400), words("heron"))).toBe("x".repeat(400));
  expect(cutPiece("x".repeat(401), words("heron"))).toBe(`${"x".repeat(400)}…`);
});

test("the piece begins 120 characters before the word, and is marked where it is cut", () => {
  const line = `${filler(1_000)}HERON ${filler(1_000)}`;
  const piece = cutPiece(line, words("heron"));
  expect(piece).toBe(`…${line.slice(880, 1_280)}…`);
  expect(piece.indexOf("HERON")).toBe(121);
});

test("near its ends a line is marked at the other one alone", () => {
  const early = `${filler(100)}heron ${filler(1_000)}`;
  expect(cutPiece(early, words("heron"))).toBe(`${early.slice(0, 400)}…`);
  const late = `${filler(1_000)}heron ${filler(200)}`;
  expect(cutPiece(late, words("heron"))).toBe(`…${late.slice(880)}`);
  const exact = `${filler(1_000)}heron ${filler(274)}`;
  expect(cutPiece(exact, words("heron"))).toBe(`…${exact.slice(880)}`);
});

test("the piece with most of the words is taken, the first among equals", () => {
  const line = `${filler(600)}heron ${filler(600)}heron and kestrel ${filler(600)}heron kestrel ${filler(600)}`;
  expect(cutPiece(line, words("heron", "kestrel"))).toStartWith(`…${line.slice(1_086, 1_200)}`);
  expect(cutPiece(line, words("heron"))).toStartWith(`…${line.slice(480, 600)}`);
});

test("words count where some of the line follows them: at the end of a piece they are cut off", () => {
  // The second word stands 250 characters after the first: beyond what a piece explains.
  const line = `${filler(600)}heron ${filler(250)}kestrel ${filler(600)}`;
  expect(cutPiece(line, words("heron", "kestrel"))).toStartWith(`…${line.slice(480, 600)}`);
  const near = `${filler(600)}heron ${filler(100)}kestrel ${filler(600)}`;
  expect(cutPiece(near, [{ text: "heron", weight: 1 }, ...words("kestrel")])).toContain("kestrel");
});

test("a word that stands again and again is looked at once every 40 characters", () => {
  const line = `${"heron ".repeat(200)}kestrel ${filler(600)}`;
  expect(cutPiece(line, words("heron", "kestrel"))).toContain("kestrel");
});
