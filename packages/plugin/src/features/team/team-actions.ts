// Implements `session-runtime memory push`, `pull` and `status`.
import type { CliAnswer, CliCall } from "../../feature-api/command.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { findProject } from "../../project/find-project.ts";
import { renderCount } from "../../status/wording.ts";
import { createSqliteMemoryStore } from "../memory/sqlite-store.ts";
import { describeFault } from "../memory/store-address.ts";
import { describeProblem, withServer } from "./connection.ts";
import { applySharing } from "./create-team.ts";
import { STORE_VARIABLE } from "./is-set.ts";
import { createLocalCopy } from "./local-copy.ts";
import { renderSyncState } from "./section.ts";
import { pullChanges, pushChanges, type SyncInput } from "./sync.ts";
import { resolveTeam, type Team } from "./team.ts";

type TeamAction = "push" | "pull" | "status";

export async function runTeamAction(word: TeamAction, call: CliCall): Promise<CliAnswer> {
  const team = resolveTeam(await call.config(), call.env);
  if (team === null) {
    throw new UserFacingError(
      `No team's store is set up: set memory.store in your own configuration, or ${STORE_VARIABLE}. docs/team.md has an example.`,
    );
  }
  if (typeof team === "string") {
    throw new UserFacingError(
      `The address of the team's store can't be read: ${describeFault(team)}.`,
    );
  }
  const { id } = await findProject(call.directory, createSqliteMemoryStore(call.driver));
  applySharing(call.driver, id, team);
  switch (word) {
    case "push":
      return sendChanges(call, team);
    case "pull":
      return receiveChanges(call, team);
    case "status":
      return showStatus(call, team);
  }
}

async function sendChanges(call: CliCall, team: Team): Promise<CliAnswer> {
  const sent = await askServer(call, team, pushChanges);
  return {
    text: `Sent ${renderCount(sent, "change")} to ${team.address.shown}.`,
    values: { sent },
  };
}

async function receiveChanges(call: CliCall, team: Team): Promise<CliAnswer> {
  const received = await askServer(call, team, pullChanges);
  const text = `Took ${renderCount(received, "change")} from ${team.address.shown}.`;
  return { text, values: { received } };
}

function showStatus({ driver, nowMs }: CliCall, { address, member, isShared }: Team): CliAnswer {
  const copy = createLocalCopy(driver);
  const { reachedAtMs, awaySinceMs, problem } = copy.link();
  const [waiting, projects] = [copy.waiting(), copy.projects().length];
  const standing = { waiting, reachedAtMs, awaySinceMs, problem };
  const own = isShared ? "" : " This project stays on this machine (memory.shared is false).";
  const text = [
    `${address.shown} as ${member}, ${renderCount(projects, "shared project")}.${own}`,
    renderSyncState(standing, nowMs),
  ].join("\n");
  return { text, values: { store: address.shown, member, projects, ...standing } };
}

/** Asks the server, and records for the status whether it was reached. */
async function askServer(
  { driver }: CliCall,
  { address }: Team,
  work: (input: SyncInput) => Promise<number>,
): Promise<number> {
  const copy = createLocalCopy(driver);
  try {
    const done = await withServer(address, (server) =>
      work({ copy, server, pause: async () => undefined, now: Date.now }),
    );
    copy.reached(Date.now());
    return done;
  } catch (error) {
    const problem = describeProblem(error);
    copy.away(Date.now(), problem);
    throw new UserFacingError(
      `${address.shown}: ${problem}. Changes made here wait until it can be reached.`,
    );
  }
}
