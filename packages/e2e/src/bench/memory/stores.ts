// The stores of memories that are measured: each one is measured alike.
// Folder: Memories, vectors and commits, for `npm run bench -- memory`.
import { join } from "node:path";
import { sqliteMemoryStore } from "../../../../plugin/src/memory/sqlite-store.ts";
import type { MemoryStore } from "../../../../plugin/src/memory/store.ts";
import { openRuntimeDatabase } from "../../../../plugin/src/storage/open.ts";

export interface OpenedStore {
  readonly store: MemoryStore;
  readonly close: () => Promise<void>;
}

export interface MeasuredStore {
  readonly name: string;
  /** Empty. @param folder of its own */
  readonly open: (folder: string) => Promise<OpenedStore>;
}

export const STORES: readonly MeasuredStore[] = [
  {
    name: "SQLite",
    open: async (folder) => {
      const { database } = await openRuntimeDatabase({ path: join(folder, "runtime.db") });
      return { store: database.store(sqliteMemoryStore), close: async () => database.close() };
    },
  },
];
