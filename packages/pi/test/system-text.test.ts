import { describe, expect, test } from "bun:test";
import type { PiSystem } from "../src/pi.ts";
import {
  composeHostText,
  headWith,
  isReplaced,
  stripOwnSections,
  toolsIn,
  withoutTools,
} from "../src/system-text.ts";

const head: PiSystem = {
  role: "system",
  content: "",
  sections: {
    preamble: "You are Pi.",
    project_context: "Use tabs.",
    skills: "One skill.",
    cwd: "/here",
    rules: "Be concise.",
  },
  toolsAdded: [{ name: "read" }],
  timestamp: 1,
};

function patch(sections: Record<string, string | null>, more: Partial<PiSystem> = {}): PiSystem {
  return { role: "system", content: "", sections, timestamp: 2, ...more };
}

describe("Pi's system text", () => {
  test("is the live sections, with the skills of the newest patch as a block", () => {
    expect(composeHostText([head])).toEqual({
      preamble: "You are Pi.\n\nBe concise.",
      blocks: { skills: "One skill." },
      live: null,
      standIns: { instructions: "Use tabs." },
    });
    const later = patch({ skills: "Two skills.", rules: null });
    expect(composeHostText([head, later])).toMatchObject({
      preamble: "You are Pi.",
      blocks: { skills: "Two skills." },
    });
    expect(composeHostText([head, patch({ skills: null })]).blocks).toEqual({ skills: null });
  });

  test("keeps a forced prompt, and ends with the Baseline", () => {
    const forced: PiSystem = { role: "system", content: "Only this.", timestamp: 1 };
    expect(composeHostText([forced]).preamble).toBe("Only this.");
    expect(headWith(forced, "Baseline.").sections).toEqual({ session_context: "Baseline." });
    const { sections, toolsAdded } = headWith(head, "Baseline.");
    expect(Object.entries(sections ?? {})).toEqual([
      ["preamble", "You are Pi."],
      ["rules", "Be concise."],
      ["session_context", "Baseline."],
    ]);
    expect(toolsAdded).toEqual([{ name: "read" }]);
  });

  test("leaves of a patch what our updates don't announce", () => {
    expect(stripOwnSections(patch({ skills: "Two skills.", cwd: "/there" }))).toBeNull();
    expect(stripOwnSections(patch({ skills: null, rules: "Be kind." }))?.sections).toEqual({
      rules: "Be kind.",
    });
    const tools = patch({ project_context: "x" }, { toolsAdded: [{ name: "grep" }] });
    expect(stripOwnSections(tools)).toMatchObject({ sections: {}, toolsAdded: [{ name: "grep" }] });
    const untouched = patch({ rules: "Be kind." });
    expect(stripOwnSections(untouched)).toBe(untouched);
  });

  test("is replaced where what is sent has more or less than its sections, in whatever order", () => {
    const later = patch({ skills: "Two skills.", rules: null, extra: "More." });
    const systems = [head, later];
    const sections = ["You are Pi.", "Use tabs.", "/here", "More.", "Two skills."];
    const whole = sections.join("\n\n");
    expect(isReplaced(systems, whole)).toBe(false);
    expect(isReplaced(systems, sections.reverse().join("\n"))).toBe(false);
    expect(isReplaced(systems, `${whole}\n\nTalk like a pirate.`)).toBe(true);
    expect(isReplaced(systems, whole.replace("Use tabs.", ""))).toBe(true);
    expect(isReplaced(systems, "Only this.")).toBe(true);
  });
});

test("the tools of a request are those that its system messages add and don't take away", () => {
  const tools = (systems: readonly PiSystem[]) => {
    const found = toolsIn(systems);
    return found && [...found];
  };
  expect(tools([head])).toEqual(["read"]);
  const more = patch({}, { toolsAdded: [{ name: "ctx_search" }, { name: "grep" }] });
  expect(tools([head, more, patch({}, { toolsRemoved: ["grep", { name: "read" }] })])).toEqual([
    "ctx_search",
  ]);
  expect(tools([patch({ rules: "Be kind." })])).toBeNull();
});

test("a message without some tools neither adds nor removes them, and is the same where it had none", () => {
  const names = new Set(["grep", "ctx_note"]);
  expect(withoutTools(head, names)).toBe(head);
  const more = patch({}, { toolsAdded: [{ name: "read" }, { name: "grep" }] });
  expect(withoutTools(more, names).toolsAdded).toEqual([{ name: "read" }]);
  const less = patch({}, { toolsRemoved: ["grep", { name: "ctx_note" }] });
  expect(withoutTools(less, names)).toEqual(patch({}));
});
