import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { runtimeReader } from "../../../plugin/src/storage/open-driver.ts";
import { type Environment, placesOf } from "../host/places.ts";

/** The host's own database, as far as it is there and as we know it. It is only ever read. */
export type HostHistory =
  | { readonly kind: "open"; readonly path: string; readonly driver: Driver }
  | { readonly kind: "missing"; readonly path: string; readonly reason: string };

/** What we read of it (OpenCode 1.18.33): with other columns it is as good as not there. */
const PROBES = [
  "SELECT id, title, revert FROM session LIMIT 0",
  "SELECT id, session_id, data FROM message LIMIT 0",
  "SELECT id, message_id, data FROM part LIMIT 0",
];

/** A convenience: nothing that we do depends on it, so whatever is wrong with it is only told. */
export async function openHostHistory(env: Environment): Promise<HostHistory> {
  const path = join(placesOf(env).hostData, "opencode.db");
  if (!existsSync(path)) return { kind: "missing", path, reason: "it is not there" };
  try {
    const driver = (await runtimeReader())(path);
    try {
      driver.exec("PRAGMA busy_timeout = 1000");
      for (const probe of PROBES) driver.all(probe);
      return { kind: "open", path, driver };
    } catch (error) {
      driver.close();
      throw error;
    }
  } catch (error) {
    return {
      kind: "missing",
      path,
      reason: error instanceof Error ? error.message : String(error),
    };
  }
}

export function closeHostHistory(history: HostHistory): void {
  if (history.kind === "open") history.driver.close();
}
