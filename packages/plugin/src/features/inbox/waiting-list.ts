// Lists and edits one session's waiting prompts, in order.
import type { QueuedPrompt } from "../../feature-api/screen.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { SessionId } from "../../storage/records.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import { computePromptDigest, emptyOptions, joinText, renderPreview } from "./prompt.ts";
import type { InputRecord } from "./records.ts";

/** The waiting prompts of one session, in order; places are counted from 1. */
export class WaitingList {
  readonly length: number;

  constructor(
    private readonly deps: Pick<InboxDeps, "database" | "now">,
    private readonly sessionId: SessionId,
    /** True while nothing runs in the session. */
    readonly isIdle: boolean,
  ) {
    this.length = deps.database().inbox.countWaiting(sessionId);
  }

  /** Inputs that the host has, or has had, and that are not answered. */
  get working(): readonly InputRecord[] {
    return this.deps.database().inbox.working(this.sessionId);
  }

  listFirst(count: number): readonly InputRecord[] {
    return this.deps.database().inbox.waiting(this.sessionId, 0, count);
  }

  /** Lists the first waiting prompts with their full text. */
  listPrompts(count: number): readonly QueuedPrompt[] {
    return this.listFirst(count).map(({ id }) => {
      const parts = this.deps.database().inbox.prompt(id)?.parts ?? [];
      return {
        id,
        text: joinText(parts),
        files: parts.filter(({ type }) => type === "file").length,
      };
    });
  }

  /** @throws UserFacingError if there is no such place */
  edit(place: number, text: string): void {
    this.#expectPlace(place);
    const { inbox } = this.deps.database();
    const [input] = inbox.waiting(this.sessionId, place - 1, 1);
    const former = input && inbox.prompt(input.id);
    if (!former) throw this.#createMissingError(place);
    const parts = [{ type: "text", text }, ...former.parts.filter(({ type }) => type !== "text")];
    const digest = computePromptDigest(parts, emptyOptions);
    const edited = inbox.edit(input.id, digest, renderPreview(parts), { ...former, parts });
    if (edited === "gone") throw this.#createMissingError(place);
  }

  /**
   * Drops the prompts at places `from` to `to`.
   * @throws UserFacingError, without dropping anything, if any of the places is missing
   */
  drop(from: number, to: number): void {
    this.#expectPlace(from < 1 ? from : to);
    this.#drop(from, to);
  }

  /** Drops all waiting prompts and returns their number. */
  dropAll(): number {
    this.#drop(1, this.length);
    return this.length;
  }

  /** @throws UserFacingError if one of the places is missing */
  move(from: number, to: number): void {
    this.#expectPlace(from);
    this.#expectPlace(to);
    const moved = this.deps.database().inbox.move(this.sessionId, from - 1, to - 1);
    if (moved === "gone") throw this.#createMissingError(to);
  }

  #drop(from: number, to: number): void {
    const { inbox } = this.deps.database();
    for (const { id } of inbox.waiting(this.sessionId, from - 1, to - from + 1)) {
      inbox.settle(id, "dropped", this.deps.now());
    }
  }

  #expectPlace(place: number): void {
    if (place < 1 || place > this.length) throw this.#createMissingError(place);
  }

  #createMissingError(place: number): UserFacingError {
    const has = this.length === 0 ? "the queue is empty" : `the queue has ${this.length}`;
    return new UserFacingError(`There is no prompt ${place}: ${has}. Nothing was changed.`);
  }
}
