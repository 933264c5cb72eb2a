// The terminal UIs of one plugin instance: which session each shows, and what has changed of it.
import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import { processSurroundings } from "../../storage/location.ts";
import { TerminalUi } from "./terminal-ui.ts";

export function openTerminalUi({ host, failures, runtime }: House): Room {
  const ui = new TerminalUi({
    failures,
    surroundings: processSurroundings(),
    publish: host.publish,
    content: () => runtime().shown,
  });
  return {
    screen: ui,
    hooks: {
      heard: ({ sessionId }) => ui.changed(sessionId),
      settled: async (sessionId) => ui.changed(sessionId),
      terminalCommand: (command) => ui.greeted(command),
      closed: () => ui.close(),
    },
  };
}
