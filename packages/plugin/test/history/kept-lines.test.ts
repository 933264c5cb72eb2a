import { describe, expect, test } from "bun:test";
import { addLabel, findCurrentParts, renderKeptLines } from "../../src/history/record-lines.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import { assistant, type LoosePart, open, text } from "../ledger/history.ts";
import { answers, called, failedCall } from "./calls.ts";

const listKeptLines = (messages: readonly HostMessage[], upTo = messages.length) =>
  renderKeptLines(messages.slice(0, upTo), findCurrentParts(messages));
const kept = (...calls: readonly LoosePart[]) => listKeptLines(answers(...calls));

const todo = (content: unknown, status = "pending") => ({ content, status });
const todos = (...items: readonly unknown[]) => called("todowrite", { todos: items });
const plan = (content: unknown, filePath = "/home/me/.opencode/plans/7-heron.md") =>
  called("write", { filePath, content });
const approved = called("plan_exit", {}, "User approved switching to build agent.");

describe("lines of a record that no age shortens", () => {
  test("what the user was asked and what he answered, whole", () => {
    const answer = `"Which?"="${"the blue one, ".repeat(40)}please", "And where?"="by the lake"`;
    const said = `User has answered your questions: ${answer}. You can now continue with these.`;
    const questions = [{ question: "Which?\nOf all?" }, { question: "And where?" }];
    expect(kept(called("question", { questions }, said))).toEqual([
      ...["Asked: the user: “Which? Of all?”", "Asked: the user: “And where?”"],
      `Answered: ${answer}`,
    ]);
    // Another host's words, or what can't be read, as they are.
    expect(kept(called("question", { questions: "?" }, "He says:\nblue"))).toEqual([
      "Answered: He says: blue",
    ]);
    expect(kept(called("question", { questions: [{ header: "x" }, 7] }, "blue"))).toEqual([
      "Answered: blue",
    ]);
    expect(
      kept(failedCall("question", { questions: [] }, "The user dismissed this question")),
    ).toEqual(["Answered: The user dismissed this question"]);
    expect(
      listKeptLines([assistant("a", { ...open("c", "running"), tool: "question" } as LoosePart)]),
    ).toEqual([]);
  });

  test("why he refused a call", () => {
    const words =
      "The user rejected permission to use this specific tool call with the following feedback: Not\nthe schema.";
    for (const error of [words, `Error: ${words}`]) {
      expect(kept(failedCall("bash", { command: "rm x" }, error))).toEqual([
        "Refused: bash: “Not the schema.”",
      ]);
    }
    const silent = "The user rejected permission to use this specific tool call.";
    expect(kept(failedCall("bash", { command: "rm x" }, silent))).toEqual([]);
    expect(kept(called("bash", { command: "cat log" }, words))).toEqual([]);
  });

  test("the plan that he approved, as it was written last", () => {
    const quoted = (content: string) => [`Planned:\n> ${content}`];
    expect(kept(plan("Mend it."), approved)).toEqual(quoted("Mend it."));
    expect(kept(plan("Mend it."), plan("Rewrite it."), approved)).toEqual(quoted("Rewrite it."));
    expect(kept(plan("Mend it."), approved, plan("Rewrite it."))).toEqual(quoted("Mend it."));
    expect(kept(plan("Mend it."), approved, plan("Rewrite it."), approved)).toEqual([
      ...[...quoted("Mend it."), ...quoted("Rewrite it.")],
    ]);
    expect(kept(plan("One.", "plan/a.md"), plan("Two.", "C:\\plans\\b.md"), approved)).toEqual([
      ...[...quoted("One."), ...quoted("Two.")],
    ]);
    expect(kept(plan("Line one.\nLine two."), approved)).toEqual([
      "Planned:\n> Line one.\n> Line two.",
    ]);
  });

  test("no plan that he did not approve, and no other file", () => {
    expect(kept(plan("Mend it."))).toEqual([]);
    expect(kept(approved, plan("Mend it."))).toEqual([]);
    expect(kept(plan("Mend it."), failedCall("plan_exit", {}, "rejected"))).toEqual([]);
    expect(kept(failedCall("write", { filePath: "plans/a.md", content: "x" }), approved)).toEqual(
      [],
    );
    for (const path of ["src/a.md", "plans/a.ts", "plans/a/b.md", "myplans/a.md"]) {
      expect(kept(plan("Mend it.", path), approved)).toEqual([]);
    }
    expect(kept(called("read", { filePath: "plans/a.md" }), approved)).toEqual([]);
    expect(kept(called("write", { content: "x" }), approved)).toEqual([]);
    expect(kept(plan(7), approved)).toEqual([]);
  });

  test("what of the newest list is open", () => {
    const first = todos(todo("Look"), todo("Mend it"));
    const second = todos(
      ...[todo("Look", "completed"), todo("Mend\nit", "in_progress"), todo("Ship it")],
      ...[todo("Drop it", "cancelled"), todo(7), "odd"],
    );
    expect(kept(first)).toEqual(["Open: Look", "Open: Mend it"]);
    expect(kept(first, second)).toEqual(["Open: Mend it", "Open: Ship it"]);
    expect(kept(second, todos(todo("Ship it", "completed")))).toEqual([]);
    expect(kept(second, failedCall("todowrite", { todos: [] }))).toHaveLength(2);
    expect(kept(called("todowrite", { todos: "none" }))).toEqual([]);
    // A newer one stands beyond the range.
    expect(listKeptLines(answers(first, second), 1)).toEqual([]);
  });

  test("each in the order of its range; of other work none", () => {
    const question = called("question", { questions: [{ question: "Which?" }] }, "blue");
    const work = called("bash", { command: "npm test" }, "1 passed");
    expect(kept(work, plan("Mend it."), approved, question, work, todos(todo("Ship it")))).toEqual([
      ...["Planned:\n> Mend it.", "Asked: the user: “Which?”", "Answered: blue", "Open: Ship it"],
    ]);
    expect(listKeptLines([assistant("a", text("Answered: no"))])).toEqual([]);
    expect(kept(work, called("todoread", {}))).toEqual([]);
  });

  test("each stands in one line behind its label, so that nothing quoted begins with one", () => {
    expect(addLabel("Answered", "yes\nRefused: no\r\n\tOpen: x")).not.toContain("\n");
    expect(addLabel("Answered", "yes\nRefused: no")).toStartWith("Answered: yes ");
  });
});
