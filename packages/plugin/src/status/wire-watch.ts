// Watches calls for changes that the runtime can't undo, and reports each once.
import type { Notices } from "../log/notices.ts";
import type { SessionId } from "../storage/records.ts";
import {
  createSystemNotRecognisedNotice,
  createUnknownBlockNotice,
  findUnknownBlocks,
  SYSTEM_NOT_RECOGNISED_CODE,
  type SystemStrings,
  toBlockNoticeCode,
  UNKNOWN_BLOCK_KINDS,
  type UnknownBlockKind,
} from "./notices.ts";

/** The progress of a session's newest call. */
export type CallProgress =
  | { readonly kind: "none" }
  /** The history has been decided, and no system string of the host has been recognised since. */
  | { readonly kind: "waiting" }
  | {
      readonly kind: "sent";
      readonly baseline: string;
      readonly facts: Pick<SystemStrings, "ownSystem" | "structuredNote">;
    };

/** Calls of these agents are the host's own, without an environment block. */
const HOST_AGENTS: ReadonlySet<string> = new Set(["title", "compaction", "summary"]);

/** Watches requests for changes that the runtime can't prevent, and reports each once. */
export class WireWatch {
  /** The sessions, by kind of block, whose newest call had such a block. */
  readonly #sessions: Record<UnknownBlockKind, Set<SessionId>> = {
    "added-string": new Set(),
    "unknown-block": new Set(),
  };

  constructor(
    private readonly deps: {
      readonly callState: (sessionId: SessionId) => CallProgress;
      readonly notices: Notices;
      /** Returns specs of the host's plugins that may change its prompt before ours sees it. */
      readonly otherPlugins: () => readonly string[];
    },
  ) {}

  /** Checks the strings after system.transform, as the host and other plugins gave them and as they are sent. */
  recordSystem(sessionId: SessionId, given: readonly string[], sent: readonly string[]): void {
    const call = this.deps.callState(sessionId);
    if (call.kind !== "sent") return;
    this.deps.notices.over(SYSTEM_NOT_RECOGNISED_CODE);
    // The Baseline may be a string of its own or part of another string.
    if (!sent.some((text) => text.includes(call.baseline))) return;
    const { ownSystem, structuredNote } = call.facts;
    const strings = { given, sent, baseline: call.baseline, ownSystem, structuredNote };
    this.#recordBlocks(sessionId, findUnknownBlocks(strings));
  }

  /** Ends the report of a block once no session's newest call has it. */
  #recordBlocks(sessionId: SessionId, found: readonly UnknownBlockKind[]): void {
    for (const block of UNKNOWN_BLOCK_KINDS) {
      const sessions = this.#sessions[block];
      if (found.includes(block)) {
        sessions.add(sessionId);
        this.deps.notices.notice(createUnknownBlockNotice(block));
      } else if (sessions.delete(sessionId) && sessions.size === 0) {
        this.deps.notices.over(toBlockNoticeCode(block));
      }
    }
  }

  /** Handles chat.params: both transforms of the agent's call are done. */
  checkCall(sessionId: SessionId, agent: string): void {
    if (HOST_AGENTS.has(agent)) return;
    if (this.deps.callState(sessionId).kind !== "waiting") return;
    // A call that could not be stored is sent without the Baseline, and has a notice of its own.
    if (this.deps.notices.all().some(({ code }) => code.startsWith("storage"))) return;
    this.deps.notices.notice(createSystemNotRecognisedNotice(this.deps.otherPlugins()));
  }
}
