import { describe, expect, test } from "bun:test";
import { addTiers, parseSegments } from "../../../src/features/history/history-report.ts";
import { extractSegment } from "../../../src/history/extract.ts";
import { renderFoldedText, TIERS } from "../../../src/history/folded-text.ts";
import { planFree } from "../../../src/history/plan.ts";
import type { WrittenSegment } from "../../../src/history/written.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import { output, ran, SimulatedSession, said, settings } from "../../history/simulation.ts";

/** Each turn's work, in two steps, is a record of its own. */
function folded(budgetTokens: number) {
  const session = new SimulatedSession(168_000, null);
  for (let turn = 0; turn < 40; turn++) {
    session.prompt(`Prompt ${turn}: see to part ${turn}, and keep port ${4_000 + turn} free.`);
    for (const step of ["build", "test"])
      session.call(
        said(`I ${step} it. Port ${turn} is taken.`),
        ran(`${step} ${turn}`, output(`${step} ${turn}`, 6_000)),
      );
    session.call(said(`Part ${turn} is fine. We decided to use port ${4_000 + turn}.`));
  }
  const view = { ...session.view(), written: [] };
  const plan = planFree(view, { ...settings, budgetTokens }, "asked");
  const texts = plan?.folds.map(({ text }) => text) ?? [];
  return { messages: session.messages, texts };
}

describe("the segments of a folded history", () => {
  test("are read back as they were written: ref, size, kind, text", () => {
    const { messages, texts } = folded(16_000);
    const segments = texts.flatMap(parseSegments);
    expect(segments.length).toBeGreaterThan(10);
    const unfaded = segments.filter(({ kind }) => kind !== null);
    expect(unfaded.length).toBeGreaterThan(10);
    for (const { ref, messages: count, tier, text } of unfaded) {
      const place = messages.findIndex(({ info }) => deriveRef("h", info.id) === ref);
      const extract = extractSegment(messages.slice(place, place + count), 0);
      expect(tier).toBeNull();
      expect(Object.values(extract.texts)).toContain(text);
    }
    const count = segments.reduce((sum, one) => sum + one.messages, 0);
    expect(count).toBeGreaterThan(60);
    expect(segments.every(({ ref }) => /^h:[0-9a-z]{6}$/.test(ref))).toBe(true);
  });

  test("have the tiers that decay has left them, from the oldest to the newest", () => {
    const { messages, texts } = folded(3_000);
    const tiers = addTiers(texts.flatMap(parseSegments), messages, []).map(({ tier }) => tier);
    expect(tiers[0]).toBe("faded");
    expect(tiers.at(-1)).toBe("full");
    expect([...new Set(tiers)]).toEqual(["faded", ...TIERS.toReversed()]);
  });

  test("that a model wrote have theirs by its words; of messages that are gone, none", () => {
    const { messages } = folded(16_000);
    const range = messages.slice(0, 3);
    const idAt = (index: number) => range[index]?.info.id ?? "";
    const extracted = extractSegment(range, 0);
    const texts = { full: "All of it.", short: "Most.", brief: "Some.", line: "A line." };
    const segment = { ...extracted, texts };
    const text = renderFoldedText([{ segment, tier: "brief" }], "ctx_expand");
    const one: WrittenSegment = {
      ...{ firstId: idAt(0), lastId: idAt(2), place: 0, messageCount: 3 },
      ...{ digest: "", kind: extracted.kind, importance: 50, texts },
    };
    expect(addTiers(parseSegments(text), messages, [one])[0]?.tier).toBe("brief");
    expect(addTiers(parseSegments(text), messages, [])[0]?.tier).toBeNull();
    expect(addTiers(parseSegments(text), [], [one])[0]?.tier).toBeNull();
  });

  test("a text that is no folded history has none", () => {
    expect(parseSegments("")).toEqual([]);
    expect(parseSegments("<session-history>\n[h:x · many]\n</session-history>")).toEqual([]);
  });
});
