// The queue as a dialog: read over the channel, changed by /ctx-queue.
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { type BoxRenderable, TextRenderable } from "@opentui/core";
import { useTerminalDimensions } from "@opentui/solid";
import { createEffect, createSignal, onCleanup } from "solid-js";
import type { ShownQueue } from "../feature-api/screen.ts";
import { makeLinesVisible } from "../status/wording.ts";
import {
  computeDialogRows,
  createDialogBox,
  createLineText,
  renderKeysLine,
  toErrorMessage,
} from "./dialog.ts";
import { runCommand } from "./host-command.ts";
import { segment } from "./line.ts";
import { paint } from "./paint.ts";
import {
  formatQueueArguments,
  handleKey,
  type KeyAction,
  type QueueChange,
  type QueueKey,
  type QueueState,
  renderQueueLines,
  replaceQueue,
  selectKeys,
} from "./queue-state.ts";

/** Holds what the dialog needs to reach one session's queue. */
interface QueueActions {
  readonly sessionId: string;
  readonly read: () => Promise<ShownQueue>;
  /** Makes the effect that calls `watch` run again when the queue may have changed. */
  readonly watch: () => void;
}

const DIALOG_TITLE = "Session Runtime: queue";
/**
 * The most columns of a large dialog's content, and the columns that its margins and the screen around it
 * take.
 */
const LARGE_DIALOG_COLUMNS = 84;
const MARGIN_COLUMNS = 6;

const KEY_BINDINGS: Readonly<Record<string, QueueKey>> = {
  up: "up",
  down: "down",
  "shift+up": "move-up",
  "shift+down": "move-down",
  a: "add",
  e: "edit",
  return: "edit",
  d: "drop",
  delete: "drop",
};

export function openQueue(api: TuiPluginApi, actions: QueueActions): void {
  showQueue(api, actions, { queue: null, chosenId: null, trouble: null });
}

function showQueue(api: TuiPluginApi, actions: QueueActions, state: QueueState): void {
  api.ui.dialog.replace(() => createQueueDialog(api, actions, state));
  api.ui.dialog.setSize("large");
}

function createQueueDialog(
  api: TuiPluginApi,
  actions: QueueActions,
  begun: QueueState,
): BoxRenderable {
  const [state, setState] = createSignal(begun);
  const read = createReader(actions, setState);
  createEffect(() => {
    actions.watch();
    void read();
  });
  const runAction = (intent: KeyAction) => {
    switch (intent.kind) {
      case "none":
        return;
      case "choose":
        setState((now) => ({ ...now, chosenId: intent.id }));
        return;
      case "write":
        editPrompt(api, actions, state(), intent.edited?.id ?? null);
        return;
      case "change":
        void changeQueue(api, actions, intent.change).then((trouble) => {
          setState((now) => ({ ...now, trouble }));
          return read();
        });
    }
  };
  onCleanup(
    api.keymap.registerLayer({
      mode: "modal",
      bindings: Object.entries(KEY_BINDINGS).map(([key, meant]) => ({
        key,
        cmd: () => runAction(handleKey(state(), meant)),
      })),
    }),
  );
  return createDialogBox(api, [
    createLineText(api, () => [segment("title", DIALOG_TITLE)]),
    createListText(api, state),
    createLineText(api, () => renderKeysLine(selectKeys(state().queue))),
  ]);
}

function createListText(api: TuiPluginApi, state: () => QueueState): TextRenderable {
  const terminal = useTerminalDimensions();
  const text = new TextRenderable(api.renderer, { wrapMode: "none" });
  createEffect(() => {
    const { width, height } = terminal();
    const columns = Math.min(LARGE_DIALOG_COLUMNS, width - MARGIN_COLUMNS);
    text.content = paint(
      renderQueueLines(state(), columns, computeDialogRows(height)),
      api.theme.current,
    );
  });
  return text;
}

/**
 * Builds a function that reads the queue. Only the answer to the newest read counts, whichever comes last.
 */
function createReader(
  actions: QueueActions,
  set: (change: (now: QueueState) => QueueState) => void,
) {
  let newest = 0;
  let isOpen = true;
  onCleanup(() => {
    isOpen = false;
  });
  return async () => {
    newest += 1;
    const mine = newest;
    const finishWith = (next: (now: QueueState) => QueueState) => {
      if (isOpen && mine === newest) set(next);
    };
    try {
      const queue = await actions.read();
      finishWith((now) => replaceQueue(now, queue));
    } catch (error) {
      finishWith((now) => ({
        ...now,
        trouble: `The queue can't be read: ${toErrorMessage(error)}.`,
      }));
    }
  };
}

/**
 * Changes the queue by its current places, because a prompt may have been sent since the dialog was drawn.
 */
async function changeQueue(api: TuiPluginApi, actions: QueueActions, wanted: QueueChange) {
  try {
    const args = formatQueueArguments(wanted, await actions.read());
    return args === null ? null : await runCommand(api, actions.sessionId, "ctx-queue", args);
  } catch (error) {
    return `Nothing was changed: ${toErrorMessage(error)}.`;
  }
}

/** Asks for a text in the host's own dialog; whether or not one is given, the queue is shown again. */
function editPrompt(
  api: TuiPluginApi,
  actions: QueueActions,
  from: QueueState,
  editedId: string | null,
) {
  const edited = from.queue?.waiting.find(({ id }) => id === editedId) ?? null;
  const returnToQueue = (trouble: string | null) => showQueue(api, actions, { ...from, trouble });
  const submitText = (text: string) => {
    const wanted: QueueChange =
      edited === null ? { kind: "add", text } : { kind: "edit", id: edited.id, text };
    void changeQueue(api, actions, wanted).then(returnToQueue);
  };
  api.ui.dialog.replace(
    () =>
      api.ui.DialogPrompt({
        title: edited === null ? "Add to the queue" : "Edit the queued prompt",
        placeholder: "What should be done next",
        value: edited === null ? "" : makeLinesVisible(edited.text),
        onConfirm: submitText,
      }),
    // This also runs if the queue itself replaces the prompt: a dialog is then open, and stays open.
    () => setTimeout(() => api.ui.dialog.open || returnToQueue(null), 0),
  );
}
