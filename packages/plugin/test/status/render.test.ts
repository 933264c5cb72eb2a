import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toSourceKey } from "../../src/context/key.ts";
import { readStatus, type SessionStatus, type StatusInput } from "../../src/status/model.ts";
import { createCommandTakenNotice, createRewritersNotice } from "../../src/status/notices.ts";
import { renderStatus, summarizeStatus } from "../../src/status/render.ts";
import {
  formatAgo,
  formatCount,
  LINE_WIDTH,
  renderSize,
  renderSparkline,
  wrap,
} from "../../src/status/wording.ts";
import {
  type Call,
  createLiveState,
  createStatusInput,
  createTurns,
  createUsage,
  ledger,
  minutesAgo,
  session,
  shown,
} from "./records.ts";

const calls: readonly Call[] = Array.from({ length: 24 }, (_, index) => {
  const epochSeq = index < 12 ? 1 : 3;
  const atMs = minutesAgo(290 - index * 12);
  const cold = index === 0 || index === 12 || index === 20;
  const usage = cold ? createUsage(4, 1_000, 21_500 + index) : createUsage(4, 22_500, 310 + index);
  const bust =
    index === 12
      ? "a new epoch began"
      : index === 20
        ? "a live block changed: the prompt's own system, or another plugin's text"
        : null;
  return { epochSeq, atMs, usage: index === 23 ? null : usage, bust };
});

const opus = { model: "anthropic/claude-opus-5", form: "native" } as const;
const forms = [
  { ...opus, entrySeq: 2 },
  ...ledger.entries
    .filter(({ epochSeq }) => epochSeq === 3)
    .map(({ seq }, index) => ({
      ...opus,
      entrySeq: seq,
      form: index === 0 ? ("wrapped" as const) : ("native" as const),
    })),
];

const specs = ["@tarquinen/opencode-dcp@3.1.14"];

/** A fold stands in it, and its feature says what came of it. */
const foldedInput = ((): StatusInput => {
  const [entry] = ledger.entries;
  if (!entry) throw new Error("an entry");
  const edit = { verb: "fold", first: "a", last: "b", text: "In short. ".repeat(200) } as const;
  const fold = { ...entry, seq: 8, epochSeq: 3, edit, announced: [], delta: {} };
  const entries = [...ledger.entries, fold];
  const rewritten =
    "old history was dropped: reading it had cost as much as writing the rest again";
  const turns = createTurns(
    calls.map((one, at) => (at === 20 ? { ...one, bust: rewritten } : one)),
  );
  const input = createStatusInput({ ledger: { ...ledger, entries }, turns });
  if (input.stored.kind !== "read") throw new Error("a stored session");
  const text =
    "12 messages folded into a record of about 500 tokens. Each call is spared about 38,200 tokens.\nThe newest 6,000 tokens are sent verbatim.\n· 4 min ago, as it paid: older messages folded; cost 3,200, spares 38,200 a call, 41,000 in 12 calls so far";
  return {
    ...input,
    stored: { ...input.stored, sections: [{ label: "History", text, short: null }] },
  };
})();
const toolsTokens = () => 9_000;

const statuses: Readonly<Record<string, SessionStatus>> = {
  "two-epochs": readStatus(
    createStatusInput({ ledger, turns: createTurns(calls), forms }),
    createLiveState({
      shown,
      failing: [
        {
          key: toSourceKey("core/instructions"),
          reason: "https://example.com/rules.md could not be fetched: no answer within 5000 ms",
          sinceMs: minutesAgo(3),
        },
      ],
      warnings: [createRewritersNotice(specs), createCommandTakenNotice("ctx-status")],
      rewriters: specs,
    }),
  ),
  "database-alone": readStatus(
    createStatusInput({ ledger, turns: createTurns(calls.slice(0, 2)) }),
    null,
  ),
  folded: readStatus(
    foldedInput,
    createLiveState({
      shown: { ...shown, entrySeqs: new Set([...shown.entrySeqs, 8]) },
      toolsTokens,
    }),
  ),
  "no-epoch": readStatus(createStatusInput({}), createLiveState({ shown })),
  "no-storage": readStatus(
    {
      sessionId: session,
      nowMs: 0,
      stored: {
        kind: "unreadable",
        code: "locked",
        message:
          "The runtime's database /data/session-runtime/runtime.db is locked by another process. Close it, then send another message.",
      },
    },
    createLiveState({ log: { path: "/data/runtime.log", lostLines: 1200, failure: "ENOSPC" } }),
  ),
};

describe.each(Object.entries(statuses))("the report %s", (name, status) => {
  const text = renderStatus(status);

  test("reads as its golden file says", () => {
    const file = join(import.meta.dir, "golden", `${name}.txt`);
    if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, `${text}\n`);
    if (!existsSync(file)) throw new Error(`No ${file}: UPDATE_GOLDEN=1 writes it.`);
    expect(`${text}\n`).toBe(readFileSync(file, "utf8"));
  });

  test("keeps to what 80 columns leave to a message", () => {
    expect(text.split("\n").filter((line) => line.length > LINE_WIDTH)).toEqual([]);
    expect(text).not.toMatch(/ $/m);
  });

  test("has a summary of one line", () => {
    expect(summarizeStatus(status)).toMatch(/^.{1,200}\.$/);
  });
});

describe("wording", () => {
  test("numbers have thousands separators in every locale", () => {
    expect([0, 999, 1000, 1234567].map(formatCount)).toEqual(["0", "999", "1,000", "1,234,567"]);
    expect([9_999, 118_784, 20_971_520].map(renderSize)).toEqual([
      "9,999 bytes",
      "119 kB",
      "21 MB",
    ]);
  });

  test("times are relative, and the future is just now", () => {
    const passed = [-5, 3, 119, 120, 7_199, 7_200, 172_799, 172_800];
    expect(passed.map((seconds) => formatAgo(0, seconds * 1000))).toEqual([
      "just now",
      "just now",
      "119 s ago",
      "2 min ago",
      "119 min ago",
      "2 h ago",
      "47 h ago",
      "2 days ago",
    ]);
  });

  test("a sparkline has a column per call, a dot where there are no figures", () => {
    expect(renderSparkline([0, 0.5, 1, null])).toBe("▁▅█·");
  });

  test("a word longer than the line stays whole", () => {
    const path = `/${"long/".repeat(30)}`;
    expect(wrap("Log  ", `at ${path} or so`)).toEqual(["Log  at", `     ${path}`, "     or so"]);
  });
});

test("the summary of a session without a call reads well after what says that nothing was sent yet", () => {
  const status = readStatus(createStatusInput({}), null);
  expect(summarizeStatus(status)).toBe("send a message, and /ctx-status shows its context.");
});
