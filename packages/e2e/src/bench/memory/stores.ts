// The stores of memories that are measured: each one is measured alike.
// Folder: Memories, vectors and commits, for `npm run bench -- memory`.
import { join } from "node:path";
import {
  createSqliteMemoryStore,
  type MemoryStore,
} from "@session-runtime/opencode/features/memory/sqlite-store";
import { createLocalCopy } from "@session-runtime/opencode/features/team/local-copy";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import { schema } from "../schema.ts";

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
      const { database } = await openRuntimeDatabase({ schema, path: join(folder, "runtime.db") });
      return {
        store: database.store(createSqliteMemoryStore),
        close: async () => database.close(),
      };
    },
  },
  {
    // What sessions of a team wait for: this machine's copy with its outbox. The server is asked beside them.
    name: "a team's copy",
    open: async (folder) => {
      const { database } = await openRuntimeDatabase({ schema, path: join(folder, "runtime.db") });
      const [local, copy] = [
        database.store(createSqliteMemoryStore),
        database.store(createLocalCopy),
      ];
      copy.name("bench");
      const store: MemoryStore = {
        ...local,
        async enter(project, nowMs) {
          await local.enter(project, nowMs);
          copy.share(project.id);
        },
      };
      return { store, close: async () => database.close() };
    },
  },
];
