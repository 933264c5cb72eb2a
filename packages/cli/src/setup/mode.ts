// Decides if a run asks, writes, or only shows.
import { CliError, EXIT } from "../cli-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Says how far a run may go: by asking, without asking, or not at all. */
export type Mode = "ask" | "write" | "dry-run";

interface Flags {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Chooses the mode. A run that can't ask needs --yes or --dry-run: it never waits for an answer that can't come. */
export function chooseMode({ yes, dryRun, json }: Flags, terminal: Terminal): Mode {
  if (dryRun) return "dry-run";
  if (yes) return "write";
  if (terminal.isInteractive && !json) return "ask";
  throw new CliError(
    "needs-a-word",
    "setup asks before it writes, and there is no terminal to ask in.",
    "Add --yes to write without asking, or --dry-run to see what would change.",
    EXIT.usage,
  );
}
