// A session's status as far as the database knows it.
// Folder: Which session is meant, and its status.
import { statusSections } from "../../../plugin/src/features/status-sections.ts";
import { gatherStored, type StatusDeps } from "../../../plugin/src/status/gather.ts";
import { readStatus, type SessionStatus } from "../../../plugin/src/status/model.ts";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { healthOf } from "../../../plugin/src/storage/health.ts";
import { overviewStore } from "../../../plugin/src/storage/overview-store.ts";
import type { SessionId } from "../../../plugin/src/storage/records.ts";

/** The status of a session as far as the database tells it: the read model of /ctx-status. */
export function storedStatus(driver: Driver, path: string, sessionId: SessionId): SessionStatus {
  const deps: StatusDeps = {
    overview: overviewStore(driver),
    health: () => healthOf(driver, path),
    store: (make) => make(driver),
  };
  const asked = { sessionId, nowMs: Date.now() };
  const stored = gatherStored(() => deps, { ...asked, shown: null }, statusSections);
  return readStatus({ ...asked, stored }, null);
}
