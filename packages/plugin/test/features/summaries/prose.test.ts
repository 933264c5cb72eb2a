import { describe, expect, test } from "bun:test";
import { splitSentences } from "../../../src/features/summaries/prose.ts";

const RULE = "Tables are singular.";
const listSentences = (prompt: string) => splitSentences(prompt).map(({ text }) => text);

describe("what a prompt's writer has said himself", () => {
  test("is given sentence by sentence, each between its neighbours", () => {
    expect(splitSentences("One is it. Two?\nThree “so.” Four")).toEqual([
      { text: "One is it.", before: null, after: "Two?" },
      { text: "Two?", before: "One is it.", after: "Three “so.”" },
      { text: "Three “so.”", before: "Two?", after: "Four" },
      { text: "Four", before: "Three “so.”", after: null },
    ]);
    expect(listSentences("价格以分为单位。 好！ 是…  ok")).toEqual([
      "价格以分为单位。",
      "好！",
      "是…",
      "ok",
    ]);
    expect(listSentences("Node 20.11 is it, src/a.ts too.")).toHaveLength(1);
    expect([listSentences(""), listSentences(" \n \n")]).toEqual([[], []]);
  });

  test("ends where a long text begins to look pasted: beyond 1,200 characters or 12 lines", () => {
    const words = (chars: number) => "w".repeat(chars);
    expect(listSentences(`  \n${words(1_200)}  \n`)).toHaveLength(1);
    expect(listSentences(words(1_201))).toEqual([]);
    const lines = (count: number) => Array.from({ length: count }, () => "A line").join("\n");
    expect(listSentences(`\n\n${lines(12)}\n\n`)).toHaveLength(1);
    expect(listSentences(lines(13))).toEqual([]);
  });

  test("ends before a fence or a tag, with the paragraph that leads in to it", () => {
    for (const cut of [
      "```\ncode\n```",
      "~~~\ncode",
      "  ```ts\ncode",
      "<file>x</file>",
      "</p>",
      "<!doctype html>",
      "<?xml?>",
    ]) {
      expect(listSentences(`${RULE}\n\nLook at it.\n${cut}\n\nNot mine.`)).toEqual([RULE]);
    }
    expect(listSentences(`${RULE}\n\n<file>x</file>`)).toEqual([RULE]);
    for (const sign of ["a < b and c > d", "x ~~~ y", "<3"]) {
      expect(listSentences(`${RULE}\n\nLook ${sign}.`)).toHaveLength(2);
    }
  });

  test("leaves out each paragraph that quotes, lists or holds code", () => {
    const marked = ["$ npm test", "% ls", "+ added", "* one"];
    const numbered = ["- one", "• one", "1. one", "2) two", "  12. twelve"];
    const code = ["\tindented", "    indented", "@@ -1 +1", "// a line", "[warn] late"];
    const ends = ["let a = 1;", "if (a) {", "}  ", "a ===", "a === b", "a --- b"];
    for (const line of [...marked, ...numbered, ...code, ...ends]) {
      expect(listSentences(`${RULE}\n\nMine.\n${line}\nMine.\n\nAnd this.`)).toEqual([
        RULE,
        "And this.",
      ]);
    }
  });

  test("ends before a quotation, a table or an e-mail", () => {
    for (const line of [
      "> quoted",
      "| a | b",
      "From: Ann",
      "Betreff: Rechnung",
      "Objet : la revue",
    ]) {
      expect(listSentences(`${RULE}\n\nMine.\n${line}\nMine.\n\nAnd this.`)).toEqual([RULE]);
    }
  });

  test("is nothing of a document, whose headings, form or signature show where it is from", () => {
    const headings = ["# A heading", "---", "**Describe the bug**", "Steps to reproduce:"];
    const forms = ["Erwartetes Verhalten", "Étapes pour reproduire :", "Pasos para reproducir"];
    const pages = ["- [ ] I have searched", "ann-b commented 2 days ago", "Labels"];
    const ends = ["Best regards,\nAnn", "Viele Grüße\nBob", "Cordialement,\nZoé", "-- "];
    for (const line of [...headings, ...forms, ...pages, ...ends, "Sent from my phone"]) {
      expect(listSentences(`${RULE}\n\nMine.\n\n${line}\n\nAnd this.`)).toEqual([]);
    }
  });

  test("ends with the line or paragraph that leads in to what was brought", () => {
    for (const lead of ["Here it is:", "Das ist es:", "Le voici :", "Es esto:", "就是这个："]) {
      expect(listSentences(`${RULE}\n\n${lead}\nNot mine.\n\nNor this.`)).toEqual([RULE]);
    }
    for (const lead of [
      "Fix this issue.",
      "Lies die Nachricht.",
      "Lis ce courriel.",
      "Lee el correo.",
    ]) {
      expect(listSentences(`${RULE}\n\n${lead}\n\nNot mine.`)).toEqual([RULE, lead]);
      expect(listSentences(`${RULE}\n\n${lead}`)).toEqual([RULE, lead]);
    }
    expect(listSentences(`Hi team,\n${RULE}`)).toEqual([]);
    expect(listSentences(`Remember:\n${RULE}`)).toEqual([`Remember: ${RULE}`]);
  });

  test("leaves out what a quotation of several sentences goes on with", () => {
    expect(listSentences(`He: "One. ${RULE} Two." Mine.`)).toEqual(['He: "One.', "Mine."]);
    expect(listSentences(`„One. ${RULE}“ Mine.`)).toEqual(["„One.", "Mine."]);
  });

  test("keeps what only looks like it", () => {
    for (const line of [
      "   Tables with three spaces.",
      "20 tests are enough.",
      "3.5 is the version.",
      "a == b holds.",
      "No -- never.",
      "Use a; then b.",
      "Mail @@ home.",
      "See http://h/x.",
    ]) {
      expect(listSentences(`${RULE}\n\nMine,\n${line}`)).toEqual([RULE, `Mine, ${line}`]);
    }
  });
});
