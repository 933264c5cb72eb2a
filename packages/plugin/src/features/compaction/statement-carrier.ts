// Carries the words of a session over its host's compaction: they appear beside the summary from its first call on.
import type { BoundaryCall } from "../../feature-api/feature-hooks.ts";
import type { WayBack } from "../../history/stub.ts";
import { isCold } from "../../ledger/boundary.ts";
import type { BoundaryView } from "../../ledger/boundary-view.ts";
import { historyDraft } from "../../ledger/draft.ts";
import { asksForCompaction, createdAtMs, type HostMessage, isText } from "../../ledger/message.ts";
import type { Policy } from "../../ledger/policy.ts";
import type { Statement } from "../../storage/brief-store.ts";
import type { SessionId } from "../../storage/records.ts";
import { mergedStatements, statementsIn } from "./statements.ts";
import { statementsText } from "./statements-text.ts";

/** The origin of its entries. */
const NAME = "earlier-words";

export interface SessionRows {
  readonly rows: readonly HostMessage[];
  /** `cut` means that there may be older rows. */
  readonly extent: "whole" | "cut";
}

interface CarrierDeps {
  readonly wayBack: WayBack;
  /** Returns the statements of the session's newest brief. */
  readonly stored: (sessionId: SessionId) => readonly Statement[];
  /**
   * Reads the session's newest rows. They start at the session's beginning if the host returns rows from before a
   * compaction and they are not too many. Null if the host doesn't answer.
   */
  readonly rows: (sessionId: SessionId) => Promise<SessionRows | null>;
  /** Returns true if the message already has an entry of this name. */
  readonly isCarried: (sessionId: SessionId, name: string, messageId: string) => boolean;
}

/** The assumed window of a model whose window is unknown; the shares below are taken of it. */
const USUAL_WINDOW_TOKENS = 100_000;
const PROMPT_SHARE = 1 / 10;
const ANSWER_SHARE = 1 / 40;

export class StatementCarrier {
  /** Statements by the id of the row that asked for the compaction. */
  readonly #found = new Map<string, readonly Statement[]>();
  readonly policy: Policy = {
    name: NAME,
    scope: "session",
    draft: (view) => this.#draft(view),
  };

  constructor(private readonly deps: CarrierDeps) {}

  /**
   * Collects the statements that a brief stores, from rows that are about to leave the history. Older statements come
   * from the newest brief; what was undone since that brief is left out.
   */
  collected(sessionId: SessionId, found: SessionRows | null): readonly Statement[] {
    const rows = found?.rows ?? [];
    const own = statementsIn(rows, this.deps.wayBack);
    const [first] = rows;
    const head = first && compactionAt(rows) !== null ? first : null;
    if (found?.extent === "whole" && head === null) return own;
    const until = (head && createdAtMs(head.info)) || Number.POSITIVE_INFINITY;
    const stored = this.deps.stored(sessionId).filter(({ saidAtMs }) => saidAtMs <= until);
    return mergedStatements(stored, own);
  }

  /** Collects what was said before the compaction at the head of the history, once per compaction. */
  async prepare({ sessionId, history }: BoundaryCall): Promise<void> {
    const head = compactionAt(history);
    if (head === null || this.#found.has(head)) return;
    if (this.deps.isCarried(sessionId, NAME, head)) {
      this.#found.set(head, []);
      return;
    }
    const found = await this.deps.rows(sessionId);
    const said = this.collected(sessionId, found);
    // If the host did not answer, a later call tries again.
    if (found !== null || said.length > 0) this.#found.set(head, said);
  }

  #draft({ messages, boundary, standing, space }: BoundaryView): ReturnType<Policy["draft"]> {
    const head = compactionAt(messages);
    const found = head === null ? undefined : this.#found.get(head);
    if (head === null || found === undefined || !isCold(boundary)) return [];
    if (standing.some(({ origin, messageId }) => origin === NAME && messageId === head)) return [];
    const usable = space.usableTokens ?? USUAL_WINDOW_TOKENS;
    const text = statementsText(listRemoved(messages, found), {
      promptTokens: usable * PROMPT_SHARE,
      answerTokens: usable * ANSWER_SHARE,
      wayBack: this.deps.wayBack,
    });
    if (text === null) return [];
    return [historyDraft({ verb: "insert", after: { messageId: head, partId: null }, text })];
  }
}

/** Returns the id of the row at the head of the history, if it asked for a compaction. */
function compactionAt(messages: readonly HostMessage[]): string | null {
  const [head] = messages;
  return head && asksForCompaction(head) ? head.info.id : null;
}

/**
 * Drops statements that are still in the history, under their own id or as the copy that a host makes of the newest
 * prompt.
 */
function listRemoved(
  messages: readonly HostMessage[],
  statements: readonly Statement[],
): readonly Statement[] {
  const ids = new Set(messages.map(({ info }) => info.id));
  const texts = new Set(
    messages
      .filter(({ info }) => info.role === "user")
      .flatMap(({ parts }) => parts.filter(isText).map(({ text }) => text.trim())),
  );
  return statements.filter(
    ({ kind, messageId, text }) =>
      !ids.has(messageId) && !(kind === "prompt" && texts.has(text.trim())),
  );
}
