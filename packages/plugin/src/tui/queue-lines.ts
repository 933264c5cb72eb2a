// Renders the queue's dialog; pure.
import type { QueuedPrompt, ShownQueue } from "../feature-api/screen.ts";
import { makeVisible } from "../status/visible.ts";
import { counted, cut } from "../status/wording.ts";
import { type Line, segment } from "./line.ts";
import type { QueueState } from "./queue-state.ts";

/** Shows as many prompts as fit in `rows`, the chosen one among them. */
export function queueLines(state: QueueState, width: number, rows: number): readonly Line[] {
  const { queue, trouble } = state;
  const wrong = trouble === null ? [] : [[segment("error", cut(trouble, width))]];
  if (queue === null) return wrong.length > 0 ? wrong : [[segment("muted", "Reading …")]];
  const maxRows = Math.max(1, rows - 1 - wrong.length - (queue.length > rows ? 1 : 0));
  return [
    [segment("muted", cut(formatQueueHead(queue), width))],
    ...promptLines(state, queue, width, maxRows),
    ...wrong,
  ];
}

/** Keys, each with what it does, and how many prompts have to wait for it to do anything. */
const KEYS = [
  [2, "↑ ↓", "choose"],
  [2, "shift ↑ ↓", "move"],
  [0, "a", "add"],
  [1, "e", "edit"],
  [1, "d", "drop"],
] as const;

/** Lists the keys that do something now; null stands for a queue that was not read yet. */
export function shownKeys(queue: ShownQueue | null): readonly (readonly [string, string])[] {
  const waiting = queue === null ? -1 : queue.waiting.length;
  const keys = KEYS.filter(([least]) => least <= waiting);
  return [...keys.map(([, key, meaning]) => [key, meaning] as const), ["esc", "close"]];
}

function formatQueueHead({ activity, length }: ShownQueue): string {
  if (length === 0) return "The queue is empty.";
  const waits = `${counted(length, "prompt")} ${length === 1 ? "waits" : "wait"}`;
  return activity === "busy"
    ? `${waits}; the first is sent when the session has settled.`
    : `${waits} on hold; resume or send a prompt to continue.`;
}

function promptLines(
  { chosenId }: QueueState,
  { waiting, length }: ShownQueue,
  width: number,
  maxRows: number,
): readonly Line[] {
  const chosen = waiting.findIndex(({ id }) => id === chosenId);
  const first = Math.max(0, chosen - maxRows + 1);
  const shown = waiting.slice(first, first + maxRows);
  const hidden = length - shown.length;
  const digits = String(length).length;
  const lines = shown.map((prompt, index): Line => {
    const place = String(first + index + 1).padStart(digits);
    const isChosen = first + index === chosen;
    const text = cut(makeVisible(oneLine(prompt)), width - digits - 4);
    return [
      segment(isChosen ? "good" : "muted", `${isChosen ? "›" : " "} ${place}  `),
      segment(isChosen ? "title" : "text", text),
    ];
  });
  return hidden > 0 ? [...lines, [segment("muted", `  … ${hidden} not shown here`)]] : lines;
}

function oneLine({ text, files }: QueuedPrompt): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (files === 0) return line;
  return `${line}${line === "" ? "" : " "}(with ${counted(files, "file")})`;
}
