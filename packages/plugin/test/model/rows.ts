import { type HostPart, isTool, type TextPart, type ToolPart } from "../../src/ledger/message.ts";
import type { AssistantInfo, UserInfo } from "../../src/session/history.ts";
import type { Agent, ModelName } from "./world.ts";
import { models } from "./world.ts";

/** A row of the host's own database: a message with its parts. */
export interface Row {
  readonly info: UserInfo | AssistantInfo;
  readonly parts: HostPart[];
}

export interface Author {
  readonly agent: Agent;
  readonly model: ModelName;
}

interface CompactionPart extends HostPart {
  readonly type: "compaction";
  /** The first row of the kept tail. */
  readonly tailStartId: string | null;
}

/** The rows of one session in the order of their ids, as OpenCode 1.18.33 keeps them. */
export class Rows {
  readonly #all: Row[] = [];
  #made = 0;
  #said = 0;

  constructor(readonly sessionId: string) {}

  get all(): readonly Row[] {
    return this.#all;
  }

  /** Ids ascend and are never used again, not even after an undo. */
  #id(kind: "msg" | "prt"): string {
    this.#made += 1;
    return `${kind}_${this.sessionId}_${String(this.#made).padStart(5, "0")}`;
  }

  user(author: Author, created: number, text: string, system: string | null = null): Row {
    const { providerId: providerID, modelId: modelID } = models[author.model];
    const info: UserInfo = {
      id: this.#id("msg"),
      sessionID: this.sessionId,
      role: "user",
      agent: author.agent,
      model: { providerID, modelID },
      ...(system === null ? {} : { system }),
      time: { created },
    };
    const row: Row = { info, parts: [] };
    if (text !== "") row.parts.push(this.text(row, text));
    this.#all.push(row);
    return row;
  }

  assistant(author: Author, created: number, info: Partial<AssistantInfo>): Row {
    const { providerId: providerID, modelId: modelID } = models[author.model];
    const row: Row = {
      info: {
        id: this.#id("msg"),
        sessionID: this.sessionId,
        role: "assistant",
        agent: author.agent,
        parentID: this.newestUser()?.info.id ?? "",
        providerID,
        modelID,
        time: { created, completed: created },
        ...info,
      },
      parts: [],
    };
    this.#all.push(row);
    return row;
  }

  compaction(author: Author, created: number, tailStartId: string | null): Row {
    const row = this.user(author, created, "");
    const part: CompactionPart = { ...this.#place(row), type: "compaction", tailStartId };
    row.parts.push(part);
    return row;
  }

  /** A text that stands nowhere else. */
  say(kind: string): string {
    this.#said += 1;
    return `${kind} ${this.#said} of ${this.sessionId}`;
  }

  /** The first of the last rows that a compaction keeps; null where it keeps none. */
  tailStart(count: number): string | null {
    if (count === 0) return null;
    const from = this.#all.findLastIndex(
      (row) => findCompaction(row) || (row.info.role === "assistant" && row.info.summary),
    );
    return (
      this.#all
        .slice(from + 1)
        .slice(1)
        .at(-count)?.info.id ?? null
    );
  }

  text(row: Row, text: string, flags: Partial<TextPart> = {}): TextPart {
    return { ...this.#place(row), type: "text", text, ...flags };
  }

  tool(row: Row, tool: string, output: string, metadata: Record<string, unknown>): ToolPart {
    const place = this.#place(row);
    const time = { start: 1, end: 2 };
    const state = { status: "completed", input: {}, output, metadata, time } as const;
    return { ...place, type: "tool", tool, callID: `call_${place.id}`, state };
  }

  failedTool(row: Row, tool: string, error: string): ToolPart {
    const place = this.#place(row);
    const state = { status: "error", input: {}, error } as const;
    return { ...place, type: "tool", tool, callID: `call_${place.id}`, state };
  }

  /** The host's prune: blanks the results of all turns but the newest. */
  prune(nowMs: number): void {
    const newest = this.#all.findLastIndex(({ info }) => info.role === "user");
    for (const row of this.#all.slice(0, newest)) {
      for (const [index, part] of row.parts.entries()) {
        const pruned = blanked(part, nowMs);
        if (pruned) row.parts[index] = pruned;
      }
    }
  }

  /** Removes the row and all that came after it, as the prompt after a revert does. */
  removeFrom(index: number): void {
    this.#all.splice(index);
  }

  newestUser(): Row | null {
    return this.#all.findLast(({ info }) => info.role === "user") ?? null;
  }

  /** The rows again under new ids, in another session. */
  copyInto(other: Rows): void {
    const ids = new Map(this.#all.map((row) => [row.info.id, other.#id("msg")]));
    const renamed = (id: string) => ids.get(id) ?? id;
    for (const row of this.#all) {
      const id = renamed(row.info.id);
      const sessionID = other.sessionId;
      const parts = row.parts.map((part) => {
        const copy = { ...part, id: other.#id("prt"), messageID: id, sessionID };
        return isCompaction(copy) && copy.tailStartId !== null
          ? { ...copy, tailStartId: renamed(copy.tailStartId) }
          : copy;
      });
      const { info } = row;
      const named = { id, sessionID };
      if (info.role === "user") other.#all.push({ info: { ...info, ...named }, parts });
      else {
        const parentID = renamed(info.parentID);
        other.#all.push({ info: { ...info, ...named, parentID }, parts });
      }
    }
  }

  /** What the host reads of them for a model call (filterCompacted), as objects of its own. */
  visible(): Row[] {
    const at = this.#all.findLastIndex((row) => findCompaction(row) && this.#hidesHead(row));
    const row = this.#all[at];
    if (!row) return structuredClone(this.#all);
    const summary = this.#all[at + 1];
    const tailStartId = findCompaction(row)?.tailStartId ?? null;
    const tailStart = this.#all.findIndex(({ info }) => info.id === tailStartId);
    const tail = tailStart < 0 ? [] : this.#all.slice(tailStart, at);
    const head = summary ? [row, summary] : [row];
    return structuredClone([...head, ...tail, ...this.#all.slice(at + 2)]);
  }

  /** A finished compaction; also one with a tail that failed: the head is gone all the same. */
  #hidesHead(row: Row): boolean {
    const summary = this.#all[this.#all.indexOf(row) + 1];
    const done = summary?.info.role === "assistant" && summary.info.finish && !summary.info.error;
    return Boolean(done) || findCompaction(row)?.tailStartId !== null;
  }

  #place(row: Row) {
    return { id: this.#id("prt"), messageID: row.info.id, sessionID: this.sessionId };
  }
}

function findCompaction(row: Row): CompactionPart | undefined {
  return row.parts.find(isCompaction);
}

function isCompaction(part: HostPart): part is CompactionPart {
  return part.type === "compaction";
}

function blanked(part: HostPart, nowMs: number): ToolPart | null {
  if (!isTool(part) || part.state.status !== "completed") return null;
  const time = { ...part.state.time, compacted: nowMs };
  return { ...part, state: { ...part.state, time } };
}
