// The feature: terminal UIs with our plugin show a session's status, reports and queue.
import type { Feature } from "../../features/feature.ts";

export const terminalUi: Feature = {
  name: "terminal-ui",
  open: async (house) => (await import("./room.ts")).openTerminalUi(house),
};
