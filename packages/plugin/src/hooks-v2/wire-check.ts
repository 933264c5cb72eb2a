// Checks that the provider is sent what was decided: OpenCode 2 shows a plugin each request's body.
import { BoundedMap } from "../context/bounded-map.ts";
import { isFields, parseFields } from "../context/fields.ts";
import type { ReadSection } from "../status/section.ts";
import { formatCount, renderCount } from "../status/wording.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2Message } from "./context.ts";

/** The most sessions whose requests are remembered. */
const MAX_SESSIONS = 256;

interface CheckedRequest {
  /** Our texts in the request in progress, in order; null once they have been checked. */
  due: readonly string[] | null;
  calls: number;
  same: number;
  differing: number;
}

export class WireCheck {
  readonly #sessions = new BoundedMap<SessionId, CheckedRequest>(MAX_SESSIONS);
  /** Holds the sessions whose newest request was not as decided. */
  readonly #differing = new Set<SessionId>();

  constructor(
    private readonly deps: {
      /** Reports each request that is not what was decided. */
      readonly differed: () => void;
      /** Reports that no session's newest request differs any more. */
      readonly asDecided: () => void;
    },
  ) {}

  /** Records what was decided; `host` is what the host would have sent. */
  recordDecision(
    sessionId: SessionId,
    sent: readonly V2Message[],
    host: readonly V2Message[],
  ): void {
    const former = this.#sessions.get(sessionId) ?? { due: null, calls: 0, same: 0, differing: 0 };
    const hosts = new Set(host);
    const ours = sent.filter((message) => !hosts.has(message)).flatMap(collectTexts);
    this.#sessions.set(sessionId, { ...former, due: ours, calls: former.calls + 1 });
  }

  /** Checks a body; a body that isn't JSON counts as not shown. */
  checkBody(sessionId: SessionId, body: string): void {
    const session = this.#sessions.get(sessionId);
    const fields = session?.due ? parseFields(body) : null;
    if (!session?.due || !fields) return;
    const isSame = containsInOrder(collectLeaves(fields), session.due);
    session.due = null;
    if (isSame) session.same += 1;
    else session.differing += 1;
    if (isSame) {
      if (this.#differing.delete(sessionId) && this.#differing.size === 0) this.deps.asDecided();
      return;
    }
    this.#differing.add(sessionId);
    this.deps.differed();
  }

  /** Builds the section for /ctx-status; null before the first request. */
  readonly section: ReadSection = () => (sessionId) => {
    const session = this.#sessions.get(sessionId);
    if (!session) return null;
    const { calls, same, differing } = session;
    const seen = same + differing;
    if (seen === 0) {
      const text = `none of ${renderCount(calls, "request")} could be checked: OpenCode shows no requests over WebSockets.`;
      return { label: "Wire", text, short: null };
    }
    const text = `${formatCount(same)} of ${renderCount(seen, "request")} went out exactly as decided.`;
    return {
      label: "Wire",
      text,
      short: differing === 0 ? null : `${formatCount(differing)} requests differ`,
    };
  };
}

/** Says whether the body's texts contain each decided text, in order. */
function containsInOrder(leaves: readonly string[], texts: readonly string[]): boolean {
  let at = 0;
  let from = 0;
  for (const text of texts) {
    for (;;) {
      const leaf = leaves[at];
      if (leaf === undefined) return false;
      const found = leaf.indexOf(text, from);
      if (found >= 0) {
        from = found + text.length;
        break;
      }
      at += 1;
      from = 0;
    }
  }
  return true;
}

/** Returns all texts of a JSON value, in order. A provider's own JSON within a text counts as one text. */
function collectLeaves(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(collectLeaves);
  return isFields(value) ? Object.values(value).flatMap(collectLeaves) : [];
}

/** Returns a message's non-empty texts, trimmed because some providers' packages trim them. */
function collectTexts({ content }: V2Message): readonly string[] {
  const texts = content.flatMap((part): readonly unknown[] => {
    if (part.type === "text") return [part.text];
    return part.type === "tool-result" ? collectLeaves(part.result.value) : [];
  });
  return texts.flatMap((text) =>
    typeof text === "string" && text.trim() !== "" ? [text.trim()] : [],
  );
}
