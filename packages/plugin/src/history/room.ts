// History in one plugin instance: its policy, and how what the model lets go is taken.
import type { Room } from "../features/feature.ts";
import type { House } from "../features/house.ts";
import { settingsOf } from "../features/settings.ts";
import { limitRoom } from "../limits/room.ts";
import { historyDraft } from "../policies/draft.ts";
import { replacedParts } from "../policies/replaced-parts.ts";
import type { Propose } from "../policies/take-proposals.ts";
import { LET_GO, readLetGo } from "../projection/let-go.ts";
import { recallSettings } from "../recall/settings.ts";
import { FOLD_NOW } from "../rewrites/fold-command.ts";
import { rewriteCommands, rewriteHooks } from "../rewrites/room.ts";
import { historyConfig } from "./config.ts";
import { rememberedMeasure } from "./measure.ts";
import { historyPolicy } from "./policy.ts";
import { resultsIn } from "./results.ts";
import type { HistorySettings } from "./settings.ts";
import { type StubSettings, stubOf } from "./stub.ts";

type Given = Pick<
  House,
  | "config"
  | "location"
  | "finders"
  | "written"
  | "database"
  | "notices"
  | "nextCalls"
  | "jobs"
  | "now"
  | "log"
>;

export function openRoom(house: Given): Room {
  const { written } = house;
  const settings = historySettings(house);
  if (settings === null) return {};
  const limits = limitRoom(house);
  return {
    policies: [historyPolicy(settings, (messages) => written.of(messages))],
    hooks: { ...limits.hooks, ...rewriteHooks(house, settings) },
    statedTokens: limits.statedTokens,
    commands: rewriteCommands(house, settings),
    // What asks for a fold drafts nothing itself: the boundary that it makes does.
    proposals: new Map([
      [LET_GO, letGo(settings)],
      [FOLD_NOW, () => []],
    ]),
  };
}

/** Null: history is never rewritten. */
export function historySettings({
  config,
  location: { directory },
}: Pick<House, "config" | "location">): HistorySettings | null {
  const { rewrite, keepTokens, budgetTokens } = settingsOf(config, historyConfig);
  if (rewrite === "off") return null;
  const wayBack = settingsOf(config, recallSettings).enabled ? "ctx_expand" : "none";
  return {
    ...{ rewrite, keepTokens, budgetTokens, directory, wayBack },
    measure: rememberedMeasure(),
  };
}

/**
 * Takes what the model has let go with `ctx_reduce`: each result that is still shown goes for a stub; what
 * announced something, or has gone already, stays as it is.
 */
export function letGo(settings: StubSettings): Propose {
  return (output, { messages, standing, claims }) => {
    const named = new Set(readLetGo(output)?.partIds);
    const replaced = replacedParts(standing);
    return resultsIn(messages).flatMap(({ messageId, partId, part, text }) => {
      if (!named.has(partId) || replaced.has(partId) || claims.has(partId)) return [];
      const stub = stubOf(part, text, "released", settings);
      return [historyDraft({ verb: "replace", at: { messageId, partId }, text: stub })];
    });
  };
}
