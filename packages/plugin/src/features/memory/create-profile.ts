// Creates the user's profile for one plugin instance: its source, tool and command.
import { createSystemContext } from "../../context/system-context.ts";
import { splitFirstWord } from "../../feature-api/command.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { openTool } from "../../feature-api/open-tool.ts";
import { answerWithNote } from "../../feature-api/user-facing-error.ts";
import { CachedList, draftOwnCallWitnesses } from "./list-source.ts";
import {
  buildProfileList,
  createProfileSource,
  ProfileActions,
  readCall,
  sortProfile,
} from "./profile.ts";
import { createProfileStore } from "./profile-table.ts";
import { profileTool } from "./tools.ts";

const MAX_TITLE_CHARS = 80;

/** The budget is small, because the profile is part of every session's Baseline in every project. */
const PROFILE_BUDGET_TOKENS = 300;

const USAGE =
  "Type /ctx-profile alone for a list, or: add TEXT, edit p3 TEXT, forget p3, forget all.";

export function createProfileFeature({ database, now }: FeatureContext): FeatureInstance {
  const getStore = () => database.current().store(createProfileStore);
  const createActions = () => new ProfileActions(getStore(), now());
  const list = new CachedList(() => buildProfileList(getStore().list(), PROFILE_BUDGET_TOKENS));
  const definition = createProfileSource(() => list.load());
  const context = createSystemContext(definition);
  const own = { tool: profileTool.name, definition, read: readCall, ordered: sortProfile };
  return {
    sources: () => context,
    witness: (sighting) => {
      list.load();
      return draftOwnCallWitnesses(own, sighting, list.last);
    },
    tools: [
      openTool(profileTool, async ({ text }) => ({
        title: text.slice(0, MAX_TITLE_CHARS),
        text: createActions().add(text, "model"),
      })),
    ],
    commands: [
      {
        kind: "action",
        name: "ctx-profile",
        dialog: () => null,
        act: ({ args }) => answerWithNote(() => onCommand(createActions(), args)),
      },
    ],
  };
}

function onCommand(actions: ProfileActions, args: string): string {
  const [action, rest] = splitFirstWord(args);
  if (action !== "edit") return actions.carryOut({ action, what: rest, text: "" }, USAGE);
  const [what, text] = splitFirstWord(rest);
  return actions.carryOut({ action, what, text }, USAGE);
}
