// Indexes a whole history in one go, for places where nothing waits for the thread.

import type { HostMessage } from "../../ledger/message.ts";
import type { CollectionScope } from "../../search-index/collection.ts";
import type { IndexFile } from "../../search-index/file.ts";
import { Indexer } from "./indexer.ts";

/** @throws StorageError if the index can't be written */
export function indexAtOnce(
  file: IndexFile,
  scope: CollectionScope,
  history: { readonly messages: readonly HostMessage[]; readonly directory: string },
): void {
  const { messages, directory } = history;
  const slices: (() => void)[] = [];
  const failures: unknown[] = [];
  const indexer = new Indexer({
    file,
    directory,
    later: (work) => slices.push(work),
    nowMs: () => performance.now(),
    failed: (error) => failures.push(error),
  });
  indexer.take({ scope, messages, extent: "all" });
  for (let work = slices.shift(); work; work = slices.shift()) work();
  if (failures.length > 0) throw failures[0];
}
