// `session-runtime prune`.
import { readSizeOnDisk } from "@session-runtime/opencode/storage/files";
import { ageMs, sizeInBytes } from "../amounts.ts";
import { EXIT, misuse } from "../cli-error.ts";
import { dataCommand, reading, writing } from "../database/data-command.ts";
import { carryOut, readPruneInput } from "../prune/carry-out.ts";
import { type PruneRules, planPrune } from "../prune/plan.ts";
import { renderOutcome, renderPlan } from "../prune/render.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine } from "../terminal/terminal.ts";

const DEFAULT_AGE = "90d";

export const prune = dataCommand({
  name: "prune",
  summary: "Remove old sessions, by age or by the database's size",
  details: [
    "It shows what would be removed; only --yes removes it, and shrinks the file. The conversations",
    "belong to OpenCode and Pi and stay: continuing one begins a new epoch, which costs one",
    "uncached call. It keeps sessions that are open, that were active in the last hour, or that",
    "have queued prompts.",
  ],
  args: {
    "older-than": {
      type: "string",
      description: `Sessions without activity for this long: 12h, 30d, 8w, 6m, 1y (${DEFAULT_AGE} if no limit is given)`,
      valueHint: "age",
    },
    "max-size": {
      type: "string",
      description:
        "The least recently active sessions, until the file is no larger than this: 200MB, 1GB",
      valueHint: "size",
    },
    yes: { type: "boolean", alias: "y", description: "Remove them" },
    "dry-run": {
      type: "boolean",
      description: "Only show what would be removed, as without --yes",
    },
  },
  examples: [
    { line: "session-runtime prune", does: "shows what has been idle for 90 days" },
    { line: "session-runtime prune --older-than 30d --yes", does: "removes what is older" },
    { line: "session-runtime prune --max-size 200MB --yes", does: "keeps the file small" },
  ],
  run: async (args, terminal, place) => {
    if (args.yes === true && args["dry-run"] === true) {
      throw misuse("--yes and --dry-run can't be combined.", "Choose one of them.");
    }
    const rules = parseRules(args["older-than"], args["max-size"]);
    const plan = await withProgress(terminal, "Looking through the sessions", () =>
      reading(place, (driver) =>
        planPrune(readPruneInput(driver, readSizeOnDisk(place.path)), rules),
      ),
    );
    const isDone = args.yes === true && plan.goes.length > 0;
    const outcome = isDone
      ? await withProgress(terminal, "Removing", (progress) =>
          writing(place, (driver) => carryOut(driver, plan, progress)),
        )
      : null;
    const afterBytes = outcome ? readSizeOnDisk(place.path) : plan.afterBytes;
    if (args.json === true) {
      printJson(terminal, { dryRun: outcome === null, ...plan, afterBytes, outcome });
      return EXIT.done;
    }
    printLine(terminal, renderPlan(plan, terminal.style, rules.nowMs));
    if (outcome) {
      const sizes = { beforeBytes: plan.beforeBytes, afterBytes };
      printLine(terminal, `\n${renderOutcome(outcome, sizes)}`);
    } else if (plan.goes.length > 0) {
      printLine(
        terminal,
        terminal.style.accent("\nNothing was removed. Add --yes to remove these sessions."),
      );
    }
    return EXIT.done;
  },
});

function parseRules(olderThan: string | undefined, maxSize: string | undefined): PruneRules {
  const age = olderThan ?? (maxSize === undefined ? DEFAULT_AGE : null);
  return {
    nowMs: Date.now(),
    olderThanMs: age === null ? null : ageMs(age, "--older-than"),
    largestBytes: maxSize === undefined ? null : sizeInBytes(maxSize, "--max-size"),
  };
}
