// Nudges in one plugin instance: the policy, where there is something to let go with.
import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import { canLetGo } from "../let-go/tool.ts";
import { historySettings } from "../rewrites/history-settings.ts";
import { nudgePolicy } from "./nudge.ts";

export function openRoom(house: Pick<House, "config" | "location">): Room {
  const history = historySettings(house);
  return history === null || !canLetGo(house.config) ? {} : { policies: [nudgePolicy(history)] };
}
