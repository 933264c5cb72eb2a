// The host's tool-output folder.
import { join } from "node:path";

/** The host's tool-output folder, found as the host finds it: its tools may read there unasked. */
export function hostOutputFolder(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "opencode", "tool-output");
}
