// Leases a shared project to one of a team's machines at a time, by the server's clock.
import type { Config } from "../../config/schema.ts";
import { type ProjectLease, unsharedLease } from "../../feature-api/extension-point.ts";
import { parseFirstCommit } from "../../project/project.ts";
import { StorageError } from "../../storage/errors.ts";
import { describeProblem, type Server, type Sql, withServer } from "./connection.ts";
import type { Environment } from "./is-set.ts";
import { createLocalCopy } from "./local-copy.ts";
import { pullChanges, pushChanges, type SyncInput } from "./sync.ts";
import { openSecondConnection, resolveTeam, type Team } from "./team.ts";

interface LeaseDeps {
  readonly config: Config;
  readonly env: Environment;
  /** The path of the database, which is already open. */
  readonly path: string;
  readonly away: (problem: string) => void;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** A step of upkeep takes less: two calls of three minutes. After a kill, other machines wait this long. */
const LEASE_MINUTES = 10;

/** @param work the name of the work that only one machine at a time may do */
export function createProjectLease(work: string, deps: LeaseDeps): ProjectLease {
  const team = resolveTeam(deps.config, deps.env);
  if (team === null || typeof team === "string" || !team.isShared) return unsharedLease;
  const openLease = (project: string) =>
    parseFirstCommit(project) === null ? unsharedLease : createTeamLease(work, team, deps);
  return {
    hold: (project, holder) => openLease(project).hold(project, holder),
    release: (project, holder, done) => openLease(project).release(project, holder, done),
    done: (project) => openLease(project).done(project),
  };
}

function createTeamLease(
  work: string,
  { address }: Team,
  { path, away, now }: LeaseDeps,
): ProjectLease {
  /** Returns null if the server could not be asked. */
  async function askServer<Result>(
    body: (server: Server) => Promise<Result>,
  ): Promise<Result | null> {
    try {
      return await withServer(address, body);
    } catch (error) {
      away(describeProblem(error));
      return null;
    }
  }
  async function runSyncStep(
    server: Server,
    way: (input: SyncInput) => Promise<number>,
  ): Promise<void> {
    const driver = await openSecondConnection(path);
    try {
      await way({ copy: createLocalCopy(driver), server, pause: async () => undefined, now });
    } catch (error) {
      // Another session of this machine is writing; the next sync catches up.
      if (!(error instanceof StorageError)) throw error;
    } finally {
      driver.close();
    }
  }
  return {
    async hold(project, holder) {
      const held = await askServer(async (server) => {
        // This step also creates the schema if there is none yet.
        await runSyncStep(server, pushChanges);
        const isHeld = await takeLease(server.sql, [project, work], holder);
        if (isHeld) await runSyncStep(server, pullChanges);
        return isHeld ? "held" : "elsewhere";
      });
      return held ?? "away";
    },
    async release(project, holder, done) {
      await askServer(async (server) => {
        await runSyncStep(server, pushChanges);
        await releaseLease(server.sql, [project, work], holder);
        if (done !== null) await recordDone(server.sql, [project, `${work}/${done}`], holder);
      });
    },
    async done(project) {
      const rows = await askServer(({ sql }) => readLeases(sql, project));
      if (rows === null) return "away";
      if (rows.some(({ name, agoMs }) => name === work && agoMs < 0)) return "elsewhere";
      const prefix = `${work}/`;
      return new Map(
        rows.flatMap(({ name, agoMs }) =>
          name.startsWith(prefix) ? [[name.slice(prefix.length), now() - agoMs] as const] : [],
        ),
      );
    },
  };
}

type LeaseKey = readonly [project: string, name: string];

async function takeLease(sql: Sql, [project, name]: LeaseKey, holder: string): Promise<boolean> {
  const taken = await sql`
    INSERT INTO session_runtime.lease AS present (project, name, holder, until)
    VALUES (${project}, ${name}, ${holder}, now() + make_interval(mins => ${LEASE_MINUTES}))
    ON CONFLICT (project, name) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE present.holder = excluded.holder OR present.until <= now()
    RETURNING holder`;
  return taken.length > 0;
}

async function releaseLease(sql: Sql, [project, name]: LeaseKey, holder: string): Promise<void> {
  await sql`
    UPDATE session_runtime.lease SET until = now()
    WHERE project = ${project} AND name = ${name} AND holder = ${holder}`;
}

/** Writes a row that nobody holds, whose time says when the work was last done. */
async function recordDone(sql: Sql, [project, name]: LeaseKey, holder: string): Promise<void> {
  await sql`
    INSERT INTO session_runtime.lease (project, name, holder, until)
    VALUES (${project}, ${name}, ${holder}, now())
    ON CONFLICT (project, name) DO UPDATE SET holder = excluded.holder, until = excluded.until`;
}

async function readLeases(sql: Sql, project: string) {
  const rows = await sql`
    SELECT name, extract(epoch FROM now() - until) * 1000 AS ago_ms
    FROM session_runtime.lease WHERE project = ${project}`;
  return rows.map(({ name, ago_ms }) => ({ name: String(name), agoMs: Number(ago_ms) }));
}
