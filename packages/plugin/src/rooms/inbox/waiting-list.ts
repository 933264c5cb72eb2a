// What waits in one session's queue, in order.

import type { QueuedPrompt } from "../../features/screen.ts";
import type { SessionId } from "../../storage/records.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import { nothingAsked, previewOf, promptDigest, textOf } from "./prompt.ts";
import type { InputRecord } from "./records.ts";

/** What waits in one session's queue, in order; places are counted from 1. */
export class WaitingList {
  readonly length: number;

  constructor(
    private readonly deps: Pick<InboxDeps, "database" | "now">,
    private readonly sessionId: SessionId,
    /** Whether nothing runs in the session. */
    readonly isIdle: boolean,
  ) {
    this.length = deps.database().inbox.countWaiting(sessionId);
  }

  /** Inputs that the host has, or had, and that are not answered. */
  get working(): readonly InputRecord[] {
    return this.deps.database().inbox.working(this.sessionId);
  }

  shown(count: number): readonly InputRecord[] {
    return this.deps.database().inbox.waiting(this.sessionId, 0, count);
  }

  /** The same, with their text in full. */
  prompts(count: number): readonly QueuedPrompt[] {
    return this.shown(count).map(({ id }) => {
      const parts = this.deps.database().inbox.prompt(id)?.parts ?? [];
      return { id, text: textOf(parts), files: parts.filter(({ type }) => type === "file").length };
    });
  }

  edit(place: number, text: string): "edited" | "gone" {
    const input = this.#at(place);
    const former = input && this.deps.database().inbox.prompt(input.id);
    if (!input || !former) return "gone";
    const parts = [{ type: "text", text }, ...former.parts.filter(({ type }) => type !== "text")];
    const digest = promptDigest(parts, nothingAsked);
    const prompt = { ...former, parts };
    return this.deps.database().inbox.edit(input.id, digest, previewOf(parts), prompt);
  }

  /** Takes out places `from` to `to`; nothing where one of them is missing. */
  drop(from: number, to: number): "dropped" | "gone" {
    if (from < 1 || to > this.length) return "gone";
    const { inbox } = this.deps.database();
    for (const { id } of inbox.waiting(this.sessionId, from - 1, to - from + 1)) {
      inbox.settle(id, "dropped", this.deps.now());
    }
    return "dropped";
  }

  /** How many there were. */
  dropAll(): number {
    this.drop(1, this.length);
    return this.length;
  }

  move(from: number, to: number): "moved" | "gone" {
    if (Math.min(from, to) < 1 || Math.max(from, to) > this.length) return "gone";
    return this.deps.database().inbox.move(this.sessionId, from - 1, to - 1);
  }

  #at(place: number): InputRecord | null {
    if (place < 1) return null;
    return this.deps.database().inbox.waiting(this.sessionId, place - 1, 1)[0] ?? null;
  }
}
