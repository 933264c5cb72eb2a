// The titles of sessions, as their hosts have them.
import type { SessionId } from "../../../plugin/src/storage/records.ts";
import type { Environment } from "../host/places.ts";
import { hostTitles } from "../host-history/open.ts";
import { piTitles } from "../host-history/pi-titles.ts";

/** By session id; a session whose host has none is not in it. */
export async function readTitles(
  env: Environment,
  ids: readonly SessionId[],
): Promise<ReadonlyMap<string, string>> {
  const titles = await hostTitles(env);
  const others = ids.filter((id) => !titles.has(id));
  return new Map([...titles, ...piTitles(env, others)]);
}
