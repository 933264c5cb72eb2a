// The host's titles of sessions.
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import type { Environment } from "../host/places.ts";
import { readHostHistory } from "./open.ts";

/** The host's titles by session id; empty where its database can't be read. */
export async function hostTitles(env: Environment): Promise<ReadonlyMap<string, string>> {
  const found = await readHostHistory(env, titlesIn);
  return found.kind === "read" ? found.value : new Map();
}

function titlesIn(driver: Driver): ReadonlyMap<string, string> {
  const rows = driver.all("SELECT id, title FROM session");
  return new Map(rows.map(({ id, title }) => [String(id), String(title)]));
}
