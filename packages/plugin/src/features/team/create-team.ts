// Creates a team's store for one plugin instance: the copy is synced after turns and when others write.
import type { PROJECT_LEASE } from "../../feature-api/extension-points.ts";
import type { ProvidingFeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { type ProjectId, parseFirstCommit } from "../../project/project.ts";
import type { Driver } from "../../storage/driver.ts";
import { describeFault } from "../memory/store-address.ts";
import { connect } from "./connection.ts";
import { createLocalCopy, type LocalCopy } from "./local-copy.ts";
import { createProjectLease } from "./project-lease.ts";
import { TeamSyncer } from "./syncer.ts";
import { openSecondConnection, resolveTeam, type Team } from "./team.ts";

export function createTeamFeature(
  context: FeatureContext,
): ProvidingFeatureInstance<{ readonly lease: typeof PROJECT_LEASE }> {
  const { config, database, env, log, notices, now, project } = context;
  const team = resolveTeam(config, env);
  if (team === null) return { provides: { lease: null } };
  if (typeof team === "string") {
    notices.notice({
      code: "team_store_address",
      severity: "warning",
      ends: "with the instance",
      message: `The address of the team's store can't be read (${describeFault(team)}). Memories stay on this machine.`,
      remedy: "docs/team.md says what it looks like.",
    });
    return { provides: { lease: null } };
  }
  const logUnreachable = (problem: string) => log.debug("team.lease_away", { problem });
  let driver: Promise<Driver> | null = null;
  let isKnown = false;
  const openLocalCopy = async () => {
    await database.ensure();
    driver ??= openSecondConnection(database.path);
    const open = await driver;
    if (!isKnown) isKnown = applySharing(open, (await project.looked()).id, team);
    return createLocalCopy(open);
  };
  const syncer = new TeamSyncer({
    copy: openLocalCopy,
    log,
    notices,
    now,
    connect: () => connect(team.address),
    later(body, ms) {
      const timer = setTimeout(body, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  });
  return {
    provides: {
      lease: (work) =>
        createProjectLease(work, { config, env, path: database.path, away: logUnreachable, now }),
    },
    hooks: {
      started: () => syncer.wake(),
      sent: () => syncer.wake(),
      settled: async () => syncer.wake(),
      async closed() {
        syncer.close();
        (await driver)?.close();
      },
    },
  };
}

/** Shares the project or stops sharing it, as configured. @returns false if it has no first commit yet */
export function applySharing(driver: Driver, id: ProjectId, { member, isShared }: Team): boolean {
  const copy: LocalCopy = createLocalCopy(driver);
  // Once the server has been reached, it decides on the member's name.
  if (copy.link().server === null) copy.name(member);
  // Without a first commit the project's key is its folder, which means nothing elsewhere and is private.
  if (parseFirstCommit(id) === null) return false;
  if (isShared) copy.share(id);
  else copy.unshare(id);
  return true;
}
