// `session-runtime memory push`, `pull` and `status`.

import { Refusal } from "../../features/refusal.ts";
import type { ShellAnswer, ShellCall } from "../../features/shell-word.ts";
import { projectOf } from "../../project/find-project.ts";
import { counted } from "../../status/wording.ts";
import { sqliteMemoryStore } from "../memory/sqlite-store.ts";
import { faultText } from "../memory/store-address.ts";
import { problemOf, withServer } from "./connection.ts";
import { STORE_VARIABLE } from "./is-set.ts";
import { localCopy } from "./local-copy.ts";
import { shareProject } from "./room.ts";
import { standingText } from "./section.ts";
import { pull, push, type SyncInput } from "./sync.ts";
import { type Team, teamOf } from "./team.ts";

type TeamWord = "push" | "pull" | "status";

export async function teamWord(word: TeamWord, call: ShellCall): Promise<ShellAnswer> {
  const team = teamOf(await call.config(), call.env);
  if (team === null) {
    throw new Refusal(
      `There is no team's store: set memory.store in your own configuration, or ${STORE_VARIABLE}. docs/team.md has an example.`,
    );
  }
  if (typeof team === "string") {
    throw new Refusal(`The address of the team's store can't be read: ${faultText(team)}.`);
  }
  const { id } = await projectOf(call.directory, sqliteMemoryStore(call.driver));
  shareProject(call.driver, id, team);
  switch (word) {
    case "push":
      return sending(call, team);
    case "pull":
      return taking(call, team);
    case "status":
      return status(call, team);
  }
}

async function sending(call: ShellCall, team: Team): Promise<ShellAnswer> {
  const sent = await asking(call, team, push);
  return { text: `Sent ${counted(sent, "change")} to ${team.address.shown}.`, values: { sent } };
}

async function taking(call: ShellCall, team: Team): Promise<ShellAnswer> {
  const received = await asking(call, team, pull);
  const text = `Took ${counted(received, "change")} from ${team.address.shown}.`;
  return { text, values: { received } };
}

function status({ driver, nowMs }: ShellCall, { address, member, isShared }: Team): ShellAnswer {
  const copy = localCopy(driver);
  const { reachedAtMs, awaySinceMs, problem } = copy.link();
  const [waiting, projects] = [copy.waiting(), copy.projects().length];
  const standing = { waiting, reachedAtMs, awaySinceMs, problem };
  const own = isShared ? "" : " This project stays on this machine (memory.shared is false).";
  const text = [
    `${address.shown} as ${member}, ${counted(projects, "shared project")}.${own}`,
    standingText(standing, nowMs),
  ].join("\n");
  return { text, values: { store: address.shown, member, projects, ...standing } };
}

/** Whatever comes of it, the status says so afterwards. */
async function asking(
  { driver }: ShellCall,
  { address }: Team,
  work: (input: SyncInput) => Promise<number>,
): Promise<number> {
  const copy = localCopy(driver);
  try {
    const done = await withServer(address, (server) =>
      work({ copy, server, pause: async () => undefined, now: Date.now }),
    );
    copy.reached(Date.now());
    return done;
  } catch (error) {
    const problem = problemOf(error);
    copy.away(Date.now(), problem);
    throw new Refusal(`${address.shown}: ${problem}. What is written here waits.`);
  }
}
