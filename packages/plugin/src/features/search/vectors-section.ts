// Renders the vectors section of the status.
import { hasIndex, toIndexPath } from "../../search-index/place.ts";
import type { ReadSection } from "../../status/section.ts";
import { formatCount, renderCount } from "../../status/wording.ts";
import { loadRuntimeReader } from "../../storage/connect.ts";
import type { Driver, OpenDriver } from "../../storage/driver.ts";

export async function loadVectorsSection(): Promise<ReadSection> {
  // A Node without SQLite can't read the database, and needn't: it passes commands on and only shows the help.
  const open = await loadRuntimeReader().catch(() => null);
  if (open === null) return () => () => null;
  return (driver) => (sessionId) => {
    const place = driver.get(SELECT_DIRECTORY, sessionId);
    const main = driver.get("SELECT file FROM pragma_database_list WHERE name = 'main'");
    const path = toIndexPath(String(main?.file ?? ""));
    if (!place || !hasIndex(path)) return null;
    const row = readRow(open, path, String(place.directory));
    const vectors = Number(row?.vectors ?? 0);
    if (vectors === 0) return null;
    return {
      label: "Vectors",
      text: `${renderCount(vectors, "text")} found by meaning, by ${String(row?.model)} (${formatCount(Number(row?.dimensions))} numbers each).`,
      short: null,
    };
  };
}

/** Returns null if the row can't be read now; the row is derived data, and nothing depends on it. */
function readRow(open: OpenDriver, path: string, directory: string) {
  let driver: Driver | null = null;
  try {
    driver = open(path);
    return driver.get(SELECT_COUNT, directory);
  } catch {
    return null;
  } finally {
    driver?.close();
  }
}

const SELECT_DIRECTORY = `
  SELECT directory FROM epoch WHERE session_id = ? ORDER BY seq DESC LIMIT 1`;

const SELECT_COUNT = `
  SELECT model, dimensions,
    (SELECT count(*) FROM vector
     WHERE vector.project = meaning.project AND body IS NOT NULL) AS vectors
  FROM meaning WHERE directory = ?`;
