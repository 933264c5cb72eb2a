import type { Files } from "../src/host/home.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { one, type Talk } from "./conformance/stage.ts";

const SPEC = ".codex/specs/007-importer";
const BUG = ".codex/bugs/bom-crash";

/** What must be known after a compaction. */
export interface Work {
  readonly stage: string;
  readonly step: string;
  readonly nextAction: string;
  readonly gate: string;
}

/** A spec session and a bug session: their files, and what is known of them. */
export const WORKS: Readonly<Record<"spec" | "bug", { readonly files: Files } & Work>> = {
  spec: {
    files: {
      "AGENTS.md": "Answer in short sentences.\n",
      "SESSION.md": "# Session\n\nIn spec-execute on 007-importer.\n\n**Blockers:** none.\n",
      [`${SPEC}/requirements.md`]: "# Requirements\n",
      [`${SPEC}/design.md`]: "# Design\n",
      [`${SPEC}/tasks.md`]:
        "# Tasks\n\n## Batch 1 — Reader\n\n- [x] 1 — Detect the byte order mark\n- [ ] 2 — Stream rows from the file\n",
      [`${SPEC}/context.md`]: "# Context\n\n- Decision: rows are streamed, never collected\n",
    },
    stage: "spec-execute",
    step: "Continue the current implementation lane in Batch 1 — Reader: 2 — Stream rows from the file (Batch 1 — Reader).",
    nextAction:
      "Resume 007-importer in spec-execute: 2 — Stream rows from the file (Batch 1 — Reader).",
    gate: "For the current batch: declared task gates pass via `.codex/scripts/harness.sh spec gate <spec-name> <task-id>`, batch validation passes, `/review` feedback is addressed, `context.md` is updated, and the batch stops after commit.",
  },
  bug: {
    files: {
      "AGENTS.md": "Answer in short sentences.\n",
      "SESSION.md": "# Session\n\nIn bug-fix on bom-crash.\n",
      [`${BUG}/report.md`]: "# Report\n\nA byte order mark crashes the reader.\n",
      [`${BUG}/analysis.md`]: "# Analysis\n\nThe first three bytes are taken for a name.\n",
      [`${BUG}/harness/progress.md`]: "- bug-fix approved; skip the mark, test with one\n",
    },
    stage: "bug-fix",
    step: "Apply the approved changes from `analysis.md`, run format/lint/typecheck/tests, and prepare the hand-off to `bug-verify`.",
    nextAction:
      "Implement the approved minimal fix for bom-crash, add regression coverage, and prepare the hand-off to bug-verify.",
    gate: "Implement the approved fix, add regression tests, run the declared validation gates, then request approval to proceed to `bug-verify`.",
  },
};

/** All that a call says, system and history. */
export function joinCallText(call: CallRecord): string {
  return call.blocks.map(({ bytes }) => unescaped(bytes)).join("\n");
}

function unescaped(bytes: string): string {
  return bytes.replace(/\\n/g, "\n").replace(/\\"/g, '"').replace(/\\\\/g, "\\");
}

const OPENING = "## Stage-Aware Continuation\n";

/** The brief in a compaction's prompt; null where there is none. */
export function briefIn(call: CallRecord): string | null {
  const texts = call.blocks.map(({ bytes }) => unescaped(bytes)).join("\n");
  const at = texts.lastIndexOf(OPENING);
  return at === -1 ? null : texts.slice(at).replace(/"[^"\n]*$/, "");
}

/** How a summariser treats the brief. */
export const SUMMARISERS = {
  keeps: (call: CallRecord) => `## Summary\nThe work goes on.\n\n${briefIn(call) ?? ""}`,
  paraphrases: () =>
    "## Summary\nThe execution phase is on: rows are to be streamed from the file next, the approved fix has to be implemented with tests, and then a review will follow.",
  loses: () => "## Summary\nThe user and the assistant talked about files.",
} as const;

const REPAIR = "When the conversation was compacted, the work stood as follows";

/** How often a call tells what a summary lost. */
export function repairs(call: CallRecord): number {
  return joinCallText(call)
    .split("\n")
    .filter((line) => line.includes(REPAIR)).length;
}

/** The first call of the session's own loop that came after its newest compaction. */
export function firstAfter(talk: Talk, compactions: readonly CallRecord[]): CallRecord {
  const { index } = one(compactions.at(-1));
  return one(talk.main().find((call) => call.index > index));
}
