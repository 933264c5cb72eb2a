// Keeps the record of rewrites in one plugin instance.
import type { House } from "../features/house.ts";
import type { RoomHooks } from "../features/room-hooks.ts";
import type { HistorySettings } from "../history/settings.ts";
import { figuresOf } from "./figures.ts";
import { firstFold } from "./notice.ts";
import { rewriteStore } from "./store.ts";

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
