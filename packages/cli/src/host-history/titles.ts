import type { HostHistory } from "./open.ts";

/** By session id; empty where the host's database can't be read. */
export function titlesIn(history: HostHistory): ReadonlyMap<string, string> {
  if (history.kind === "missing") return new Map();
  const rows = history.driver.all("SELECT id, title FROM session");
  return new Map(rows.map(({ id, title }) => [String(id), String(title)]));
}
