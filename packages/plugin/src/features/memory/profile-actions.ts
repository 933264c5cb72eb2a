// Carries out what the tool, the slash command and the CLI command of the user's profile ask for.
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { ListCall } from "./own-lists.ts";
import { refOfObservation } from "./profile-listing.ts";
import type { Observation, ProfileStore } from "./profile-table.ts";
import { saidAlready } from "./promote.ts";
import { storableText } from "./text.ts";

const MAX_CHARS = 300;
const MAX_NOTED = 60;

interface ProfileRequest {
  readonly action: string;
  /** A note's number, `all`, or a text to add. */
  readonly what: string;
  readonly text: string;
}

export class ProfileActions {
  constructor(
    private readonly store: ProfileStore,
    /** Milliseconds since 1970. */
    private readonly nowMs: number,
  ) {}

  /** Carries out a person's request. @param usage for words that make no sense. @throws UserFacingError */
  carryOut({ action, what, text }: ProfileRequest, usage: string): string {
    switch (action) {
      case "":
      case "show":
        return this.show();
      case "add":
        return this.add(what === "" ? text : what, "user");
      case "edit":
        return this.edit(what, text);
      case "forget":
        return this.forget(what);
      default:
        throw new UserFacingError(usage);
    }
  }

  /** @throws UserFacingError */
  add(written: string, by: Observation["by"]): string {
    const text = storableText(written, MAX_CHARS);
    const all = this.store.list();
    const known = saidAlready(text, all);
    if (known) return `Already stored as ${refOfObservation(known.id)}: ${known.text}`;
    if (all.length >= MAX_NOTED) {
      throw new UserFacingError(
        `There are ${MAX_NOTED} notes already; the user has to forget some first.`,
      );
    }
    return `Stored as ${refOfObservation(this.store.add({ text, by, writtenAtMs: this.nowMs }))}.`;
  }

  /** @throws UserFacingError */
  edit(ref: string, written: string): string {
    const text = storableText(written, MAX_CHARS);
    if (!this.store.edit(idIn(ref), text)) throw new UserFacingError(`There is no note ${ref}.`);
    return `New text of ${ref}: ${text}`;
  }

  /** @throws UserFacingError */
  forget(ref: string): string {
    if (ref === "all") return `Forgot all ${this.store.forgetAll()} notes for good.`;
    if (!this.store.forget(idIn(ref))) throw new UserFacingError(`There is no note ${ref}.`);
    return `Forgot ${ref} for good.`;
  }

  show(): string {
    const lines = this.store
      .list()
      .map(
        ({ id, text, by }) =>
          `${refOfObservation(id)}  ${text} (by ${by === "user" ? "you" : "the model"})`,
      );
    return lines.length === 0 ? "No notes about you yet." : lines.join("\n");
  }
}

/** Reads a call of the tool: a history keeps only its words; `Noted` stands in older ones. */
export function readCall(input: object, output: string): ListCall {
  const text: unknown = Reflect.get(input, "text");
  const [, ref] = /^(?:Stored|Noted) as (p\d+)\.$/.exec(output) ?? [];
  const said = ref !== undefined && typeof text === "string" ? [[ref, text.trim()] as const] : [];
  return { said: new Map(said), gone: [] };
}

/** @throws UserFacingError */
function idIn(ref: string): number {
  const [, id] = /^p(\d{1,9})$/.exec(ref) ?? [];
  if (id !== undefined) return Number(id);
  throw new UserFacingError("Name a note by its number, such as p3.");
}
