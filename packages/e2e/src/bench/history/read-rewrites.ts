// Reads from the plugin's database why it rewrote a session's history.
import { existsSync } from "node:fs";
import {
  createRewriteStore,
  type RewriteRecord,
} from "@session-runtime/opencode/features/history/rewrite-store";
import { loadRuntimeDriver } from "@session-runtime/opencode/storage/connect";
import type { SessionId } from "@session-runtime/opencode/storage/records";

/** By rank; none where the plugin isn't there. */
export async function readRewrites(
  database: string,
  session: string,
): Promise<readonly RewriteRecord[]> {
  if (!existsSync(database)) return [];
  const driver = (await loadRuntimeDriver())(database);
  try {
    return createRewriteStore(driver).of(session as SessionId);
  } finally {
    driver.close();
  }
}
