// Keeps the record of rewrites in one plugin instance.
import type { OpenCommand } from "../features/command.ts";
import type { House } from "../features/house.ts";
import type { RoomHooks } from "../features/room-hooks.ts";
import type { HistorySettings } from "../history/settings.ts";
import type { Notice } from "../log/notices.ts";
import type { SessionId } from "../storage/records.ts";
import { figuresOf } from "./figures.ts";
import { foldNow } from "./fold-command.ts";
import { historyReport } from "./history-report.ts";
import { rewriteStore } from "./store.ts";

type RewriteHouse = Pick<
  House,
  "database" | "finders" | "notices" | "nextCalls" | "written" | "jobs" | "now" | "log"
>;

export function rewriteCommands(
  house: RewriteHouse,
  settings: HistorySettings,
): readonly OpenCommand[] {
  return [
    {
      kind: "report",
      name: "ctx-history",
      dialog: () => "ctx-history",
      report: (asked) => historyReport(house, settings, asked),
    },
    {
      kind: "action",
      name: "ctx-fold",
      dialog: () => null,
      act: (call) => foldNow(house, settings, call),
    },
  ];
}

export function rewriteHooks(
  { database, notices }: Pick<House, "database" | "notices">,
  settings: HistorySettings,
): RoomHooks {
  return {
    decided(sessionId, decided) {
      const figures = figuresOf(decided, settings);
      if (figures === null) return;
      const store = database.current().store(rewriteStore);
      const isFirst = figures.folds > 0 && store.of(sessionId).every(({ folds }) => folds === 0);
      store.append({ sessionId, ...figures });
      if (isFirst) notices.mention(firstFold(sessionId));
    },
  };
}

/** It is quiet: once for the session, no warning that reports go on showing, and nothing waits for it. */
function firstFold(sessionId: SessionId): Notice {
  return {
    code: `history_first_fold:${sessionId}`,
    severity: "info",
    message:
      "Older messages of this session are folded: the model gets a short record in their place, and looks up what it needs. What you see stays as it is.",
    remedy:
      'See it with /ctx-history; turn it off with "history": { "rewrite": "off" } in session-runtime.jsonc.',
  };
}
