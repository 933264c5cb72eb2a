import { expect, test } from "bun:test";
import type { LeaseForProject } from "../../../src/feature-api/extension-point.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { createTeamFeature } from "../../../src/features/team/create-team.ts";
import { resolveConfig } from "../../whole-config.ts";

const SHARED = "commit:0123456789abcdef0123456789abcdef01234567";
/** Nobody listens there. */
const STORE = "postgres://ann@127.0.0.1:1/shop?sslmode=disable";

function leaseWith(store: string | null): LeaseForProject | null {
  const value = { memory: { enabled: true, store } };
  const { config } = resolveConfig([{ file: "own", scope: "user", value, findLine: () => null }]);
  const location = { directory: "/work", worktree: "/work" };
  const log = { debug: () => undefined };
  const database = { path: "/nowhere/runtime.db" };
  const context = { config, database, env: {}, location, log, now: () => 0 };
  return createTeamFeature(context as unknown as FeatureContext).provides.lease;
}

test("without a team's store a project is this machine's alone: it offers no lease", () => {
  expect(leaseWith(null)).toBeNull();
});

test("with one, a shared project is worked on under the team's lease, and a folder's without it", async () => {
  const lease = leaseWith(STORE)?.("upkeep");
  if (!lease) throw new Error("a team has a lease");
  expect(await lease.hold(SHARED, "run")).toBe("away");
  expect(await lease.done(SHARED)).toBe("away");
  expect(await lease.hold("folder:/work", "run")).toBe("held");
});
