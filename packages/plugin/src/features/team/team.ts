// Reads a team's store from the configuration.
import { selectSettings } from "../../feature-api/settings.ts";
import { connect } from "../../storage/connect.ts";
import type { Driver } from "../../storage/driver.ts";
import { memorySettings } from "../memory/settings.ts";
import { type Address, type AddressFault, parseAddress } from "../memory/store-address.ts";
import { type Environment, STORE_VARIABLE } from "./is-set.ts";

export interface Team {
  readonly address: Address;
  /** The name under which this machine's changes go. */
  readonly member: string;
  /** True if this project is one of the team's. */
  readonly isShared: boolean;
}

/**
 * Resolves the store; the variable takes precedence over the file. Returns null if there is no store, or the
 * fault that makes its address unreadable.
 */
export function resolveTeam(config: object, env: Environment): Team | AddressFault | null {
  const { enabled, store, member, shared } = selectSettings(config, memorySettings);
  const written = env[STORE_VARIABLE] || store;
  if (!enabled || written === null) return null;
  const address = parseAddress(written);
  if (typeof address === "string") return address;
  return { address, member: member ?? resolveAccountName(env, address), isShared: shared };
}

/** Names the account by the variables, as Bun does, or by the address's user; "unknown" if it has none. */
function resolveAccountName(env: Environment, { url }: Address): string {
  const role = decodeURIComponent(new URL(url).username);
  return env.USER || env.LOGNAME || env.USERNAME || role || "unknown";
}

// A separate connection to the database: to the readers, its writes are another process's changes.

/** This connection waits only briefly for writers, as nobody waits for it. */
const OPEN_PRAGMAS =
  "PRAGMA busy_timeout = 100; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL";

/** Opens a second connection to a database that is already open and therefore has this schema. */
export function openSecondConnection(path: string): Promise<Driver> {
  return connect(path, "write", OPEN_PRAGMAS);
}
