// Our commands: all of them in the palette, and their dialogs from the server for the session on screen.
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { createEffect, createMemo, onCleanup } from "solid-js";
import type { CommandDeclaration } from "../feature-api/command.ts";
import { explainEnabling, OPENCODE_SETTINGS } from "../feature-api/declared-commands.ts";
import { makeVisible } from "../status/wording.ts";
import { formatShowCommand } from "../tui-server/protocol.ts";
import { runCommand } from "./host-command.ts";
import { segment } from "./line.ts";
import { openQueue } from "./queue-dialog.ts";
import { createReportContent, openReport, type ReportContent } from "./report-dialog.ts";
import type { ScreenState } from "./screen-state.ts";
import { describeLinkTrouble } from "./view.ts";

/**
 * Registers all commands in the host's palette (those that are off say how to turn them on), and the
 * dialogs that the server may open for the session that is shown here. It sets no slash names: those are
 * the server's commands, and would be listed twice.
 */
export function registerCommands(
  api: TuiPluginApi,
  shown: ScreenState,
  commands: readonly CommandDeclaration[],
): void {
  const offAs = createMemo(() => JSON.stringify(shown.view().status?.off ?? []));
  createEffect(() => {
    const off = new Map<string, string>(JSON.parse(offAs()));
    const withdraw = api.keymap.registerLayer({
      commands: commands.map((command) => {
        const turnOn = off.get(command.name);
        return {
          name: `session-runtime.palette.${command.name}`,
          title: command.title,
          desc: turnOn === undefined ? command.description : `Off: turn it on with ${turnOn}`,
          category: "Session Runtime",
          namespace: "palette",
          run: () =>
            turnOn === undefined
              ? chooseCommand(api, shown, command)
              : openReport(api, createDisabledContent(command, turnOn)),
        };
      }),
    });
    onCleanup(withdraw);
  });
  createEffect(() => {
    const id = shown.sessionId();
    if (id === null || shown.client() === null) return;
    const withdraw = api.keymap.registerLayer({
      commands: commands.map((command) => ({
        name: formatShowCommand(command.name, id),
        run: () => openDialog(api, shown, command),
      })),
    });
    onCleanup(withdraw);
  });
}

/** Opens a dialog, or has the server run a command that answers, as if it had been typed. */
function chooseCommand(api: TuiPluginApi, shown: ScreenState, command: CommandDeclaration): void {
  if (command.shows === "answer") runAction(api, shown, command);
  else openDialog(api, shown, command);
}

function openDialog(api: TuiPluginApi, shown: ScreenState, command: CommandDeclaration): void {
  if (command.shows !== "queue") {
    openReport(api, loadReport(command, shown));
    return;
  }
  const [sessionId, client] = [shown.sessionId(), shown.client()];
  if (sessionId === null || client === null) {
    api.ui.toast({ variant: "warning", message: explainUnavailable(shown, sessionId) });
    return;
  }
  const read = () => client.queue(sessionId);
  openQueue(api, { sessionId, read, watch: () => void shown.view() });
}

function runAction(api: TuiPluginApi, shown: ScreenState, command: CommandDeclaration): void {
  const sessionId = shown.sessionId();
  api.ui.dialog.clear();
  if (sessionId === null) {
    api.ui.toast({ variant: "warning", message: explainUnavailable(shown, sessionId) });
    return;
  }
  void runCommand(api, sessionId, command.name, "").then((trouble) => {
    if (trouble !== null) api.ui.toast({ variant: "error", message: makeVisible(trouble) });
  });
}

/** Explains why a dialog can't be filled. */
function explainUnavailable(shown: ScreenState, sessionId: string | null): string {
  if (sessionId === null) return "Open a session first.";
  return (
    describeLinkTrouble(shown.view().link) ??
    "The server has not answered yet. Try again in a moment."
  );
}

function loadReport(command: CommandDeclaration, shown: ScreenState): ReportContent {
  const [sessionId, client] = [shown.sessionId(), shown.client()];
  const title = formatTitle(command);
  if (sessionId !== null && client !== null) {
    const question = { kind: "report", report: command.name, sessionId } as const;
    return createReportContent(title, async () => (await client.report(question)).text);
  }
  const why = explainUnavailable(shown, sessionId);
  return { title, load: async () => [[segment("text", why)]] };
}

function createDisabledContent(command: CommandDeclaration, turnOn: string): ReportContent {
  return createReportContent(formatTitle(command), async () =>
    explainEnabling(command.name, turnOn, OPENCODE_SETTINGS),
  );
}

function formatTitle({ title }: CommandDeclaration): string {
  return `Session Runtime: ${title.toLowerCase()}`;
}
