// Reads a team's store from the configuration.
import { selectSettings } from "../../feature-api/settings.ts";
import { connect } from "../../storage/connect.ts";
import type { Driver } from "../../storage/driver.ts";
import { memorySettings } from "../memory/settings.ts";
import { type Address, type AddressFault, readAddress } from "../memory/store-address.ts";
import { type Environment, STORE_VARIABLE } from "./is-set.ts";

export interface Team {
  readonly address: Address;
  /** The name under which this machine's changes go. */
  readonly member: string;
  /** True when this project is one of the team's. */
  readonly isShared: boolean;
}

/** The variable before the file. Null: there is no store; or what keeps its address from being read. */
export function resolveTeam(config: object, env: Environment): Team | AddressFault | null {
  const { enabled, store, member, shared } = selectSettings(config, memorySettings);
  const written = env[STORE_VARIABLE] || store;
  if (!enabled || written === null) return null;
  const address = readAddress(written);
  if (typeof address === "string") return address;
  return { address, member: member ?? accountName(env, address), isShared: shared };
}

/** Bun's own word for the account is the variable, too, and "unknown" where there is none. */
function accountName(env: Environment, { url }: Address): string {
  const role = decodeURIComponent(new URL(url).username);
  return env.USER || env.LOGNAME || env.USERNAME || role || "unknown";
}

// A connection of its own to the database: what it writes is another process's change to those who read.

/** Writers keep this connection waiting only briefly, as nobody waits for it. */
const OPEN_PRAGMAS =
  "PRAGMA busy_timeout = 100; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL";

/** Opens a second connection to a database that is open, and so has this schema. */
export function openSecondConnection(path: string): Promise<Driver> {
  return connect(path, "write", OPEN_PRAGMAS);
}
