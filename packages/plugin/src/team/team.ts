// What the configuration says of a team's store.
import { userInfo } from "node:os";
import { settingsOf } from "../features/settings.ts";
import { memorySettings } from "../memory/settings.ts";
import { type Address, readAddress } from "./address.ts";
import { type Environment, STORE_VARIABLE } from "./is-set.ts";

export interface Team {
  readonly address: Address;
  /** The name under which this machine's changes go. */
  readonly member: string;
  /** Whether this project is one of the team's. */
  readonly isShared: boolean;
}

/** The variable before the file. Null: there is no store, or its address can't be read. */
export function teamOf(config: object, env: Environment): Team | null {
  const { enabled, store, member, shared } = settingsOf(config, memorySettings);
  const written = env[STORE_VARIABLE] || store;
  const address = written === null ? null : readAddress(written);
  if (!enabled || address === null) return null;
  return { address, member: member ?? accountName(env), isShared: shared };
}

function accountName(env: Environment): string {
  try {
    return userInfo().username;
  } catch (error) {
    // An account without an entry, as in a container that runs under a number.
    if (error instanceof Error) return env.USER || "unknown";
    throw error;
  }
}
