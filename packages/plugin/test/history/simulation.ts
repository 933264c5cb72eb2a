import { collectKeptIds } from "../../src/history/kept.ts";
import { type MessageMeasure, measureParts } from "../../src/history/measured-history.ts";
import { createHistoryPolicy } from "../../src/history/policy.ts";
import type { HistoryView } from "../../src/history/restored-parts.ts";
import type { HistorySettings } from "../../src/history/settings.ts";
import type { WrittenSegment } from "../../src/history/written.ts";
import { isAdmissible } from "../../src/ledger/admission.ts";
import { type Boundary, isCold } from "../../src/ledger/boundary.ts";
import type { Edit } from "../../src/ledger/edit.ts";
import { type Entry, findActiveEntries, listEdits } from "../../src/ledger/entry.ts";
import type { HostMessage, HostPart } from "../../src/ledger/message.ts";
import type { BoundaryView, Proposal } from "../../src/ledger/policy.ts";
import { replay } from "../../src/ledger/replay.ts";
import type { CacheRates } from "../../src/ledger/space.ts";
import { estimatePartTokens } from "../../src/ledger/tokens.ts";

const known = new WeakMap<HostMessage, MessageMeasure>();

/** What is remembered of a message hangs on its measure; here no message ever changes. */
function measure(message: HostMessage): MessageMeasure {
  const measured = known.get(message) ?? measureParts(message);
  known.set(message, measured);
  return measured;
}

export const settings: HistorySettings = {
  rewrite: "worth",
  keepTokens: "auto",
  budgetTokens: "auto",
  measure,
  wayBack: "ctx_expand",
  directory: "/project",
  keep: null,
};

export const rates: CacheRates = { read: 0.1, write: 1.25, lookBackBlocks: null };

/** Tools, the agent's prompt and the Baseline. */
export const OVERHEAD_TOKENS = 10_000;

export interface Rewrite {
  readonly boundary: Boundary["kind"];
  readonly drops: number;
  readonly folds: number;
  readonly call: number;
}

/** One session of a host, held by the policy alone: what it sends, and what the provider bills. */
export class SimulatedSession {
  readonly messages: HostMessage[] = [];
  readonly rewrites: Rewrite[] = [];
  readonly sizes: number[] = [];
  bill = 0;
  refused = 0;
  /** What a model has written of it. */
  written: readonly WrittenSegment[] = [];
  entries: Entry[] = [];
  /** What waits for a boundary. */
  proposals: readonly Proposal[] = [];
  sent: readonly HostMessage[] = [];
  #seq = 0;
  #ids = 0;

  constructor(
    private readonly usableTokens: number | null,
    private readonly policy: ReturnType<typeof createHistoryPolicy> | null = createHistoryPolicy(
      settings,
    ),
    private readonly price: CacheRates = rates,
  ) {}

  prompt(text: string): void {
    const id = this.#id("u");
    this.messages.push({
      info: { id, sessionID: "ses", role: "user" },
      parts: [this.#part(id, { type: "text", text })],
    });
  }

  /** A model call, and the answer that it makes. */
  call(...parts: readonly object[]): void {
    const size = this.send();
    const id = this.#id("a");
    const made = parts.map((part) => this.#part(id, part));
    const output = made.reduce((sum, part) => sum + estimatePartTokens(part), 0) - results(made);
    const tokens = { input: 0, output, cache: { read: size, write: 0 } };
    const info = { id, sessionID: "ses", role: "assistant", tokens } as const;
    this.messages.push({ info, parts: made });
  }

  send(boundary?: Boundary): number {
    const view = this.view(boundary);
    const paid = !isCold(view.boundary) && this.policy?.pays?.(view);
    const at: BoundaryView = paid ? { ...view, boundary: { kind: "worth" } } : view;
    const drafts = (this.policy?.draft(at) ?? []).filter(
      ({ edit }) => edit !== null && isAdmissible(edit, at),
    );
    const edits = drafts.flatMap(({ edit }) => edit ?? []);
    if (edits.length > 0) {
      const folds = edits.filter(({ verb }) => verb === "fold").length;
      this.rewrites.push({
        ...{ boundary: at.boundary.kind, folds, drops: edits.length - folds },
        call: this.sizes.length,
      });
    }
    this.commit(edits);
    const projected = replay(listEdits(this.entries), this.messages);
    const size = OVERHEAD_TOKENS + sum(projected);
    const common =
      this.sizes.length === 0 ? 0 : OVERHEAD_TOKENS + commonTokens(this.sent, projected);
    this.bill += common * this.price.read + (size - common) * this.price.write;
    if (this.usableTokens !== null && size > this.usableTokens) this.refused += 1;
    this.sizes.push(size);
    this.sent = [...projected];
    return size;
  }

  commit(edits: readonly Edit[]): void {
    for (const edit of edits) {
      this.#seq += 1;
      this.entries.push({
        ...{ seq: this.#seq, origin: "history", edit, announced: [], delta: {} },
        ...{ messageId: edit.verb === "fold" ? edit.first : "", partId: null },
      });
    }
    this.entries = [...findActiveEntries(this.entries, this.messages).entries];
  }

  view(boundary: Boundary = this.#boundary()): HistoryView {
    const projected = replay(listEdits(this.entries), this.messages);
    const index = this.messages.findLastIndex(({ info }) => info.role === "assistant") - 1;
    const messageId = this.messages[index]?.info.id;
    return {
      ...{ messages: this.messages, projected, standing: this.entries, former: [], boundary },
      ...{ claims: new Set(), undo: null, news: null, shown: [], boundedTexts: new Map() },
      ...{ hostPrune: "off", withheld: null, proposals: this.proposals, written: this.written },
      ...{ kept: collectKeptIds({ standing: this.entries, proposals: this.proposals }) },
      watermark: messageId === undefined ? null : { index, messageId },
      space: {
        estimatedTokens: OVERHEAD_TOKENS + sum(projected),
        usableTokens: this.usableTokens,
        rates: this.price,
      },
    };
  }

  #boundary(): Boundary {
    const projected = replay(listEdits(this.entries), this.messages);
    const isFull =
      this.usableTokens !== null && OVERHEAD_TOKENS + sum(projected) > 0.9 * this.usableTokens;
    return { kind: isFull ? "pressure" : "ordinary" };
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}${this.#ids}`;
  }

  #part(messageID: string, part: object): HostPart {
    return { id: this.#id("p"), messageID, sessionID: "ses", ...part } as unknown as HostPart;
  }
}

function results(parts: readonly HostPart[]): number {
  return parts.reduce((tokens, part) => {
    const { state } = part as { readonly state?: { readonly output?: string } };
    return tokens + Math.ceil((state?.output?.length ?? 0) / 4);
  }, 0);
}

function sum(messages: readonly HostMessage[]): number {
  return messages.reduce((tokens, message) => tokens + measure(message).tokens, 0);
}

function commonTokens(one: readonly HostMessage[], other: readonly HostMessage[]): number {
  let tokens = 0;
  for (const [index, message] of other.entries()) {
    const former = one[index];
    if (!former || (former !== message && !isSame(former, message))) break;
    tokens += measure(message).tokens;
  }
  return tokens;
}

function isSame(one: HostMessage, other: HostMessage): boolean {
  return JSON.stringify(one.parts) === JSON.stringify(other.parts);
}

export function ran(command: string, output: string, exit = 0): object {
  return tool("bash", { command }, output, { exit });
}

export function read(filePath: string, output: string): object {
  return tool("read", { filePath }, output);
}

export function tool(name: string, input: object, output: string, metadata: object = {}): object {
  const state = {
    ...{ status: "completed", input, output, metadata, title: "" },
    time: { start: 1, end: 2 },
  };
  return { type: "tool", tool: name, callID: "call", state };
}

export function said(text: string): object {
  return { type: "text", text };
}

/** Output of so many characters, in lines that differ. */
export function output(name: string, chars: number): string {
  let text = "";
  for (let line = 1; text.length < chars; line++) {
    text += `${name} line ${line}: checked module ${(line * 7919) % 1000} of the tree\n`;
  }
  return text.slice(0, chars);
}
