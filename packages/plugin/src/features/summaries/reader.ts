// Reads a history's segments for the fold and a project's for searches, from memory as long as nothing has changed on
// disk.
import { BoundedMap } from "../../context/bounded-map.ts";
import type { ReadWrittenSegments, WrittenSegment } from "../../history/written.ts";
import { StorageError } from "../../storage/errors.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import { digestRoot, type SegmentStore } from "./segment-store.ts";
import type { SegmentRecord } from "./segment-table.ts";

interface CachedSegments {
  readonly stamp: string;
  readonly segments: readonly WrittenSegment[];
}

/** The most sessions whose segments are cached. */
const MAX_SESSIONS = 16;

interface ReaderDeps {
  /** @throws StorageError while the database isn't open */
  readonly store: () => SegmentStore;
  /** Returns null if the project isn't known yet. */
  readonly project: () => ProjectId | null;
  readonly failed: (error: unknown) => void;
}

/** Runs one small query per boundary. If it fails, the history counts as not summarised. */
export function writtenReader({ store, project, failed }: ReaderDeps): ReadWrittenSegments {
  const held = new BoundedMap<SessionId, CachedSegments>(MAX_SESSIONS);
  return (messages) => {
    const sessionId = messages[0]?.info.sessionID as SessionId | undefined;
    if (sessionId === undefined) return [];
    try {
      const lineage = { sessionId, project: project(), root: digestRoot(messages) };
      const stamp = `${lineage.root} ${lineage.project} ${store().stamp(lineage)}`;
      const known = held.get(sessionId);
      if (known?.stamp === stamp) return known.segments;
      const segments = store().of(lineage);
      held.set(sessionId, { stamp, segments });
      return segments;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      failed(error);
      return [];
    }
  };
}

/** Returns a function that reads all segments of a project; it throws a StorageError if they can't be read. */
export function projectReader(
  store: () => SegmentStore,
): (project: ProjectId) => readonly SegmentRecord[] {
  let held: { readonly stamp: string; readonly rows: readonly SegmentRecord[] } | null = null;
  return (project) => {
    const stamp = `${project} ${store().projectStamp(project)}`;
    if (held?.stamp !== stamp) held = { stamp, rows: store().ofProject(project) };
    return held.rows;
  };
}
