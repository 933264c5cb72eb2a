// Where facts go that the model gives, and what it needn't give again.
import type { House } from "../features/house.ts";
import { settingsOf } from "../features/settings.ts";
import { projectOf } from "../memory/identity.ts";
import { promote } from "../memory/promote.ts";
import { memorySettings } from "../memory/settings.ts";
import { sqliteMemoryStore } from "../memory/sqlite-store.ts";
import type { SessionId } from "../storage/records.ts";
import type { Fact } from "./answer-check.ts";
import type { KnownFact } from "./request.ts";

export interface MemoryPort {
  /** What the project's memory holds. */
  readonly known: () => Promise<readonly KnownFact[]>;
  /** The same facts twice are stored once. */
  readonly keep: (facts: readonly Fact[], sessionId: SessionId) => Promise<void>;
}

/** So many are in a request. */
const MOST_KNOWN = 60;

/** Null: there is no memory, and facts are forgotten. */
export function memoryOf(house: House): MemoryPort | null {
  const { config, database, location, now } = house;
  if (!settingsOf(config, memorySettings).enabled) return null;
  const store = () => database.current().store(sqliteMemoryStore);
  const project = () => projectOf(location.directory, (worktree) => store().knownAt(worktree));
  return {
    async known() {
      const { id } = await project();
      const memories = await store().readable(id, MOST_KNOWN);
      return memories.map(({ category, text }) => ({ category, text }));
    },
    async keep(facts, sessionId) {
      const own = await project();
      await store().enter(own, now());
      const memories = await store().list(own.id);
      const active = memories.filter(({ state }) => state.kind === "active");
      const changes = promote(facts, active);
      const by = { by: "historian", sessionId, segment: null, nowMs: now() } as const;
      if (changes.length > 0) await store().apply(own.id, changes, by);
    },
  };
}
