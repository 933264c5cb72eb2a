// Simulates one session: the host's messages, what history's policy makes of them, and each call's bill.

import { createHistoryPolicy } from "@session-runtime/opencode/history/policy";
import type { HistoryView } from "@session-runtime/opencode/history/restored-parts";
import type { HistorySettings } from "@session-runtime/opencode/history/settings";
import { isAdmissible } from "@session-runtime/opencode/ledger/admission";
import type { Boundary } from "@session-runtime/opencode/ledger/boundary";
import type { Edit } from "@session-runtime/opencode/ledger/edit";
import { type Entry, findActiveEntries } from "@session-runtime/opencode/ledger/entry";
import type { HostMessage, HostPart } from "@session-runtime/opencode/ledger/message";
import type { Policy } from "@session-runtime/opencode/ledger/policy";
import { estimateCallTokens } from "@session-runtime/opencode/ledger/space";
import { compacted } from "./compaction.ts";
import type { SyntheticCall } from "./made-up.ts";
import { type PromptBill, ProviderCache } from "./provider-cache.ts";
import type { Model } from "./settings.ts";
import { Wire, type WireBlock, type WireMessage } from "./wire.ts";

/** Describes a rewrite: what a boundary dropped and folded. */
export interface Rewrite {
  /** The index of the rewrite's call. */
  readonly call: number;
  readonly boundary: Boundary["kind"];
  readonly drops: number;
  readonly folds: number;
  /** The extra cost of its call, in input tokens. */
  readonly cost: number;
}

interface Call extends PromptBill {
  readonly kind: "main" | "compaction";
}

/** Simulates a session; a null `history` simulates the host alone. */
export class SimulatedSession {
  readonly calls: Call[] = [];
  readonly rewrites: Rewrite[] = [];
  /** Counts the calls after a pause that outlasted the provider's cache. */
  coldCalls = 0;
  refused = 0;
  #messages: HostMessage[] = [];
  #projected: HostMessage[] = [];
  /** The projection as a provider receives it. */
  #wired: WireMessage[] = [];
  #entries: readonly Entry[] = [];
  #seq = 0;
  #ids = 0;
  #sentAtMs: number | null = null;
  /** The tokens of the newest answer, with its prompt. */
  #reportedTokens = 0;
  readonly #wire = new Wire();
  readonly #cache: ProviderCache;
  readonly #policy: Policy | null;

  constructor(
    private readonly model: Model,
    history: HistorySettings | null,
  ) {
    this.#cache = new ProviderCache(model.frontTokens, model);
    this.#policy = history && createHistoryPolicy(history);
  }

  /** Returns what is sent, message by message, as a provider caches it. */
  get sentBlocks(): readonly (readonly [HostMessage, readonly WireBlock[]])[] {
    return this.#projected.map((message) => [message, this.#wire.toWireMessages(message).flat()]);
  }

  /** Returns the messages as they are sent. */
  get sent(): readonly HostMessage[] {
    return this.#projected;
  }

  prompt(text: string): void {
    const id = this.#id("u");
    this.#add({
      info: { id, sessionID, role: "user" },
      parts: [this.#part(id, { type: "text", text })],
    });
  }

  /** Makes a model call. Its answer is added separately, since it depends on what was sent. */
  send(atMs: number): void {
    this.#compactWhereFull(atMs);
    const idleMs = atMs - (this.#sentAtMs ?? atMs);
    const isCold = idleMs > this.model.ttlMs;
    if (isCold) this.coldCalls += 1;
    const rewritten = this.#decide(isCold ? { kind: "idle", idleMs } : null);
    const billed = this.#cache.bill(this.#wired, atMs);
    this.#sentAtMs = atMs;
    if (billed.tokens > this.model.windowTokens) this.refused += 1;
    if (rewritten)
      this.rewrites.push({
        ...rewritten,
        call: this.calls.length,
        cost: this.#lost(billed, isCold),
      });
    this.calls.push({ ...billed, kind: "main" });
  }

  answer({
    said,
    calls,
  }: {
    readonly said: string;
    readonly calls: readonly SyntheticCall[];
  }): void {
    const id = this.#id("a");
    const parts = [
      ...(said === "" ? [] : [this.#part(id, { type: "text", text: said })]),
      ...calls.map((call) => this.#part(id, toolPart(call))),
    ];
    const prompt = this.calls.at(-1)?.tokens ?? 0;
    const output = Math.ceil(
      (said.length + JSON.stringify(calls.map(({ input }) => input)).length) / 4,
    );
    this.#reportedTokens = prompt + output;
    const tokens = { input: prompt, output, cache: { read: 0, write: 0 } };
    const info = { id, sessionID, role: "assistant", tokens } as const;
    this.#add({ info, parts });
  }

  #add(message: HostMessage): void {
    this.#messages.push(message);
    this.#projected.push(message);
    this.#wired.push(...this.#wire.toWireMessages(message));
  }

  #project(messages: readonly HostMessage[]): void {
    this.#projected = [...messages];
    this.#wired = messages.flatMap((message) => this.#wire.toWireMessages(message));
  }

  #decide(idle: Boundary | null): Pick<Rewrite, "boundary" | "drops" | "folds"> | null {
    if (!this.#policy) return null;
    const view = this.#view(idle);
    const pays = view.boundary.kind === "ordinary" && this.#policy.pays?.(view) === true;
    const at = pays ? { ...view, boundary: { kind: "worth" } as const } : view;
    const edits = this.#policy
      .draft(at)
      .flatMap(({ edit }) => (edit !== null && isAdmissible(edit, at) ? [edit] : []));
    if (edits.length === 0) return null;
    this.#commit(edits);
    const folds = edits.filter(({ verb }) => verb === "fold").length;
    return { boundary: at.boundary.kind, folds, drops: edits.length - folds };
  }

  #commit(edits: readonly Edit[]): void {
    const fresh = edits.map((edit): Entry => {
      this.#seq += 1;
      return { seq: this.#seq, edit, ...OF_HISTORY };
    });
    const { entries, projection } = findActiveEntries([...this.#entries, ...fresh], this.#messages);
    this.#entries = entries;
    this.#project(projection.messages);
  }

  #view(idle: Boundary | null): HistoryView {
    const index = this.#messages.findLastIndex(({ info }) => info.role === "assistant") - 1;
    const messageId = this.#messages[index]?.info.id;
    const { usableTokens, rates } = this.model;
    const estimatedTokens = this.#estimated();
    const isFull = estimatedTokens > FULL_SHARE * usableTokens;
    return {
      messages: this.#messages,
      projected: this.#projected,
      standing: this.#entries,
      boundary: idle ?? { kind: isFull ? "pressure" : "ordinary" },
      watermark: messageId === undefined ? null : { index, messageId },
      space: { estimatedTokens, usableTokens, rates },
      ...NOTHING_ELSE,
    };
  }

  /** Estimates the call. A rewrite is decided at its call, so the answers' figures describe what is sent now. */
  #estimated(): number {
    return estimateCallTokens(this.#projected, () => false);
  }

  /** Computes the extra cost, against a call that reads all that the one before it sent. */
  #lost({ readTokens }: PromptBill, isCold: boolean): number {
    const former = this.calls.at(-1)?.tokens ?? 0;
    const { read, write } = this.model.rates;
    return isCold ? 0 : (write - read) * Math.max(0, former - readTokens);
  }

  /**
   * Compacts as the host does: after an answer that leaves no space, whatever its calls brought, and where the
   * provider refuses the call.
   */
  #compactWhereFull(atMs: number): void {
    if (this.#policy || this.calls.length === 0) return;
    const isFull = this.#reportedTokens >= this.model.usableTokens;
    if (!isFull && this.#estimated() <= this.model.windowTokens) return;
    const made = compacted(this.#messages, this.model);
    const { rates } = this.model;
    const bill = made.promptTokens * rates.write;
    this.calls.push({ kind: "compaction", tokens: made.promptTokens, readTokens: 0, bill });
    this.#messages = [...made.messages];
    this.#project(made.messages);
    this.#sentAtMs = atMs;
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}${this.#ids}`;
  }

  #part(messageID: string, part: object): HostPart {
    return { id: this.#id("p"), messageID, sessionID, type: "text", ...part };
  }
}

const sessionID = "simulated";

/** The share of the usable space at which a boundary counts as full, because the size is an estimate. */
const FULL_SHARE = 0.9;

/** Holds the fields of a history entry besides its edit. */
const OF_HISTORY = {
  origin: "history",
  announced: [],
  delta: {},
  messageId: "",
  partId: null,
} as const;

/** Fills the fields of a view that only other policies read. */
const NOTHING_ELSE = {
  former: [],
  claims: new Set<string>(),
  undo: null,
  news: null,
  shown: [],
  boundedTexts: new Map<string, string>(),
  proposals: [],
  written: [],
  kept: new Set<string>(),
  hostPrune: "off",
  withheld: null,
} as const;

function toolPart({ result, tool, input, outcome, text }: SyntheticCall): object {
  const time = { start: 0, end: 0 };
  const state =
    outcome === "done"
      ? { status: "completed", input, output: text, metadata: {}, title: "", time }
      : { status: "error", input, error: text, time };
  return { type: "tool", tool, callID: String(result), state };
}
