import { describe, expect, test } from "bun:test";
import {
  isActive,
  isCandidate,
  parseRefs,
  renderMemoryLine,
} from "../../../src/features/memory/actions.ts";
import {
  renderCloneName,
  renderMemoryCount,
  renderMemoryDetails,
  renderMemoryList,
} from "../../../src/features/memory/memory-text.ts";
import type { Memory, MemoryId, ReadableMemory } from "../../../src/features/memory/record.ts";
import type { Note } from "../../../src/features/memory/schema.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import type { SessionId } from "../../../src/storage/records.ts";

const NOW = 1_700_000_000_000;
const MINUTE_MS = 60_000;

function memory(id: string, change: Partial<Memory> = {}): Memory {
  return {
    ...{ id: id as MemoryId, ref: deriveRef("m", id), project: "p" as never, number: 1 },
    ...{ category: "NAMING", text: `Text of ${id}.`, importance: 50, permanence: "ordinary" },
    ...{ by: "model", sessionId: null, segment: null, source: "session" },
    ...{ state: { kind: "active" }, writtenAtMs: NOW, changedAtMs: NOW, checkedAtMs: NOW },
    ...{ usedAtMs: null, uses: 0 },
    ...change,
  };
}

const note = (text: string, sessionId: string | null = null): Note => ({
  ...{
    id: text as never,
    ref: deriveRef("n", text),
    project: "p" as never,
    by: "user",
    state: "open",
  },
  ...{ text, sessionId: sessionId as SessionId | null, writtenAtMs: NOW, doneAtMs: null },
  ...{ condition: null, checkedAtMs: 0 },
});

const hints = { empty: "Add some.", full: "Change them.", join: "Joining" };
const nothing = { memories: [], members: new Map(), shared: [], notes: [], apart: null };
const list = (change: Partial<Parameters<typeof renderMemoryList>[0]> = {}) =>
  renderMemoryList({ project: { name: "shop" }, ...nothing, ...change }, hints);

const apart = { name: "shop-main", remote: "git@a:me/shop", ownRemote: "git@a:us/shop" } as never;

describe("a list for people", () => {
  test("of nothing says how to begin, and what a clone is kept apart from", () => {
    expect(list()).toBe("Nothing is stored about shop yet. Add some.");
    const text = list({ apart }).replaceAll("\n", " ");
    expect(text).toContain("This clone comes from git@a:me/shop, and shop-main");
    expect(text).toContain("Their memories are kept apart. Joining makes them one.");
    expect(renderCloneName({ name: `a\n${"n".repeat(80)}` } as never)).toBe(`a ${"n".repeat(58)}`);
  });

  test("has categories in their order, others' after the project's own, candidates and notes apart", () => {
    const shared: ReadableMemory = { ...memory("d", { number: 9 }), sharedBy: "till\n" };
    const text = list({
      memories: [
        memory("a"),
        memory("b", { number: 12, category: "PROJECT_RULES", permanence: "permanent" }),
        memory("c", { number: 3, state: { kind: "candidate" }, source: "tool" }),
        memory("e", { number: null, state: { kind: "archived" } }),
      ],
      shared: [shared],
      notes: [note("Look."), note("Ask.", "ses_1")],
    });
    const ref = deriveRef("m", "e");
    const pad = " ".repeat(ref.length - 2);
    expect(text).toBe(
      [
        "3 memories of shop, 1 candidate",
        `PROJECT_RULES\n  ${pad}12  Text of b. (50, permanent)`,
        `NAMING\n  ${pad} 1  Text of a. (50)\n  ${ref}  Text of e. (50, archived)\n${" ".repeat(ref.length + 4)}Text of d. (of till)`,
        `Candidates: no session gets these until you confirm them\n  ${pad} 3  Text of c. (NAMING, found in the output of a tool)`,
        `Open notes\n  [${deriveRef("n", "Look.")}] (project) Look.\n  [${deriveRef("n", "Ask.")}] Ask.`,
        "In brackets: importance, from 0 to 100. Change them.",
      ].join("\n\n"),
    );
  });

  test("explains no importance where there is none to see", () => {
    expect(list({ notes: [note("Look.")] })).toEndWith("Look.\n\nChange them.");
    expect(list({ notes: [note("Look.")] })).toStartWith("0 memories of shop\n");
    expect([renderMemoryCount(1), renderMemoryCount(1_200)]).toEqual([
      "1 memory",
      "1,200 memories",
    ]);
  });

  test("names members of a team where more than one has written", () => {
    const memories = [memory("a"), memory("b"), memory("c")];
    const by = (...names: readonly (readonly [string, string])[]) =>
      list({ memories, members: new Map(names) as never });
    expect(by(["a", "Ann"], ["b", "Ann"])).not.toContain("Ann");
    const text = by(["a", "Ann"], ["b", "Bob"]);
    expect(text).toContain("Text of a. (50, by Ann)");
    expect(text).toContain("Text of b. (50, by Bob)");
    expect(text).toContain("Text of c. (50)");
  });
});

describe("one memory for people", () => {
  test("shows where it comes from, when it changed, and how it was used", () => {
    const found = memory("a", {
      ...{
        text: "A\u0007 fact.",
        by: "historian",
        sessionId: "ses_1" as SessionId,
        source: "prompt",
      },
      ...{ segment: deriveRef("h", "u1"), usedAtMs: NOW - 5 * MINUTE_MS, uses: 2 },
      ...{ writtenAtMs: NOW - 3 * MINUTE_MS, changedAtMs: NOW - 2 * MINUTE_MS, number: 7 },
    });
    expect(renderMemoryDetails(found, "Ann", NOW).split("\n")).toEqual([
      "A  fact.",
      "",
      `memory 7, ${found.ref}, NAMING, importance 50, ordinary, active`,
      "written 3 min ago by historian in ses_1",
      `said by a user, in the segment ${deriveRef("h", "u1")}`,
      "changed 2 min ago by Ann, confirmed just now, used 2 times, last 5 min ago",
    ]);
  });

  test("leaves out what nobody knows", () => {
    const former = memory("a", { number: null, state: { kind: "superseded", by: "b" as never } });
    const text = renderMemoryDetails(former, null, NOW);
    expect(text).toContain(`\n${former.ref}, NAMING, importance 50, ordinary, superseded\n`);
    expect(text).toContain(
      "written just now by model\nsaid by the model\nchanged just now, confirmed",
    );
    expect(text).toEndWith("never used");
    expect(renderMemoryDetails(memory("a", { source: "user" }), null, NOW)).toContain(
      "written by a person",
    );
  });

  test("as the model reads it is one line", () => {
    const ref = deriveRef("m", "a");
    expect(renderMemoryLine(memory("a", { text: "A\nfact." }))).toBe(`[${ref}] NAMING 50: A fact.`);
    expect(renderMemoryLine(memory("a", { permanence: "permanent" }))).toBe(
      `[${ref}] NAMING 50, permanent: Text of a.`,
    );
  });
});

test("refs and numbers may stand with commas, semicolons or spaces between; each counts once", () => {
  expect(parseRefs(" 1, m:k3f9ab;2\n1 ,, ")).toEqual(["1", "m:k3f9ab", "2"]);
  expect(parseRefs(" ")).toEqual([]);
});

test("a memory is active, a candidate, or neither", () => {
  const kinds = ["active", "candidate", "archived"] as const;
  const states = kinds.map((kind) => ({ state: { kind } }));
  expect(states.map(isActive)).toEqual([true, false, false]);
  expect(states.map(isCandidate)).toEqual([false, true, false]);
});
