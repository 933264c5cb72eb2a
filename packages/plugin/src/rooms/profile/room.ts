// The user's profile in one plugin instance: its source, its tool, its command.
import { make } from "../../context/system-context.ts";
import { firstWord } from "../../features/command.ts";
import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import { openTool } from "../../features/open-tool.ts";
import { noted } from "../../features/refusal.ts";
import { LastList } from "../memory/list-source.ts";
import { witnessOwnWords } from "../memory/own-words.ts";
import { ProfileDesk, readCall } from "./desk.ts";
import { inOrder, profileListOf, profileSource } from "./listing.ts";
import { profileStore } from "./table.ts";
import { profileTool } from "./tool.ts";

const TITLE_CHARS = 80;

/** Each session of every project begins with them. */
const BUDGET_TOKENS = 300;

const USAGE =
  "Say /ctx-profile alone for a list, or: add text, edit p3 text, forget p3, forget all.";

export function openRoom({ database, now }: House): Room {
  const store = () => database.current().store(profileStore);
  const desk = () => new ProfileDesk(store(), now());
  const list = new LastList(() => profileListOf(store().list(), BUDGET_TOKENS));
  const definition = profileSource(() => list.load());
  const context = make(definition);
  const own = { tool: profileTool.name, definition, read: readCall, ordered: inOrder };
  return {
    sources: () => context,
    witness: (sighting) => {
      list.load();
      return witnessOwnWords(own, sighting, list.last);
    },
    tools: [
      openTool(profileTool, async ({ text }) => ({
        title: text.slice(0, TITLE_CHARS),
        text: desk().add(text, "model"),
      })),
    ],
    commands: [
      {
        kind: "action",
        name: "ctx-profile",
        dialog: () => null,
        act: ({ args }) => noted(() => onCommand(desk(), args)),
      },
    ],
  };
}

function onCommand(desk: ProfileDesk, args: string): string {
  const [action, rest] = firstWord(args);
  if (action !== "edit") return desk.carryOut({ action, what: rest, text: "" }, USAGE);
  const [what, text] = firstWord(rest);
  return desk.carryOut({ action, what, text }, USAGE);
}
