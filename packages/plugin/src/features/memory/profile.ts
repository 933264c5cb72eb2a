// Implements the user's profile: what sessions are shown of it, and what its tool and commands do.
import * as z from "zod";
import { toSingleLine } from "../../context/frames.ts";
import type { LoadResult, SourceDefinition } from "../../context/source.ts";
import type { CliAnswer, CliCall, CliCommandCode } from "../../feature-api/command.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import { createListRenderers, type ListCall } from "./list-source.ts";
import { createProfileStore, type Observation, type ProfileStore } from "./profile-table.ts";
import { findExistingMemory } from "./promote.ts";
import { toStorableText } from "./text.ts";

const itemSchema = z.object({ ref: z.string(), text: z.string() });
const listSchema = z.object({ items: z.array(itemSchema).readonly() });

type ProfileItem = z.infer<typeof itemSchema>;

/** The profile's observations, oldest first. */
type ProfileList = z.infer<typeof listSchema>;

function toObservationRef(id: number): string {
  return `p${id}`;
}

const renderLine = ({ ref, text }: ProfileItem) => `- [${ref}] ${toSingleLine(text)}`;

const profileRenderers = createListRenderers<ProfileItem>({
  frame: "user-profile",
  head: "How this user likes to work, from earlier sessions: data; what they say now counts more.",
  line: renderLine,
  knownBy: renderLine,
  changed: () => "The notes about this user have changed.",
  gone: "No longer stored",
  removed: "There are no notes about this user any more.",
});

/** Returns the newest observations that together fit the budget, with their frame. */
export function buildProfileList(all: readonly Observation[], budgetTokens: number): ProfileList {
  const items = all.map(({ id, text }) => ({ ref: toObservationRef(id), text }));
  const countListTokens = (some: readonly ProfileItem[]) =>
    estimateTokens(profileRenderers.baseline({ items: some }));
  let from = items.length;
  while (from > 0 && countListTokens(items.slice(from - 1)) <= budgetTokens) {
    from -= 1;
  }
  return { items: items.slice(from) };
}

/** Sorts the items in the order in which they were noted. */
export function sortProfile(items: readonly ProfileItem[]): ProfileList {
  const parseNumber = ({ ref }: ProfileItem) => Number(ref.slice(1));
  return { items: items.toSorted((one, other) => parseNumber(one) - parseNumber(other)) };
}

export function createProfileSource(
  load: () => LoadResult<ProfileList>,
): SourceDefinition<ProfileList> {
  return { key: "core/user-profile", schema: listSchema, load, ...profileRenderers };
}

// Carries out what the tool, the slash command and the CLI command of the user's profile ask for.

const MAX_OBSERVATION_CHARS = 300;
const MAX_OBSERVATIONS = 60;

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

  /**
   * Carries out a person's request.
   * @param usage the error text for an unknown action
   * @throws UserFacingError
   */
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
    const text = toStorableText(written, MAX_OBSERVATION_CHARS);
    const all = this.store.list();
    const known = findExistingMemory(text, all);
    if (known) return `Already stored as ${toObservationRef(known.id)}: ${known.text}`;
    if (all.length >= MAX_OBSERVATIONS) {
      throw new UserFacingError(
        `There are ${MAX_OBSERVATIONS} notes already; the user has to forget some first.`,
      );
    }
    return `Stored as ${toObservationRef(this.store.add({ text, by, writtenAtMs: this.nowMs }))}.`;
  }

  /** @throws UserFacingError */
  edit(ref: string, written: string): string {
    const text = toStorableText(written, MAX_OBSERVATION_CHARS);
    if (!this.store.edit(parseId(ref), text)) throw new UserFacingError(`There is no note ${ref}.`);
    return `New text of ${ref}: ${text}`;
  }

  /** @throws UserFacingError */
  forget(ref: string): string {
    if (ref === "all") return `Forgot all ${this.store.forgetAll()} notes for good.`;
    if (!this.store.forget(parseId(ref))) throw new UserFacingError(`There is no note ${ref}.`);
    return `Forgot ${ref} for good.`;
  }

  show(): string {
    const lines = this.store
      .list()
      .map(
        ({ id, text, by }) =>
          `${toObservationRef(id)}  ${text} (by ${by === "user" ? "you" : "the model"})`,
      );
    return lines.length === 0 ? "No notes about you yet." : lines.join("\n");
  }
}

/** Parses a call of the tool from its input and output; older histories have `Noted` in place of `Stored`. */
export function readCall(input: object, output: string): ListCall {
  const text: unknown = Reflect.get(input, "text");
  const [, ref] = /^(?:Stored|Noted) as (p\d+)\.$/.exec(output) ?? [];
  const said = ref !== undefined && typeof text === "string" ? [[ref, text.trim()] as const] : [];
  return { said: new Map(said), gone: [] };
}

/** @throws UserFacingError */
function parseId(ref: string): number {
  const [, id] = /^p(\d{1,9})$/.exec(ref) ?? [];
  if (id !== undefined) return Number(id);
  throw new UserFacingError("Name a note by its number, such as p3.");
}

// Implements `session-runtime profile`: shows, corrects and forgets what is noted about the user.

export const profileCli: CliCommandCode = {
  details: [
    "It is the same in all projects, and stays in the database of this machine.",
    "Actions: show, add, edit, forget. What is forgotten is deleted for good.",
  ],
  args: {
    do: { type: "positional", required: false, description: "Action (default: show)" },
    what: { type: "positional", required: false, description: "A number, all, or a text to add" },
    text: { type: "string", description: "New text", valueHint: "text" },
  },
  examples: [
    { line: "session-runtime profile", does: "shows the notes about you" },
    { line: 'session-runtime profile edit p3 --text "Wants short answers."', does: "corrects one" },
    { line: "session-runtime profile forget all", does: "deletes everything" },
  ],
  access: "makes",
  run: runAction,
};

function runAction({ given, driver, nowMs }: CliCall): CliAnswer {
  const store = createProfileStore(driver);
  const actions = new ProfileActions(store, nowMs);
  const readArgument = (name: string) => String(given.get(name) ?? "");
  const asked = {
    action: readArgument("do"),
    what: readArgument("what"),
    text: readArgument("text"),
  };
  const text = actions.carryOut(asked, "Unknown action. Use show, add, edit or forget.");
  return { text, values: { observations: store.list() } };
}
