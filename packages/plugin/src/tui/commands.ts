// The dialogs' commands: in the palette, and from the server for the session on screen.
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { createEffect, onCleanup } from "solid-js";
import { showCommand } from "../channel/protocol.ts";
import { visible } from "../status/visible.ts";
import type { Dialog } from "./dialogs.ts";
import { type ActionName, runCommand } from "./host-command.ts";
import { segment } from "./line.ts";
import { openQueue } from "./queue-dialog.ts";
import { openReport, type ReportContent, reportContent } from "./report-dialog.ts";
import type { Shown } from "./shown.ts";
import { linkTrouble } from "./view.ts";

const ACTIONS = [
  {
    name: "ctx-interrupt",
    title: "Session Runtime: interrupt",
    desc: "Stop what is running and hold the queue",
  },
  {
    name: "ctx-resume",
    title: "Session Runtime: resume",
    desc: "Continue with prompts that were interrupted or held",
  },
] as const;

/**
 * The dialogs, opened from the host's palette, or by the server for the session that is shown here,
 * and two commands. No slash names: those are the server's commands, and would be listed twice.
 */
export function registerCommands(
  api: TuiPluginApi,
  shown: Shown,
  dialogs: readonly Dialog[],
): void {
  const palette = { category: "Session Runtime", namespace: "palette" };
  api.keymap.registerLayer({
    commands: [
      ...dialogs.map((dialog) => ({
        name: `session-runtime.palette.${dialog.name}`,
        ...{ title: dialog.title, desc: dialog.description, ...palette },
        run: () => openDialog(api, shown, dialog),
      })),
      ...ACTIONS.map(({ name, title, desc }) => ({
        name: `session-runtime.palette.${name}`,
        ...{ title, desc, ...palette },
        run: () => act(api, shown, name),
      })),
    ],
  });
  createEffect(() => {
    const id = shown.sessionId();
    if (id === null || shown.client() === null) return;
    const withdraw = api.keymap.registerLayer({
      commands: dialogs.map((dialog) => ({
        name: showCommand(dialog.name, id),
        run: () => openDialog(api, shown, dialog),
      })),
    });
    onCleanup(withdraw);
  });
}

function openDialog(api: TuiPluginApi, shown: Shown, dialog: Dialog): void {
  switch (dialog.shows) {
    case "report":
      openReport(api, contentOf(dialog, shown));
      return;
    case "queue": {
      const [sessionId, client] = [shown.sessionId(), shown.client()];
      if (sessionId === null || client === null) {
        api.ui.toast({ variant: "warning", message: whyNot(shown, sessionId) });
        return;
      }
      const read = () => client.queue(sessionId);
      openQueue(api, { sessionId, read, watch: () => void shown.view() });
    }
  }
}

function act(api: TuiPluginApi, shown: Shown, action: ActionName): void {
  const sessionId = shown.sessionId();
  api.ui.dialog.clear();
  if (sessionId === null) {
    api.ui.toast({ variant: "warning", message: "Open a session first." });
    return;
  }
  void runCommand(api, sessionId, action, "").then((trouble) => {
    if (trouble !== null) api.ui.toast({ variant: "error", message: visible(trouble) });
  });
}

/** Why a dialog can't be filled. */
function whyNot(shown: Shown, sessionId: string | null): string {
  if (sessionId === null) return "Open a session first.";
  return (
    linkTrouble(shown.view().link) ?? "The server has not answered yet. Try again in a moment."
  );
}

function contentOf({ name: report, title }: Dialog, shown: Shown): ReportContent {
  const [sessionId, client] = [shown.sessionId(), shown.client()];
  if (sessionId !== null && client !== null) {
    const ask = async () => (await client.report({ kind: "report", report, sessionId })).text;
    return reportContent(title, ask);
  }
  const why = whyNot(shown, sessionId);
  return { title, load: async () => [[segment("text", why)]] };
}
