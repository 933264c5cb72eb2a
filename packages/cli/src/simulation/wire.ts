// Splits a request into blocks, counted about as a provider does.
import {
  type HostMessage,
  type HostPart,
  hasEnded,
  hasSentContent,
  isReasoning,
  isText,
  isTool,
  readSentResultText,
} from "@session-runtime/opencode/ledger/message";
import { BYTES_PER_TOKEN } from "@session-runtime/opencode/ledger/tokens";
import { jsonLength } from "./json-length.ts";

/** Describes the smallest unit that a provider caches. */
export interface WireBlock {
  /** The block's key, which is equal for equal bytes. */
  readonly key: string;
  readonly says: "text" | "call" | "result";
  readonly partId: string;
  readonly tokens: number;
}

/** Holds the blocks of one message for the provider; a host's message becomes one or two of them. */
export type WireMessage = readonly WireBlock[];

/** Counts the bytes of field names, ids and brackets around a text, a call and a result. */
const TEXT_FRAME = 25;
const CALL_FRAME = 64;
const RESULT_FRAME = 62;
const QUOTES = 2;

interface Size {
  readonly length: number;
  readonly bytes: number;
}

/** Builds the provider's messages, remembered by message and by part, so that a session's texts are counted once. */
export class Wire {
  readonly #messages = new WeakMap<HostMessage, readonly WireMessage[]>();
  readonly #blocks = new Map<string, WireBlock>();

  /** Returns the provider's messages; an answer with calls becomes two: the calls, and their results. */
  toWireMessages(message: HostMessage): readonly WireMessage[] {
    const known = this.#messages.get(message);
    if (known) return known;
    const { parts } = message;
    const said = parts.flatMap((part) => this.#said(part));
    const results = parts.flatMap((part) => this.#result(part));
    const sent = [said, results].filter(({ length }) => length > 0);
    this.#messages.set(message, sent);
    return sent;
  }

  #said(part: HostPart): readonly WireBlock[] {
    if (isText(part)) return hasSentContent(part) ? [this.#block(part.id, "text", part.text)] : [];
    if (isReasoning(part)) return [this.#block(part.id, "text", part.text)];
    if (!isTool(part)) return [];
    const input = JSON.stringify(part.state.input ?? {});
    const bytes = input.length + part.tool.length + CALL_FRAME;
    return [this.#remembered(part.id, "call", { length: input.length, bytes })];
  }

  #result(part: HostPart): readonly WireBlock[] {
    return hasEnded(part) ? [this.#block(part.id, "result", readSentResultText(part))] : [];
  }

  #block(partId: string, says: "text" | "result", text: string): WireBlock {
    const frame = says === "text" ? TEXT_FRAME : RESULT_FRAME;
    const bytes = jsonLength(text) + QUOTES + frame;
    return this.#remembered(partId, says, { length: text.length, bytes });
  }

  /** Returns the same object for the same bytes, by which a known prefix is found. */
  #remembered(partId: string, says: WireBlock["says"], { length, bytes }: Size): WireBlock {
    const key = `${partId} ${says} ${length}`;
    const known = this.#blocks.get(key);
    if (known) return known;
    const block = { key, says, partId, tokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
    this.#blocks.set(key, block);
    return block;
  }
}
