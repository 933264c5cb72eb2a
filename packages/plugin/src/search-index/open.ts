// Opens the index of one plugin instance.
import type { Notices } from "../log/notices.ts";
import { runtimeDriver } from "../storage/open-driver.ts";
import { IndexFile } from "./file.ts";
import { indexPath } from "./place.ts";

/** Opens the index beside a database; the file is opened or created at its first use. */
export async function openIndex(
  databasePath: string,
  notices: Pick<Notices, "notice" | "over">,
): Promise<IndexFile> {
  return new IndexFile({
    path: indexPath(databasePath),
    openDriver: await runtimeDriver(),
    notice: (one) => notices.notice(one),
    over: (code) => notices.over(code),
  });
}
