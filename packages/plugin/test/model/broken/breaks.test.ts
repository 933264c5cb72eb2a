import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { longTest, rowTest } from "../../../../e2e/test/long.ts";
import type { Invariant } from "../checker.ts";

const source = resolve(import.meta.dir, "../../../src");

/** One line of ours that is wrong on purpose. */
interface Break {
  readonly what: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

const ADMISSION = {
  file: "ledger/admission.ts",
  find: "  if (watermark === null || isCold(boundary)) return true;\n",
} as const;
/** The policies that there are draft nothing that the rule refuses: arbitrary edits show it, sessions don't. */
const admitsAll: Break = {
  ...{ what: "the admission rule admits everything", ...ADMISSION },
  put: "  if (watermark !== undefined) return true;\n",
};

/** A fold opens an epoch, so that in sessions no news of the same epoch lies in its range. */
const byPlace: Break = {
  what: "what stands is known by its place",
  file: "ledger/entry.ts",
  find: "if (edit !== null) return !projection.dormant.has(seq);",
  put: "if (edit !== null) return true;",
};

const breaks: readonly (readonly [Invariant, Break])[] = [
  [
    "I1",
    {
      ...{ what: "the admission rule refuses what it should admit", ...ADMISSION },
      put: "  if (watermark !== undefined) return false;\n",
    },
  ],
  [
    "I22",
    {
      what: "the admission rule takes each boundary for a cold one",
      file: "ledger/boundary.ts",
      find: 'return kind !== "ordinary" && kind !== "reverted";',
      put: 'return kind !== "reverted" || kind !== "reverted";',
    },
  ],
  [
    "I2",
    {
      what: "a process that begins does not read what was told",
      file: "storage/ledger-store.ts",
      find: "entries: entries.rows,",
      put: "entries: [],",
    },
  ],
  [
    "I3",
    {
      what: "updates are sent without being stored",
      file: "session/commit.ts",
      find: 'if (commitDecision(deps.database(), memory, change) === "committed") {',
      put: "if (entries.length > 0) {",
    },
  ],
  [
    "I4",
    {
      what: "only the newest edit is replayed",
      file: "session/commit.ts",
      find: "replay(listEdits([...view.shown, ...entries]), held);",
      put: "replay(listEdits([...view.shown, ...entries]).slice(-1), held);",
    },
  ],
  [
    "I5",
    {
      what: "updates stand at the begin of the history",
      file: "ledger/announce-update.ts",
      find: "const last = messages.at(-1);",
      put: "const last = messages.at(0);",
    },
  ],
  [
    "I6",
    {
      what: "changes are not told",
      file: "session/boundary.ts",
      find: "return decideWithinEpoch(seen, {\n        text: wrapUpdate(joinParts(parts)),\n        announced: parts,\n        delta,\n      });",
      put: "return decideWithinEpoch(seen, null);",
    },
  ],
  [
    "I7",
    {
      what: "a commit is several writes and no transaction",
      file: "storage/ledger-store.ts",
      find: "return driver.transaction(() => {\n        const result",
      put: "return ((work: () => CommitResult) => work())(() => {\n        const result",
    },
  ],
  [
    "I8",
    {
      what: "what can't be seen counts as gone",
      file: "context/system-context.ts",
      find: "if (isUnavailable(loaded)) return createUnavailableState(loaded.reason);",
      put: 'if (isUnavailable(loaded)) return { kind: "absent" };',
    },
  ],
  [
    "I9",
    {
      what: "loads that take longer are not waited for",
      file: "session/source-observation.ts",
      find: "if (waitedFor > 0) await withTimeout(",
      put: "if (waitedFor < 0) await withTimeout(",
    },
  ],
  [
    "I10",
    {
      what: "an update whose place is gone counts as told",
      file: "ledger/entry.ts",
      find: "if (edit !== null) return !projection.dormant.has(seq);",
      put: "if (edit !== null) return true;",
    },
  ],
  [
    "I11",
    {
      what: "a compaction begins no epoch",
      file: "session/view.ts",
      find: '  if (findStartMessageId(input.ledger, head) !== null) return "compacted";',
      put: "",
    },
  ],
  [
    "I12",
    {
      what: "sessions share one memory",
      file: "session/session-state.ts",
      find: "    const held = this.#held.get(sessionId);\n    if (held) {",
      put: "    const held = this.#held.values().next().value;\n    if (held) {",
    },
  ],
  [
    "I13",
    {
      what: "a result is saved with an update in it",
      file: "session/runtime.ts",
      find: "return stripKnownInstructions(output, metadata, memory.sources.belief);",
      put: 'return output.concat(" <system-update>");',
    },
  ],
  [
    "I15",
    {
      what: "commits fail for no reason",
      file: "storage/ledger-store.ts",
      find: "const seq = expectedSeq + 1 + index;",
      put: "const seq = expectedSeq + 2 + index;",
    },
  ],
  [
    "I18",
    {
      what: "an edit whose place is gone takes the last message",
      file: "ledger/edit-plan.ts",
      find: "const index = indexById.get(getEditPlace(edit).messageId);",
      put: "const index = indexById.get(getEditPlace(edit).messageId) ?? messages.length - 1;",
    },
  ],
  [
    "I19",
    {
      what: "a message stays when all of its parts are omitted",
      file: "ledger/replay.ts",
      find: "return parts.length === 0 ? null : { ...message, parts };",
      put: "return { ...message, parts };",
    },
  ],
  [
    "I20",
    {
      what: "a turn is recorded before it is sent",
      file: "session/turn-recorder.ts",
      find: "this.deps.defer(turn.sessionId, () => this.flush());",
      put: "this.flush();",
    },
  ],
  [
    "I28",
    {
      what: "a compaction is shown what was folded or dropped",
      file: "session/projector.ts",
      find: "return withBoundedFailures(replay(listEdits(standing), messages), texts, standing);",
      put: "return withBoundedFailures(messages, texts, standing);",
    },
  ],
  [
    "I22",
    {
      what: "a proposal that waits is taken at any boundary",
      file: "session/boundary.ts",
      find: "const inadmissible = drafts.filter(({ edit }) => edit !== null && !isAdmissible(edit, view));",
      put: "const inadmissible = drafts.filter(() => false);",
    },
  ],
  [
    "I14",
    {
      what: "a compaction's pass is taken for a boundary",
      file: "session/projector.ts",
      find: "  if (memory.compacting) {",
      put: "  if (memory.compacting && messages.length === 0) {",
    },
  ],
];

/** Breaks that few schedules meet, each with the tests of sessions that do. */
const rare: readonly (readonly [Invariant, Break])[] = [
  [
    "I3",
    {
      what: "an epoch's own edits are sent before they are stored",
      file: "session/opening.ts",
      find: "    deps.database().ledger.prepare({ sessionId: memory.sessionId, edits, settled, atMs });\n",
      put: "",
    },
  ],
  [
    "I1",
    {
      what: "the first call of an epoch is sent without its folds",
      file: "session/opening.ts",
      find: "const projected = replay(edits, messages);",
      put: "const projected = messages;",
    },
  ],
  [
    "I28",
    {
      what: "a proposal is taken twice",
      file: "storage/ledger-store.ts",
      find: 'if (result.kind === "committed") removeProposals(driver, settled);',
      put: "settled.length;",
    },
  ],
];

/** The schedules' failed calls are within the limit; these have some that are not. */
const boundsNothing: Break = {
  what: "what failed calls say is not bounded",
  file: "ledger/bound-failures.ts",
  find: "draft: ({ messages, boundedTexts, standing }) => draftBounds(messages, boundedTexts, standing),",
  put: "draft: () => [],",
};
const FAILED_CALLS = "../failed-calls.property.test.ts";

const STANDING = "../../ledger/entry.test.ts";
const SESSIONS = "../../session/history-edits.test.ts";

/** Each break is found within these, by the fixed seed; most by the second one. */
const SCHEDULES = 400;
/** One for each way in which runs are held against an invariant, or each other. */
const IN_EACH_RUN: readonly Invariant[] = ["I1", "I2", "I9", "I12"];
/** What is not broken holds in all of them, so that fewer do. */
const UNBROKEN_SCHEDULES = 24;

/** Of a process that takes a second, on a machine that does other things too. */
const TIMEOUT_MS = 600_000;

/** What Bun says that runs these arguments with one line of ours broken; null: with none. */
async function said(broken: Break | null, ...args: readonly string[]): Promise<string> {
  const lines = broken ? [broken.file, broken.find, broken.put] : [];
  const { LONG: _long, SEED: _seed, ...env } = process.env;
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: import.meta.dir,
    env: { ...env, BUN_BE_BUN: "1", BREAK: JSON.stringify(lines) },
    stdout: "pipe",
    stderr: "pipe",
  });
  const outputs = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
  return (await Promise.all(outputs)).join("");
}

function searched(broken: Break | null, ...wanted: readonly Invariant[]): Promise<string> {
  const schedules = broken ? SCHEDULES : UNBROKEN_SCHEDULES;
  return said(broken, ...PRELOAD, "search.ts", `${schedules}`, ...wanted);
}

const PRELOAD = ["--preload", "./preload.ts"];
const PROPERTY = "../../ledger/admission.property.test.ts";

/** A break that is none any more would show nothing. */
function expectBreak({ file, find }: Break): void {
  expect(`${file}: ${countOccurrences(find, readFileSync(join(source, file), "utf8"))}`).toBe(
    `${file}: 1`,
  );
}

function countOccurrences(find: string, text: string): number {
  return text.split(find).length - 1;
}

describe("the invariants, with one line of ours broken on purpose", () => {
  test(
    "I1: the property of admitted edits fails where the admission rule admits everything",
    async () => {
      expectBreak(admitsAll);
      const args = ["test", "--timeout", `${TIMEOUT_MS}`, ...PRELOAD, PROPERTY];
      const output = await said(admitsAll, ...args);
      expect(output).toMatch(/Property failed after [\s\S]*\(fail\) I1: /);
    },
    TIMEOUT_MS,
  );

  test("each line that is broken stands in its file once", () => {
    for (const [, broken] of [...breaks, ...rare]) expectBreak(broken);
  });

  for (const [invariant, broken] of breaks) {
    const runs = IN_EACH_RUN.includes(invariant) ? "each-run" : "long-runs";
    rowTest(runs, `${invariant}: is found broken where ${broken.what}`, async () => {
      expectBreak(broken);
      expect(await searched(broken, invariant)).toContain(`${invariant} is broken: `);
    });
  }

  test(
    "I17: the property of failed calls fails where they are not bounded",
    async () => {
      expectBreak(boundsNothing);
      const args = ["test", "--timeout", `${TIMEOUT_MS}`, ...PRELOAD, FAILED_CALLS];
      expect(await said(boundsNothing, ...args)).toMatch(/^\(fail\) .*I17: /m);
    },
    TIMEOUT_MS,
  );

  test(
    "I28: a test of the projection fails where what stands is known by its place",
    async () => {
      expectBreak(byPlace);
      expect(await said(byPlace, "test", ...PRELOAD, STANDING)).toMatch(/^\(fail\) I28: /m);
    },
    TIMEOUT_MS,
  );

  for (const [invariant, broken] of rare) {
    longTest(
      `${invariant}: a session's test fails where ${broken.what}`,
      async () => {
        expectBreak(broken);
        const output = await said(broken, "test", ...PRELOAD, SESSIONS);
        expect(output).toMatch(/^\(fail\) /m);
      },
      TIMEOUT_MS,
    );
  }

  test(
    "none is found broken where nothing is",
    async () => {
      const invariants = [...new Set(breaks.map(([invariant]) => invariant))];
      const holds = invariants.map((invariant) => `${invariant} holds\n`);
      expect(await searched(null, ...invariants)).toBe(holds.join(""));
    },
    TIMEOUT_MS,
  );
});
