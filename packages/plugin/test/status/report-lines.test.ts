// The lines of a status report, one by one.
import { describe, expect, test } from "bun:test";
import { readLayers } from "../../src/status/layers.ts";
import { readStatus, type SessionStatus } from "../../src/status/model.ts";
import { formatDollars, renderMoneyLine, renderSavedPhrase } from "../../src/status/money.ts";
import { renderStatus, summarizeStatus } from "../../src/status/render.ts";
import { resolveEntryState } from "../../src/status/section.ts";
import {
  cutText,
  formatAgo,
  renderPercent,
  renderSize,
  renderSparkline,
  wrap,
} from "../../src/status/wording.ts";
import type { StoredSession } from "../storage/overview-of.ts";
import { briefRecord } from "../storage/records.ts";
import {
  createLiveState,
  createStatusInput,
  createTurns,
  createUsage,
  ledger,
  minutesAgo,
  NOW_MS,
  shown,
  updateRecord,
} from "./records.ts";

const call = { epochSeq: 3, atMs: minutesAgo(9), usage: createUsage(10, 90, 0), bust: null };
const warning = { code: "x", severity: "warning", message: "It is so.", remedy: "Go." } as const;

/** A report with its line breaks and columns taken out. */
const flat = (status: SessionStatus) => renderStatus(status).replace(/\s+/g, " ");
const renderStatusLines = (status: SessionStatus) => renderStatus(status).split("\n");

describe("the summary", () => {
  const summary = (
    stored: Parameters<typeof createStatusInput>[0],
    live = createLiveState({ shown }),
  ) => summarizeStatus(readStatus(createStatusInput(stored), live));
  const epoch = "epoch 2, begun 60 min ago after a compaction, Baseline 5,629 bytes, 4 updates";

  test("names epoch, Baseline and updates; calls, busts and warnings where there are any", () => {
    expect(summary({ ledger })).toBe(`${epoch}.`);
    expect(summary({ ledger, turns: createTurns([call]) })).toBe(
      `${epoch}, 1 call with 90% read from the cache.`,
    );
    const turns = createTurns([call, { ...call, bust: "the tool list changed" }]);
    expect(
      summary({ ledger, turns }, createLiveState({ shown, warnings: [warning, warning] })),
    ).toBe(`${epoch}, 2 calls with 90% read from the cache, 1 cache bust, 2 warnings.`);
  });

  test("of a database that can't be read says that", () => {
    const stored = { kind: "unreadable", code: "locked", message: "It is locked." } as const;
    const status = readStatus({ ...createStatusInput({}), stored }, null);
    expect(summarizeStatus(status)).toBe("the database can't be read (locked).");
  });
});

describe("the epoch's line", () => {
  const epochLine = (epochSeq: number | null) =>
    renderStatusLines(
      readStatus(
        createStatusInput({ ledger }),
        createLiveState({ shown: { ...shown, epochSeq, entrySeqs: new Set() } }),
      ),
    ).find((line) => line.startsWith("Epoch"));

  test("counts those before it and those that an undo took back", () => {
    expect(epochLine(3)).toBe("Epoch       2 (1 before it), began 60 min ago after a compaction");
    expect(epochLine(1)).toBe(
      "Epoch       1 (the first, 1 undone), began 5 h ago with the session's",
    );
    expect(epochLine(null)).toStartWith("Epoch       none yet: ");
  });
});

describe("updates", () => {
  const opus = { model: "anthropic/opus", form: "native" } as const;

  test("are said to be text where no model had them in its own role; else by model, of this epoch alone", () => {
    const listFormLines = (forms: StoredSession["forms"]) =>
      renderStatusLines(
        readStatus(createStatusInput({ ledger, forms }), createLiveState({ shown })),
      )
        .filter((line) => /^Updates|^ {2}to /.test(line))
        .map((line) => line.trim());
    const heading = "Updates in this epoch: 4, 1 more in other epochs";
    expect(listFormLines([])).toEqual([`${heading}; sent as text`]);
    expect(listFormLines([{ ...opus, entrySeq: 2 }])).toEqual([`${heading}; sent as text`]);
    const two = { entrySeq: 4, model: "a/b", form: "wrapped" } as const;
    expect(listFormLines([{ ...opus, entrySeq: 4 }, { ...opus, entrySeq: 5 }, two])).toEqual([
      heading,
      "to a/b  0 in the provider's own role, 1 as text after all",
      "to anthropic/opus  2 in the provider's own role",
      "to other models  as text",
    ]);
  });

  test("beyond the newest twelve are counted alone; without an epoch there are none", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        updateRecord(
          { ...{ seq: 4 + at, epochSeq: 3, messageId: "m" }, key: `a/k${at}`, atMs: NOW_MS },
          "stated",
        ),
      );
    const linesWith = (count: number) =>
      renderStatusLines(
        readStatus(createStatusInput({ ledger: { ...ledger, entries: many(count) } }), null),
      );
    const shownKeys = (lines: readonly string[]) =>
      lines.flatMap((line) => /unchecked .* (a\/k\d+)$/.exec(line)?.[1] ?? []);
    expect(linesWith(12).some((line) => line.includes("older not shown"))).toBe(false);
    expect(shownKeys(linesWith(12))).toHaveLength(12);
    expect(linesWith(14)).toContain("  (2 older not shown)");
    expect(shownKeys(linesWith(14))[0]).toBe("a/k2");
    expect(linesWith(14)).toContain("Updates in this epoch: 14; sent as text");
    expect(linesWith(0)).toContain("Updates in this epoch: none");
    expect(renderStatus(readStatus(createStatusInput({}), null))).not.toContain("Updates");
  });

  test("stand if replay shows them, which only the host's history says", () => {
    const entry = { seq: 4 } as Parameters<typeof resolveEntryState>[0];
    expect(resolveEntryState(entry, null)).toBe("unchecked");
    expect(resolveEntryState(entry, shown)).toBe("standing");
    expect(resolveEntryState(entry, { ...shown, entrySeqs: new Set() })).toBe("withdrawn");
  });
});

describe("what else a report has", () => {
  test("in its heading the host that has claimed the session, where one has", () => {
    const status = readStatus(createStatusInput({}), null);
    expect(renderStatusLines(status)[0]).toBe("Session Runtime: ses_one");
    expect(renderStatusLines({ ...status, harness: "pi" }).slice(0, 2)).toEqual([
      ...["Session Runtime: ses_one (pi)", "─".repeat(29)],
    ]);
  });

  test("the brief names its stage where there is one", () => {
    const briefed = (stage: string | null) => {
      const { essentials, ...brief } = briefRecord("m");
      const stored = { ...brief, seq: 1, essentials: { ...essentials, stage } };
      return flat(
        readStatus(createStatusInput({ brief: { ...stored, madeAtMs: minutesAgo(5) } }), null),
      );
    };
    expect(briefed("bug-fix")).toMatch(/about \d+ tokens, in bug-fix\. \/ctx-brief/);
    expect(briefed(null)).toMatch(/about \d+ tokens\. \/ctx-brief/);
  });

  test("the log's lines that were lost, and why it can't be written", () => {
    const log = { path: "/x.log", lostLines: 0, failure: null };
    const logged = (health: Partial<typeof log> | { failure: string }) => {
      const lines = renderStatusLines(
        readStatus(createStatusInput({}), createLiveState({ log: { ...log, ...health } })),
      );
      const at = lines.indexOf("Log         /x.log");
      return lines[at + 1];
    };
    expect(logged({})).toBe("");
    expect(logged({ lostLines: 2 })).toBe("            2 lines lost");
    expect(logged({ failure: "ENOSPC" })).toBe("            can't be written: ENOSPC");
  });

  test("the newest call by layers where something is folded, those that have anything in them", () => {
    const edit = { verb: "fold", first: "a", last: "b", text: "x".repeat(400) } as const;
    const [entry] = ledger.entries;
    if (!entry) throw new Error("an entry");
    const fold = { ...entry, seq: 8, epochSeq: 3, edit, announced: [], delta: {} };
    const entries = [fold];
    const turns = createTurns([{ ...call, usage: createUsage(1_000, 4_000, 0) }]);
    const status = readStatus(createStatusInput({ ledger: { ...ledger, entries }, turns }), null);
    expect(flat(status)).toContain(
      "Context 5,000 tokens in the newest call: Baseline 1,408; folded 100; all else 3,492",
    );
    const unfolded = readStatus(createStatusInput({ ledger, turns }), null);
    expect(renderStatus(unfolded)).not.toContain("Context ");
  });

  test("nothing of warnings where nobody knows them", () => {
    expect(flat(readStatus(createStatusInput({}), null))).toContain("Not known warnings, sources");
    expect(renderStatusLines(readStatus(createStatusInput({}), createLiveState({})))).toContain(
      "Warnings    none",
    );
    const warned = readStatus(createStatusInput({}), createLiveState({ warnings: [warning] }));
    expect(renderStatus(warned)).toContain("─\n\nWarnings\n  ! It is so. Go.\n\nEpoch");
  });

  test("a section's first line under its name, and later ones below it", () => {
    const input = createStatusInput({});
    if (input.stored.kind !== "read") throw new Error("a stored session");
    const sections = [{ label: "Memory", text: "Two facts.\nOne rule.", short: null }];
    const status = readStatus({ ...input, stored: { ...input.stored, sections } }, null);
    expect(renderStatus(status)).toContain("Memory      Two facts.\n            One rule.");
  });
});

describe("layers never exceed what the provider counted", () => {
  test("an estimate that is too high takes from what comes after it", () => {
    const readLayerTokens = (given: Partial<Parameters<typeof readLayers>[0]>) =>
      readLayers({
        ...{ totalTokens: 100, baselineTokens: 10, historyTokens: 20 },
        ...{ updatesTokens: 30, toolsTokens: 5 },
        ...given,
      }).map(({ layer, tokens }) => `${layer} ${tokens}`);
    expect(readLayerTokens({})).toEqual([
      ...["tools 5", "baseline 10", "history 20", "updates 30", "conversation 35"],
    ]);
    expect(readLayerTokens({ toolsTokens: 50 })).toEqual([
      ...["tools 40", "baseline 10", "history 20", "updates 30", "conversation 0"],
    ]);
    expect(readLayerTokens({ updatesTokens: 500 })).toEqual([
      ...["tools 0", "baseline 10", "history 20", "updates 70", "conversation 0"],
    ]);
    expect(readLayerTokens({ historyTokens: 0 })).not.toContain("history 0");
  });
});

describe("numbers at the limits of their units", () => {
  test("sizes", () => {
    const sizes = [9_999, 10_000, 9_999_499, 10_000_000].map(renderSize);
    expect(sizes).toEqual(["9,999 bytes", "10 kB", "9,999 kB", "10 MB"]);
  });

  test("times, shares and columns", () => {
    expect([4_999, 5_000].map((passed) => formatAgo(0, passed))).toEqual(["just now", "5 s ago"]);
    expect([0.999, 1, null].map(renderPercent)).toEqual(["99%", "100%", "–"]);
    expect(renderSparkline([0.12, 0.13, 0.99])).toBe("▁▂█");
    expect([cutText("abcd", 4), cutText("abcde", 4)]).toEqual(["abcd", "abc…"]);
    expect(wrap("- ", `${"x".repeat(69)} y`)).toEqual([`- ${"x".repeat(69)}`, "  y"]);
    expect(wrap("- ", `${"x".repeat(68)} y`)).toEqual([`- ${"x".repeat(68)} y`]);
  });

  test("sums of money", () => {
    expect([0.99994, 1, -1].map(formatDollars)).toEqual(["$0.9999", "$1.00", "-$1.00"]);
    expect(renderSavedPhrase(0)).toBe("saved about $0.0000 against OpenCode alone");
    const spared = { sparedCalls: 2, sparedTokens: 9_000 };
    expect(renderMoneyLine({ paidUsd: 2, savedUsd: 1, sparedCalls: 0, sparedTokens: 0 })).toBe(
      "Paid $2.00.",
    );
    expect(renderMoneyLine({ paidUsd: null, savedUsd: null, ...spared })).toBe(
      "OpenCode alone would have changed its system prompt at 2 calls that read 9,000 tokens from the cache.",
    );
  });
});
