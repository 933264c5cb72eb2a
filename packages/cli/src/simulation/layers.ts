// Splits a simulated bill by what the prompts hold, and by whether it was read or written.

import {
  type HostMessage,
  hasEnded,
  readResultText,
} from "@session-runtime/opencode/ledger/message";
import { isSyntheticPart } from "@session-runtime/opencode/ledger/revise";
import type { CallPosition } from "./play.ts";
import { listSteps, type RecordedSession } from "./recorded.ts";
import type { SimulatedSession } from "./session.ts";
import type { Model } from "./settings.ts";
import type { WireBlock } from "./wire.ts";

export const LAYERS = [
  ...["tools and system", "folded record", "words", "arguments"],
  ...["results used again", "results not used again", "stubs"],
] as const;

type Layer = (typeof LAYERS)[number];

/** Holds a layer's cost, in input tokens. */
interface LayerCost {
  readonly readCost: number;
  readonly writeCost: number;
  /** The cost of writing text that was sent before. */
  readonly rewriteCost: number;
}

/** Sums up the calls of one session; its `watch` is passed to `play`. */
export class LayerBill {
  readonly #spent = new Map<Layer, LayerCost>();
  readonly #written = new Set<string>();
  /** The ids of messages that were sent. */
  readonly #sent = new Set<string>();
  #rewrittenFor = 0;
  /** Maps each result to the last step that uses it. */
  readonly #lastUses = new Map<number, number>();

  constructor(
    recorded: RecordedSession,
    private readonly model: Pick<Model, "rates" | "frontTokens">,
  ) {
    for (const [step, { needs }] of listSteps(recorded).entries()) {
      for (const result of needs) this.#lastUses.set(result, step);
    }
  }

  of(layer: Layer): LayerCost {
    return this.#spent.get(layer) ?? { readCost: 0, writeCost: 0, rewriteCost: 0 };
  }

  /** Returns the cost of rewriting what was sent, without new messages: records, stubs, and old text again. */
  get rewritten(): number {
    return this.#rewrittenFor;
  }

  readonly watch = (session: SimulatedSession, { step }: Pick<CallPosition, "step">): void => {
    const call = session.calls.at(-1);
    if (!call) return;
    const isWarm = session.rewrites
      .slice(-1)
      .some(({ call, boundary }) => call === session.calls.length - 1 && boundary !== "idle");
    let unread = call.readTokens;
    const add = (layer: Layer, key: string, tokens: number) => {
      const read = Math.min(tokens, unread);
      unread -= read;
      this.#add(layer, key, { read, written: tokens - read });
      return tokens - read;
    };
    add("tools and system", "", this.model.frontTokens);
    for (const [message, blocks] of session.sentBlocks) {
      const isKnown = this.#sent.has(message.info.id);
      this.#sent.add(message.info.id);
      for (const block of blocks) {
        const isOld = isKnown || isRecord(message, block);
        const written = add(this.#classifyLayer(message, block, step), block.key, block.tokens);
        if (isWarm && isOld) this.#rewrittenFor += this.model.rates.write * written;
      }
    }
  };

  #add(
    layer: Layer,
    key: string,
    { read, written }: { readonly read: number; readonly written: number },
  ): void {
    const { rates } = this.model;
    const former = this.of(layer);
    const isAgain = this.#written.has(key);
    this.#written.add(key);
    this.#spent.set(layer, {
      readCost: former.readCost + rates.read * read,
      writeCost: former.writeCost + (isAgain ? 0 : rates.write * written),
      rewriteCost: former.rewriteCost + (isAgain ? rates.write * written : 0),
    });
  }

  #classifyLayer(message: HostMessage, block: WireBlock, step: number): Layer {
    const { says, partId } = block;
    if (isRecord(message, block)) return "folded record";
    switch (says) {
      case "text":
        return "words";
      case "call":
        return "arguments";
      case "result":
        return this.#layerOfResult(message, partId, step);
    }
  }

  #layerOfResult({ parts }: HostMessage, partId: string, step: number): Layer {
    const part = parts.find(({ id }) => id === partId);
    if (!part || !hasEnded(part)) return "results not used again";
    // Made-up results never begin with a bracket.
    if (readResultText(part).startsWith("[")) return "stubs";
    const lastUse = this.#lastUses.get(Number(part.callID)) ?? -1;
    return lastUse >= step ? "results used again" : "results not used again";
  }
}

/** Says whether a block is a fold's text, which is in a message of the user's. */
function isRecord({ parts }: HostMessage, { partId }: WireBlock): boolean {
  return parts.some((part) => part.id === partId && isSyntheticPart(part));
}
