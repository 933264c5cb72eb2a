// Holds the state of the queue's dialog, decides what each key does, and renders it; pure.
import type { QueuedPrompt, ShownQueue } from "../feature-api/screen.ts";
import { cutText, makeVisible, renderCount } from "../status/wording.ts";
import { type Line, segment } from "./line.ts";

/**
 * The state of the dialog. The chosen prompt is known by its id, because places change while the dialog is
 * open.
 */
export interface QueueState {
  /** The queue; null until it has been read. */
  readonly queue: ShownQueue | null;
  readonly chosenId: string | null;
  /** The newest failure; null if there is none. */
  readonly trouble: string | null;
}

export const QUEUE_KEYS = ["up", "down", "move-up", "move-down", "add", "edit", "drop"] as const;
export type QueueKey = (typeof QUEUE_KEYS)[number];

/** A change of the queue. */
export type QueueChange =
  | { readonly kind: "add"; readonly text: string }
  | { readonly kind: "edit"; readonly id: string; readonly text: string }
  | { readonly kind: "move"; readonly id: string; readonly by: 1 | -1 }
  | { readonly kind: "drop"; readonly id: string };

/** The action that a key asks for. */
export type KeyAction =
  | { readonly kind: "none" }
  | { readonly kind: "choose"; readonly id: string }
  /**
   * Asks for a text first: that of a new prompt if `edited` is null, otherwise that of the prompt to edit.
   */
  | { readonly kind: "write"; readonly edited: QueuedPrompt | null }
  | { readonly kind: "change"; readonly change: QueueChange };

const NO_ACTION: KeyAction = { kind: "none" };

export function handleKey({ queue, chosenId }: QueueState, key: QueueKey): KeyAction {
  if (queue === null) return NO_ACTION;
  if (key === "add") return { kind: "write", edited: null };
  const { waiting } = queue;
  const at = waiting.findIndex(({ id }) => id === chosenId);
  const chosen = waiting[at];
  if (!chosen) return NO_ACTION;
  switch (key) {
    case "up":
    case "down": {
      const next = waiting[at + (key === "up" ? -1 : 1)];
      return next ? { kind: "choose", id: next.id } : NO_ACTION;
    }
    case "move-up":
    case "move-down": {
      const by = key === "move-up" ? -1 : 1;
      if (!isValidPlace(at + 1 + by, queue)) return NO_ACTION;
      return { kind: "change", change: { kind: "move", id: chosen.id, by } };
    }
    case "edit":
      return { kind: "write", edited: chosen };
    case "drop":
      return { kind: "change", change: { kind: "drop", id: chosen.id } };
  }
}

/** Replaces the queue. If the chosen prompt has left it, the one that took its place is chosen. */
export function replaceQueue(state: QueueState, queue: ShownQueue): QueueState {
  const { waiting } = queue;
  if (waiting.some(({ id }) => id === state.chosenId)) return { ...state, queue };
  const former = state.queue?.waiting.findIndex(({ id }) => id === state.chosenId) ?? 0;
  const next = waiting[Math.min(Math.max(0, former), waiting.length - 1)];
  return { ...state, queue, chosenId: next?.id ?? null };
}

/**
 * Formats a change as the arguments of `/ctx-queue`, by the prompts' current places. Returns null if there is
 * nothing to do: the text is empty, the prompt has left the queue, or it is at the end already.
 */
export function formatQueueArguments(change: QueueChange, queue: ShownQueue): string | null {
  if (change.kind === "add") return change.text.trim() === "" ? null : `-- ${change.text}`;
  const place = queue.waiting.findIndex(({ id }) => id === change.id) + 1;
  if (place === 0) return null;
  switch (change.kind) {
    case "edit":
      return change.text.trim() === "" ? null : `edit ${place} ${change.text}`;
    case "drop":
      return `drop ${place}`;
    case "move":
      return isValidPlace(place + change.by, queue) ? `move ${place} ${place + change.by}` : null;
  }
}

function isValidPlace(place: number, { length }: ShownQueue): boolean {
  return place >= 1 && place <= length;
}

// Renders the queue's dialog; pure.

/** Shows as many prompts as fit in `rows`, the chosen one among them. */
export function renderQueueLines(state: QueueState, width: number, rows: number): readonly Line[] {
  const { queue, trouble } = state;
  const wrong = trouble === null ? [] : [[segment("error", cutText(trouble, width))]];
  if (queue === null) return wrong.length > 0 ? wrong : [[segment("muted", "Reading …")]];
  const maxRows = Math.max(1, rows - 1 - wrong.length - (queue.length > rows ? 1 : 0));
  return [
    [segment("muted", cutText(formatQueueHead(queue), width))],
    ...renderPromptLines(state, queue, width, maxRows),
    ...wrong,
  ];
}

/** The keys, each with what it does, and how many prompts must be waiting for it to have an effect. */
const KEY_LABELS = [
  [2, "↑ ↓", "choose"],
  [2, "shift ↑ ↓", "move"],
  [0, "a", "add"],
  [1, "e", "edit"],
  [1, "d", "drop"],
] as const;

/** Lists the keys that have an effect now; null stands for a queue that has not been read yet. */
export function selectKeys(queue: ShownQueue | null): readonly (readonly [string, string])[] {
  const waiting = queue === null ? -1 : queue.waiting.length;
  const keys = KEY_LABELS.filter(([least]) => least <= waiting);
  return [...keys.map(([, key, meaning]) => [key, meaning] as const), ["esc", "close"]];
}

function formatQueueHead({ activity, length }: ShownQueue): string {
  if (length === 0) return "The queue is empty.";
  const waits = `${renderCount(length, "prompt")} ${length === 1 ? "waits" : "wait"}`;
  return activity === "busy"
    ? `${waits}; the first is sent when the session has settled.`
    : `${waits} on hold; resume or send a prompt to continue.`;
}

function renderPromptLines(
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
    const text = cutText(makeVisible(toSingleLine(prompt)), width - digits - 4);
    return [
      segment(isChosen ? "good" : "muted", `${isChosen ? "›" : " "} ${place}  `),
      segment(isChosen ? "title" : "text", text),
    ];
  });
  return hidden > 0 ? [...lines, [segment("muted", `  … ${hidden} not shown here`)]] : lines;
}

function toSingleLine({ text, files }: QueuedPrompt): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (files === 0) return line;
  return `${line}${line === "" ? "" : " "}(with ${renderCount(files, "file")})`;
}
