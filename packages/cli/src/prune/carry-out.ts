// Removes sessions that nobody has used since, and shrinks the file.
import { isProcessDead } from "@session-runtime/opencode/features/inbox/process-id";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import { listSessions, readLiveLeases } from "@session-runtime/opencode/storage/session-list";
import {
  estimateSessionSizes,
  readNewestActivityMs,
} from "@session-runtime/opencode/storage/session-rows";
import { removeSession } from "@session-runtime/opencode/storage/session-store";
import { schema } from "../database/schema.ts";
import type { Progress } from "../terminal/progress.ts";
import type { PruneInput, PrunePlan } from "./plan.ts";

export interface PruneOutcome {
  readonly removed: number;
  /** The sessions that were used again after the plan was made. */
  readonly spared: readonly string[];
  /** Says whether the file was shrunk; if not, its free space is used before it grows. */
  readonly shrunk: "shrunk" | "locked" | "nothing";
}

export function readPruneInput(driver: Driver, fileBytes: number): PruneInput {
  return driver.read(() => ({
    sessions: listSessions(driver),
    sizes: estimateSessionSizes(driver, schema),
    fileBytes,
    open: new Set(readLiveLeases(driver, Date.now(), isProcessDead).keys()),
  }));
}

/** Removes each session in one short transaction, so that no call has to wait. */
export function carryOut(driver: Driver, { goes }: PrunePlan, progress: Progress): PruneOutcome {
  const spared: string[] = [];
  for (const [index, { sessionId, activeAtMs }] of goes.entries()) {
    progress.step(`Removing session ${index + 1} of ${goes.length}`);
    const outcome = driver.transaction(() => {
      const isOpen = readLiveLeases(driver, Date.now(), isProcessDead).has(sessionId);
      const isActive = readNewestActivityMs(driver, schema, sessionId) > activeAtMs;
      if (isOpen || isActive) return "spared";
      removeSession(driver, sessionId);
      return "removed";
    });
    if (outcome === "spared") spared.push(sessionId);
  }
  const removed = goes.length - spared.length;
  if (removed === 0) return { removed, spared, shrunk: "nothing" };
  progress.step("Making the file smaller");
  return { removed, spared, shrunk: shrink(driver) };
}

/** Rewrites the file, which it can do only while no other process uses it. */
function shrink(driver: Driver): PruneOutcome["shrunk"] {
  try {
    driver.exec("VACUUM");
    // While somebody reads an older state, the file has to keep it.
    const isBusy = driver.get("PRAGMA wal_checkpoint(TRUNCATE)")?.busy === 1;
    return isBusy ? "locked" : "shrunk";
  } catch (error) {
    if (error instanceof StorageError && error.code === "locked") return "locked";
    throw error;
  }
}
