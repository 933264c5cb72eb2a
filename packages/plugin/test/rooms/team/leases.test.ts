import { expect, test } from "bun:test";
import type { House } from "../../../src/features/house.ts";
import { ProjectLeases } from "../../../src/features/project-lease.ts";
import { openRoom } from "../../../src/rooms/team/room.ts";
import { resolveConfig } from "../../whole-config.ts";

const SHARED = "commit:0123456789abcdef0123456789abcdef01234567";
/** Nobody listens there. */
const STORE = "postgres://ann@127.0.0.1:1/shop?sslmode=disable";

function leasesWith(store: string | null): ProjectLeases {
  const value = { memory: { enabled: true, store } };
  const { config } = resolveConfig([{ file: "own", scope: "user", value, lineOf: () => null }]);
  const leases = new ProjectLeases();
  const location = { directory: "/work", worktree: "/work" };
  const log = { debug: () => undefined };
  const database = { path: "/nowhere/runtime.db" };
  openRoom({ config, database, env: {}, leases, location, log, now: () => 0 } as unknown as House);
  return leases;
}

test("without a team's store a project is this machine's alone", async () => {
  const lease = leasesWith(null).of("upkeep");
  expect(await lease.hold(SHARED, "run")).toBe("held");
  expect(await lease.done(SHARED)).toEqual(new Map());
});

test("with one, a shared project is worked on under the team's lease, and a folder's without it", async () => {
  const lease = leasesWith(STORE).of("upkeep");
  expect(await lease.hold(SHARED, "run")).toBe("away");
  expect(await lease.done(SHARED)).toBe("away");
  expect(await lease.hold("folder:/work", "run")).toBe("held");
});
