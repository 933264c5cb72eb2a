import { describe, expect, test } from "bun:test";
import type { ChangeResult } from "../../../src/features/memory/actions.ts";
import {
  readMemoryCall,
  readNoteCall,
  renderChange,
  renderFinishedNotes,
  renderStoredAnswer,
} from "../../../src/features/memory/change-text.ts";
import type { Memory } from "../../../src/features/memory/record.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";

const memory = (number: number, text = "Prices are in cents."): Memory =>
  ({ ref: deriveRef("m", String(number)), number, text, category: "NAMING" }) as Memory;
const [one, two, three] = [memory(1), memory(2), memory(3, "Stored as m:000000.")] as const;
const TEXT = "Prices are in euros.";

/** What came of a call, what the model read, and what a person would have read. */
const rows: readonly (readonly [ChangeResult, string, string])[] = [
  [{ kind: "stored", memory: one }, `Stored as ${one.ref}.`, "Stored as memory 1, under NAMING."],
  [{ kind: "updated", memory: one }, `Updated ${one.ref}.`, "Updated memory 1."],
  [
    { kind: "merged", memory: one, of: [two, three] },
    `Merged as ${one.ref}, in place of ${two.ref}, ${three.ref}.`,
    "Merged as memory 1, in place of memories 2, 3.",
  ],
  [
    { kind: "archived", memories: [two, three] },
    `Archived ${two.ref}, ${three.ref}.`,
    "Archived memories 2, 3.",
  ],
  [
    { kind: "known", memory: three, words: "kept" },
    `Already stored as ${three.ref}: Stored as m:000000.`,
    "Already stored as memory 3: Stored as m:000000.",
  ],
  [
    { kind: "known", memory: three, words: "taken" },
    `Already stored as ${three.ref}, which now has your words.`,
    "Already stored as memory 3, which now has your words.",
  ],
  [
    { kind: "merged into", memory: one, into: two },
    `${two.ref.replace("m", "M")} says this already: ${one.ref} was merged into it.`,
    "Memory 2 says this already: memory 1 was merged into it.",
  ],
  [{ kind: "restored", memory: one }, `Restored ${one.ref}.`, "Restored memory 1."],
  [
    { kind: "stands", memory: one },
    `${one.ref.replace("m", "M")} says this already.`,
    "Memory 1 says this already.",
  ],
  [
    { kind: "confirmed", memories: [one] },
    `Confirmed ${one.ref}. Sessions get it from their next call on.`,
    "Confirmed memory 1. Sessions get it from their next call on.",
  ],
  [
    { kind: "deleted", memories: [one, two] },
    `Deleted ${one.ref}, ${two.ref} for good.`,
    "Deleted memories 1, 2 for good.",
  ],
];

/** Of which a session's own call is the announcement. */
function ownWords(changed: ChangeResult) {
  const said = (...refs: readonly string[]) => new Map(refs.map((ref) => [ref, TEXT]));
  switch (changed.kind) {
    case "stored":
    case "updated":
      return { said: said(changed.memory.ref), gone: [] as string[] };
    case "merged":
      return { said: said(changed.memory.ref), gone: changed.of.map(({ ref }) => String(ref)) };
    case "archived":
      return { said: said(), gone: changed.memories.map(({ ref }) => String(ref)) };
    default:
      return { said: said(), gone: [] as string[] };
  }
}

describe("what a change came to", () => {
  for (const [changed, forModel, forPerson] of rows) {
    test(`"${forPerson}" says it to a person, by number; the model's own words are read back`, () => {
      expect(renderChange(changed, "person")).toBe(forPerson);
      expect(renderChange(changed, "model")).toBe(forModel);
      const read = readMemoryCall({ text: TEXT }, renderChange(changed, "model"));
      expect(read).toEqual(ownWords(changed));
    });
  }

  test("notes that were stored and finished are read back, in words of older histories too", () => {
    const [stored, done] = [
      deriveRef("n", "1"),
      [deriveRef("n", "2"), deriveRef("n", "3")],
    ] as const;
    const said = new Map([[stored as string, TEXT]]);
    const finished = renderFinishedNotes({ done, unknown: ["n:zzzzzz"] });
    expect(finished).toBe(`Done: ${done.join(", ")}. No open note: n:zzzzzz.`);
    expect(renderFinishedNotes({ done, unknown: [] })).toBe(`Done: ${done.join(", ")}.`);
    for (const output of [renderStoredAnswer(stored), `Noted as ${stored}.`]) {
      expect(readNoteCall({ text: TEXT }, output)).toEqual({ said, gone: [] });
      const both = `${finished} ${output}`;
      expect(readNoteCall({ text: TEXT }, both)).toEqual({ said, gone: [...done] });
    }
    expect(readNoteCall({}, renderStoredAnswer(stored))).toEqual({ said: new Map(), gone: [] });
  });

  test("words that name no ref, and texts that would not be stored, say nothing", () => {
    const nothing = { said: new Map<string, string>(), gone: [] };
    for (const output of ["Stored as it is.", "Archived nothing.", "Merged as such.", ""]) {
      expect(readMemoryCall({ text: TEXT }, output)).toEqual(nothing);
      expect(readNoteCall({ text: TEXT }, output)).toEqual(nothing);
    }
    expect(readMemoryCall({ text: " … " }, `Stored as ${one.ref}.`)).toEqual(nothing);
    expect(readNoteCall({ text: TEXT }, "Done: all.")).toEqual(nothing);
  });
});
