// Watches calls for changes that the runtime can't undo, and reports each once.
import type { Notices } from "../log/notices.ts";
import type { SessionId } from "../storage/records.ts";
import {
  blockNotice,
  SYSTEM_NOT_RECOGNISED,
  systemNotRecognised,
  unknownBlockSeen,
} from "./notices.ts";
import {
  type SystemStrings,
  UNKNOWN_BLOCKS,
  type UnknownBlock,
  unknownBlocksIn,
} from "./unknown-blocks.ts";

/** How far the newest call of a session has come. */
export type CallProgress =
  | { readonly kind: "none" }
  /** Its history is decided, and no system string of the host was recognised since. */
  | { readonly kind: "waiting" }
  | {
      readonly kind: "sent";
      readonly baseline: string;
      readonly facts: Pick<SystemStrings, "ownSystem" | "structuredNote">;
    };

/** Calls of these agents are the host's own, without an environment block. */
const HOST_AGENTS: ReadonlySet<string> = new Set(["title", "compaction", "summary"]);

/** Looks at what goes over the wire for what the runtime can't hold, and reports it once. */
export class WireWatch {
  /** The sessions whose newest call had such a block. */
  readonly #sessions: Record<UnknownBlock, Set<SessionId>> = {
    "added-string": new Set(),
    "unknown-block": new Set(),
  };

  constructor(
    private readonly deps: {
      readonly callState: (sessionId: SessionId) => CallProgress;
      readonly notices: Notices;
      /** Specs of the host's plugins that may change its prompt before ours sees it. */
      readonly otherPlugins: () => readonly string[];
    },
  ) {}

  /** system.transform is done: the strings as the host and other plugins gave them, and as they are sent. */
  recordSystem(sessionId: SessionId, given: readonly string[], sent: readonly string[]): void {
    const call = this.deps.callState(sessionId);
    if (call.kind !== "sent") return;
    this.deps.notices.over(SYSTEM_NOT_RECOGNISED);
    // The Baseline is a string of its own, or stands within one.
    if (!sent.some((text) => text.includes(call.baseline))) return;
    const { ownSystem, structuredNote } = call.facts;
    const strings = { given, sent, baseline: call.baseline, ownSystem, structuredNote };
    this.#saw(sessionId, unknownBlocksIn(strings));
  }

  /** A block is over when no session's newest call has it. */
  #saw(sessionId: SessionId, found: readonly UnknownBlock[]): void {
    for (const block of UNKNOWN_BLOCKS) {
      const sessions = this.#sessions[block];
      if (found.includes(block)) {
        sessions.add(sessionId);
        this.deps.notices.notice(unknownBlockSeen(block));
      } else if (sessions.delete(sessionId) && sessions.size === 0) {
        this.deps.notices.over(blockNotice(block));
      }
    }
  }

  /** chat.params: both transforms of the agent's call are done. */
  sawCall(sessionId: SessionId, agent: string): void {
    if (HOST_AGENTS.has(agent)) return;
    if (this.deps.callState(sessionId).kind !== "waiting") return;
    // What could not be stored is not sent as ours either, and has its own notice.
    if (this.deps.notices.all().some(({ code }) => code.startsWith("storage"))) return;
    this.deps.notices.notice(systemNotRecognised(this.deps.otherPlugins()));
  }
}
