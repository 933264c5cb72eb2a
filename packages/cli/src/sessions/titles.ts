// Reads the titles of sessions from their hosts.
import type { SessionId } from "@session-runtime/opencode/storage/records";
import type { Environment } from "../host/places.ts";
import { hostTitles } from "../host-history/open.ts";
import { piTitles } from "../host-history/pi-titles.ts";

/** Returns titles by session id, without the sessions that have none. */
export async function readTitles(
  env: Environment,
  ids: readonly SessionId[],
): Promise<ReadonlyMap<string, string>> {
  const titles = await hostTitles(env);
  const others = ids.filter((id) => !titles.has(id));
  return new Map([...titles, ...piTitles(env, others)]);
}
