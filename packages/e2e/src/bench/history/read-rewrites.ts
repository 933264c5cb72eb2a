// Reads from the plugin's database why it rewrote a session's history.
import { existsSync } from "node:fs";
import {
  type RewriteRecord,
  rewriteStore,
} from "../../../../plugin/src/features/history/rewrite-store.ts";
import { runtimeDriver } from "../../../../plugin/src/storage/connect.ts";
import type { SessionId } from "../../../../plugin/src/storage/records.ts";

/** By rank; none where the plugin isn't there. */
export async function readRewrites(
  database: string,
  session: string,
): Promise<readonly RewriteRecord[]> {
  if (!existsSync(database)) return [];
  const driver = (await runtimeDriver())(database);
  try {
    return rewriteStore(driver).of(session as SessionId);
  } finally {
    driver.close();
  }
}
