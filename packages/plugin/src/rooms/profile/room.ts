// The user's profile in one plugin instance: its source, its tool, its command.
import { make } from "../../context/system-context.ts";
import { firstWord } from "../../features/command.ts";
import type { FeatureInstance } from "../../features/feature.ts";
import type { FeatureContext } from "../../features/house.ts";
import { openTool } from "../../features/open-tool.ts";
import { noted } from "../../features/refusal.ts";
import { LastList } from "../memory/list-source.ts";
import { witnessOwnCalls } from "../memory/own-words.ts";
import { ProfileActions, readCall } from "./desk.ts";
import { buildProfileList, inOrder, profileSource } from "./listing.ts";
import { profileStore } from "./table.ts";
import { profileTool } from "./tool.ts";

const TITLE_CHARS = 80;

/** Each session of every project begins with them. */
const BUDGET_TOKENS = 300;

const USAGE =
  "Say /ctx-profile alone for a list, or: add text, edit p3 text, forget p3, forget all.";

export function createProfileFeature({ database, now }: FeatureContext): FeatureInstance {
  const store = () => database.current().store(profileStore);
  const actions = () => new ProfileActions(store(), now());
  const list = new LastList(() => buildProfileList(store().list(), BUDGET_TOKENS));
  const definition = profileSource(() => list.load());
  const context = make(definition);
  const own = { tool: profileTool.name, definition, read: readCall, ordered: inOrder };
  return {
    sources: () => context,
    witness: (sighting) => {
      list.load();
      return witnessOwnCalls(own, sighting, list.last);
    },
    tools: [
      openTool(profileTool, async ({ text }) => ({
        title: text.slice(0, TITLE_CHARS),
        text: actions().add(text, "model"),
      })),
    ],
    commands: [
      {
        kind: "action",
        name: "ctx-profile",
        dialog: () => null,
        act: ({ args }) => noted(() => onCommand(actions(), args)),
      },
    ],
  };
}

function onCommand(actions: ProfileActions, args: string): string {
  const [action, rest] = firstWord(args);
  if (action !== "edit") return actions.carryOut({ action, what: rest, text: "" }, USAGE);
  const [what, text] = firstWord(rest);
  return actions.carryOut({ action, what, text }, USAGE);
}
