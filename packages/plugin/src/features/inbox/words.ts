// Words the inbox's messages to the user.
import type { HoldReason, InterruptionCounts, Outcome } from "./plan.ts";
import type { InputRecord } from "./records.ts";

export const renderPromptCount = (count: number) => (count === 1 ? "1 prompt" : `${count} prompts`);

/** Describes in a sentence what an interruption has left, without any text of the session. */
export function describeFindings(findings: InterruptionCounts): string {
  const { unsaved, unanswered, swallowed, waiting, tools } = findings;
  const clauses = [
    unsaved > 0 ? `${renderPromptCount(unsaved)} never reached the conversation` : "",
    unanswered > 0 ? `${renderPromptCount(unanswered)} without an answer` : "",
    swallowed > 0 ? `${renderPromptCount(swallowed)} that a compaction marked as answered` : "",
    waiting > 0 ? `${renderPromptCount(waiting)} waiting in the queue` : "",
  ].filter((clause) => clause !== "");
  const cutOff =
    tools.length === 0
      ? ""
      : ` Cut off in the middle: ${tools.join(", ")}; the model sees this, and their effects remain.`;
  return `${clauses.join(", ")}.${cutOff}`;
}

export const RESUME_HINT = "/ctx-resume continues, /ctx-queue lists what waits.";

export function describeHold(why: HoldReason, findings: InterruptionCounts): string {
  const { waiting } = findings;
  const verb = waiting === 1 ? "waits" : "wait";
  const waits = waiting > 0 ? ` ${renderPromptCount(waiting)} ${verb} in the queue.` : "";
  switch (why) {
    case "interrupted":
      return `The turn was interrupted: nothing more is sent automatically.${waits} ${RESUME_HINT}`;
    case "failed":
      return `The last turn failed: nothing more is sent automatically.${waits} ${RESUME_HINT}`;
    case "unfinished":
      return `A prompt is without an answer.${waits} ${RESUME_HINT}`;
    case "unsent":
      return `${describeFindings(findings)} ${RESUME_HINT}`;
  }
}

/**
 * Renders the queue as a list, next prompt first; the numbers are those that `edit`, `drop` and `move` take.
 */
export function renderQueue(
  shown: readonly InputRecord[],
  waiting: number,
  working: readonly InputRecord[],
): string {
  const lines = [
    waiting === 0 ? "The queue is empty." : `${renderPromptCount(waiting)} in the queue:`,
    ...shown.map(({ preview }, index) => `${String(index + 1).padStart(4)}  ${preview}`),
  ];
  if (waiting > shown.length) lines.push(`      … and ${waiting - shown.length} more`);
  const refused = working.filter(({ state }) => state === "refused").length;
  if (refused > 0) lines.push(`${renderPromptCount(refused)} refused; /ctx-resume tries again.`);
  lines.push("", QUEUE_USAGE);
  return lines.join("\n");
}

export const QUEUE_USAGE = [
  "/ctx-queue TEXT          send TEXT when the session has settled",
  "/ctx-queue edit N TEXT   replace the text of prompt N",
  "/ctx-queue drop N        remove prompt N (drop N-M: a range; drop all: the whole queue)",
  "/ctx-queue move N M      move prompt N to place M",
  "/ctx-queue -- TEXT       send TEXT, even if it starts with one of these words",
].join("\n");

const NOTHING_TO_RESUME =
  "Nothing to continue: every prompt of this session is answered, and none waits.";

/** Describes the outcome of /ctx-resume. */
export function describeOutcome(drive: Outcome): string {
  switch (drive.kind) {
    case "nothing":
      return NOTHING_TO_RESUME;
    case "busy":
      return "The session is busy. Queued prompts are sent when it has settled.";
    case "elsewhere":
      return "Another OpenCode process is working on this session: continue there, or end it first.";
    case "undone":
      return "The undone messages can still be redone, and continuing would delete them. Redo them, or send a prompt, then run /ctx-resume again.";
    case "rest":
      return drive.found.waiting + drive.found.unsaved + drive.found.unanswered === 0
        ? NOTHING_TO_RESUME
        : "A prompt is already on its way into the session. Try again in a few seconds if nothing happens.";
    case "hold":
      return describeHold(drive.why, drive.found);
    case "promote":
      return `Continuing: the next of ${renderPromptCount(drive.found.waiting)} in the queue is sent now, the others follow one by one.`;
    case "send":
    case "replace":
    case "again":
      return `Continuing: ${describeFindings(drive.found)} Nothing is sent twice.`;
  }
}
