// Opens the demo's page as the user's system opens pages.
import { spawnSync } from "node:child_process";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "open",
  linux: "xdg-open",
  win32: "explorer",
};

export function openPage(file: string): void {
  const opener = OPENERS[process.platform];
  const { error } = opener === undefined ? { error: "none" } : spawnSync(opener, [file]);
  if (error) console.log("Nothing here opens pages: open it in a browser.");
}
