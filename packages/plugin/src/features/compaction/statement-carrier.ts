// Carries the words of a session over its host's compaction: they stand beside the summary from its first call on.
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
  /** `cut`: there may be older ones. */
  readonly extent: "whole" | "cut";
}

interface CarrierDeps {
  readonly wayBack: WayBack;
  /** What the session's newest brief holds. */
  readonly stored: (sessionId: SessionId) => readonly Statement[];
  /**
   * The session's newest rows: from its beginning, where the host gives those of before a compaction and
   * they are not too many. Null: the host doesn't answer.
   */
  readonly rows: (sessionId: SessionId) => Promise<SessionRows | null>;
  /** Whether an entry of this name stands at the message already. */
  readonly isCarried: (sessionId: SessionId, name: string, messageId: string) => boolean;
}

/** What the model's window gives to them where it is not known. */
const USUAL_WINDOW_TOKENS = 100_000;
const PROMPT_SHARE = 1 / 10;
const ANSWER_SHARE = 1 / 40;

export class StatementCarrier {
  /** By the row that asked for the compaction. */
  readonly #found = new Map<string, readonly Statement[]>();
  readonly policy: Policy = {
    name: NAME,
    scope: "session",
    draft: (view) => this.#draft(view),
  };

  constructor(private readonly deps: CarrierDeps) {}

  /**
   * What a brief stores of the rows that are about to leave the history. Older ones are as the newest brief
   * has them; what was undone since it was made is none of them.
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

  /** Looks up what was said before the compaction at the head, once. */
  async prepare({ sessionId, history }: BoundaryCall): Promise<void> {
    const head = compactionAt(history);
    if (head === null || this.#found.has(head)) return;
    if (this.deps.isCarried(sessionId, NAME, head)) {
      this.#found.set(head, []);
      return;
    }
    const found = await this.deps.rows(sessionId);
    const said = this.collected(sessionId, found);
    // Where the host did not answer, a later call asks again.
    if (found !== null || said.length > 0) this.#found.set(head, said);
  }

  #draft({ messages, boundary, standing, space }: BoundaryView): ReturnType<Policy["draft"]> {
    const head = compactionAt(messages);
    const found = head === null ? undefined : this.#found.get(head);
    if (head === null || found === undefined || !isCold(boundary)) return [];
    if (standing.some(({ origin, messageId }) => origin === NAME && messageId === head)) return [];
    const usable = space.usableTokens ?? USUAL_WINDOW_TOKENS;
    const text = statementsText(goneFrom(messages, found), {
      promptTokens: usable * PROMPT_SHARE,
      answerTokens: usable * ANSWER_SHARE,
      wayBack: this.deps.wayBack,
    });
    if (text === null) return [];
    return [historyDraft({ verb: "insert", after: { messageId: head, partId: null }, text })];
  }
}

/** The row at the head of the history that asked for a compaction. */
function compactionAt(messages: readonly HostMessage[]): string | null {
  const [head] = messages;
  return head && asksForCompaction(head) ? head.info.id : null;
}

/** Without what still stands, under its own id or as the copy that a host makes of the newest prompt. */
function goneFrom(
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
