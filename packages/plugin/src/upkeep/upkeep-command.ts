// /ctx-upkeep: the same in a session.
import type { OpenCommand } from "../features/command.ts";
import { type DeskDeps, Unasked, UpkeepDesk } from "./desk.ts";

export function upkeepCommand(
  open: () => Promise<Omit<DeskDeps, "askedBy">>,
  wake: () => void,
): OpenCommand {
  return {
    kind: "action",
    name: "ctx-upkeep",
    dialog: () => null,
    async act({ args }) {
      const desk = new UpkeepDesk({ ...(await open()), askedBy: "command" });
      try {
        const { text } = await desk.carryOut(args.split(/\s+/u).filter((word) => word !== ""));
        wake();
        return { text, shownBy: "note" };
      } catch (error) {
        if (error instanceof Unasked) return { text: error.message, shownBy: "note" };
        throw error;
      }
    },
  };
}
