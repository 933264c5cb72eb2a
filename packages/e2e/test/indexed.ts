import { existsSync } from "node:fs";
import { toIndexPath } from "@session-runtime/opencode/search-index/place";
import { eventually } from "../../plugin/test/eventually.ts";
import { openReader } from "./inbox-stage.ts";

/** Until the search index beside this database holds a phrase so many times: turns are indexed after they end. */
export async function indexed(database: string, phrase: string, times = 1): Promise<void> {
  const path = toIndexPath(database);
  await eventually(`"${phrase}" is in the index`, () => {
    if (!existsSync(path)) return false;
    const index = openReader(path);
    try {
      const sql = "SELECT count(*) AS found FROM words WHERE words MATCH ?";
      const row = index.query<{ found: number }, [string]>(sql).get(`"${phrase}"`);
      return (row?.found ?? 0) >= times;
    } finally {
      index.close();
    }
  });
}
