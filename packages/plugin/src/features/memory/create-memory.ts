// Creates memory for one plugin instance: its sources, tools and commands.
import { BoundedMap } from "../../context/bounded-map.ts";
import { combine, createSystemContext, type SystemContext } from "../../context/system-context.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { Finder, SemanticCorpus } from "../../feature-api/finders.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import type { FindSightings } from "../../ledger/policy.ts";
import type { Project } from "../../project/project.ts";
import type { SessionId } from "../../storage/records.ts";
import { readMemoryCall, readNoteCall } from "./change-text.ts";
import { openCommands } from "./commands.ts";
import { draftOwnCallWitnesses } from "./list-source.ts";
import {
  createMemoriesSource,
  createNotesSource,
  type ListedNote,
  sortListing,
} from "./listing.ts";
import { createMemoryFinder } from "./memory-finder.ts";
import { describeClone, renderCloneName } from "./memory-text.ts";
import { ProjectMemory } from "./project-memory.ts";
import { openTools } from "./run-tools.ts";
import { memorySettings } from "./settings.ts";
import { createSqliteMemoryStore } from "./sqlite-store.ts";

interface MemoryInstance extends FeatureInstance {
  readonly provides: { readonly finder: Finder; readonly corpus: SemanticCorpus };
}

export function createMemoryFeature(context: FeatureContext): MemoryInstance {
  const { config, database, log, now } = context;
  const memory = new ProjectMemory({
    project: context.project,
    store: () => database.current().store(createSqliteMemoryStore),
    budgetTokens: selectSettings(config, memorySettings).budgetTokens,
    log,
    now,
  });
  context.project.whenFound((project) => askAboutClone(context, project));
  // A session's sources are created once, because they remember what they last returned.
  const contexts = new BoundedMap<string, SystemContext>(MAX_CACHED_SESSIONS);
  const memories = createSystemContext(createMemoriesSource(() => memory.loadListing()));
  const createNotesContext = (sessionId: SessionId) =>
    createSystemContext(createNotesSource(() => memory.loadNotes(sessionId)));
  const { finder, semantic } = createMemoryFinder(memory, log, now);
  return {
    provides: { finder, corpus: semantic },
    sources: ({ sessionId }) =>
      contexts.getOrCreate(sessionId, () =>
        combine([memories, createNotesContext(sessionId as SessionId)]),
      ),
    witness: createSightingFinder(memory),
    tools: openTools(memory, now),
    // A command may be the first event of a session, so it opens the database.
    commands: openCommands(memory, now).map((command) => ({
      ...command,
      async act(call) {
        await database.ensure();
        return command.act(call);
      },
    })),
    hooks: {
      sent: ({ sessionId }) => void memory.countSent(sessionId),
      onEvent({ kind, sessionId }) {
        if (kind !== "deleted") return;
        contexts.delete(sessionId);
        memory.forget(sessionId);
      },
    },
  };
}

/** The number of sessions whose sources are kept; any other session only has its lists encoded once more. */
const MAX_CACHED_SESSIONS = 256;

/** Asks once whether a clone of another remote belongs to the project; lists go on mentioning the clone. */
function askAboutClone({ database, notices }: FeatureContext, { id }: Project): void {
  const store = database.current().store(createSqliteMemoryStore);
  const apart = store.keptApart(id);
  if (apart?.asked !== "not yet") return;
  notices.notice({
    code: "memory_kept_apart",
    severity: "info",
    message: describeClone(apart),
    remedy: `If they are one project to you, /ctx-memory join gives this clone ${renderCloneName(apart)}'s memories, to use and to change.`,
  });
  store.asked(id);
}

function createSightingFinder(memory: ProjectMemory): FindSightings {
  const memories = {
    tool: "ctx_memory",
    definition: createMemoriesSource(() => memory.loadListing()),
    read: readMemoryCall,
    ordered: sortListing,
  } as const;
  return (sighting) => {
    const [message] = sighting.messages;
    if (!message) return [];
    const sessionId = message.info.sessionID as SessionId;
    const notes = {
      tool: "ctx_note",
      definition: createNotesSource(() => memory.loadNotes(sessionId)),
      read: readNoteCall,
      ordered: (items: readonly ListedNote[]) => ({ items }),
    } as const;
    return [
      ...draftOwnCallWitnesses(memories, sighting, memory.lastListing),
      ...draftOwnCallWitnesses(notes, sighting, memory.getLastNotes(sessionId)),
    ];
  };
}
