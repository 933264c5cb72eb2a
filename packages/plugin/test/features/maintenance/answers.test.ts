// What a model may say, in which form, and how much of it one run does. Pure.
import { describe, expect, test } from "bun:test";
import { type ProposedAction, parseAnswer } from "../../../src/features/maintenance/answer.ts";
import {
  addTotals,
  countRemovals,
  limitLosses,
  zeroTotals,
} from "../../../src/features/maintenance/ask.ts";
import { groupSimilar } from "../../../src/features/maintenance/consolidate.ts";
import {
  countDaysSince,
  type Proposal,
  renderMemory,
  renderSection,
  splitIntoChunks,
  type Task,
  type TaskInput,
} from "../../../src/features/maintenance/task.ts";
import type { Memory, MemoryId } from "../../../src/features/memory/record.ts";
import { DAY_MS } from "./stage.ts";

const id = (name: string) => name as MemoryId;

describe("an answer", () => {
  test("is JSON wherever it stands in the text; what is not in the format is counted", () => {
    const archive = { do: "archive", ref: "m:a", why: "over" };
    const odd = [{ do: "archive" }, { do: "burn", ref: "m:a" }, 7];
    const answer = parseAnswer(`So:\n${JSON.stringify({ proposals: [archive, ...odd] })}\nDone.`);
    expect(answer).toEqual({
      ...{ kind: "read", unreadable: 3 },
      said: [{ do: "archive", ref: "m:a", why: "over", path: "", quote: "" }],
    });
    expect(parseAnswer('{"proposals": []}')).toEqual({ kind: "read", said: [], unreadable: 0 });
  });

  test.each([
    ["nothing", "There is no JSON object."],
    ["} and {", "There is no JSON object."],
    ["{no json}", 'It is not JSON of the form {"proposals": […]}.'],
    ['{"proposals": 7}', 'It is not JSON of the form {"proposals": […]}.'],
    [`{"proposals": []}${" ".repeat(200_000)}`, "The answer is too long."],
    [
      `{"proposals": [${Array.from({ length: 401 }, () => "7").join()}]}`,
      'It is not JSON of the form {"proposals": […]}.',
    ],
  ])("that can't be read says why: %p", (text, problem) => {
    expect(parseAnswer(text)).toEqual({ kind: "unreadable", problem });
  });
});

describe("what one run takes away", () => {
  test("is counted by kind: what is lost, and what is in another's words", () => {
    const why = "";
    const kinds: readonly (readonly [Proposal, number, number])[] = [
      [{ kind: "archive", id: id("a"), why }, 1, 0],
      [{ kind: "supersede", id: id("a"), by: id("b"), why }, 1, 0],
      [{ kind: "merge", ids: [id("a"), id("b"), id("c")], text: "", why }, 0, 2],
      [{ kind: "rewrite", id: id("a"), text: "", why }, 0, 0],
      [{ kind: "checked", id: id("a"), why }, 0, 0],
      [{ kind: "document", path: "", find: "", replace: "", why }, 0, 0],
    ];
    for (const [proposal, lost, merged] of kinds) {
      expect([proposal.kind, countRemovals(proposal)]).toEqual([proposal.kind, { lost, merged }]);
    }
    expect(addTotals({ lost: 1, merged: 2 }, { lost: 3, merged: 5 })).toEqual({
      lost: 4,
      merged: 7,
    });
  });

  const memories = Array.from({ length: 40 }, (_, at) => ({ id: id(`${at}`), ref: `m:${at}` }));
  const asked = { memories } as unknown as TaskInput;

  /** Codes of what was refused, and how much was proposed, where the model says these. */
  function within(
    proposals: readonly Proposal[],
    active: number,
    taken = zeroTotals,
  ): readonly (number | string)[] {
    const left = [...proposals];
    const task = { check: () => left.shift() } as unknown as Task;
    const said = proposals.map(() => ({ do: "checked", ref: "", why: "" }) as ProposedAction);
    const checked = limitLosses(task, said, asked, { active, taken });
    const refused = checked.refused.map(({ code, ref }) => `${code} ${ref}`);
    return [checked.proposals.length, ...refused];
  }

  const archives = (count: number) =>
    Array.from({ length: count }, (_, at): Proposal => {
      return { kind: "archive", id: id(`${at}`), why: "" };
    });

  test("is 15 % of what was active at most, and three in any case, its earlier steps included", () => {
    expect(within(archives(7), 40)).toEqual([6, "too_many m:6"]);
    expect(within(archives(4), 5)).toEqual([3, "too_many m:3"]);
    expect(within(archives(2), 40, { lost: 5, merged: 0 })).toEqual([1, "too_many m:1"]);
  });

  test("is half of them at most by merges, which archives don't count against", () => {
    const merges = Array.from({ length: 7 }, (_, at): Proposal => {
      const ids = [0, 1, 2, 3].map((one) => id(`${at * 4 + one}`));
      return { kind: "merge", ids, text: "", why: "" };
    });
    expect(within(merges, 40)).toEqual([6, "too_many m:24"]);
    expect(within(archives(1), 40, { lost: 0, merged: 30 })).toEqual([1]);
    expect(within(merges.slice(0, 1), 40, { lost: 30, merged: 0 })).toEqual([1]);
  });

  test("changes a memory once, and leaves those that others were superseded by", () => {
    const supersede: Proposal = { kind: "supersede", id: id("1"), by: id("2"), why: "" };
    const archive = (name: string): Proposal => ({ kind: "archive", id: id(name), why: "" });
    expect(within([supersede, archive("1"), archive("2")], 40)).toEqual([
      ...[1, "twice m:1", "twice m:2"],
    ]);
    expect(within([archive("2"), supersede], 40)).toEqual([1, "twice m:1"]);
    const again: Proposal = { kind: "supersede", id: id("3"), by: id("2"), why: "" };
    expect(within([supersede, again], 40)).toEqual([2]);
  });
});

describe("what a question shows", () => {
  test("is a memory with its age in whole days, and that it is permanent where it is", () => {
    const memory = {
      ...{ ref: "m:a", category: "ARCHITECTURE", text: "It is so.", importance: 50 },
      ...{ permanence: "ordinary", writtenAtMs: 0 },
    } as unknown as Memory;
    const shown = { ref: "m:a", category: "ARCHITECTURE", text: "It is so.", importance: 50 };
    expect(renderMemory(memory, 2 * DAY_MS - 1) as object).toEqual({ ...shown, daysOld: 1 });
    expect(renderMemory({ ...memory, permanence: "permanent" }, 0) as object).toEqual({
      ...{ ...shown, daysOld: 0, permanent: true },
    });
    expect([countDaysSince(0, DAY_MS), countDaysSince(DAY_MS, 0)]).toEqual([1, 0]);
  });

  test("is in a frame that no text can close, a line each", () => {
    expect(renderSection("memories", [{ text: "</memories>\n" }, 2])).toBe(
      '<memories>\n{"text":"\\u003c/memories>\\n"}\n2\n</memories>',
    );
    expect(splitIntoChunks([1, 2, 3], 2)).toEqual([[1, 2], [3]]);
    expect(splitIntoChunks([], 2)).toEqual([]);
  });

  test("are memories of which half of the words are the same, and none with less", () => {
    const memory = (text: string) => ({ id: id(text), text }) as Memory;
    const one = memory("Ledger rounds invoices weekly");
    const half = memory("Ledger rounds gateway mailer");
    const third = memory("Ledger coupons shipping taxes");
    expect(groupSimilar([one, half])).toEqual([[one, half]]);
    expect(groupSimilar([one, third])).toEqual([]);
  });
});
