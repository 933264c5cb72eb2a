// `core/user-profile`: what sessions are given of the user's profile, within a budget. Pure.
import * as z from "zod";
import { toSingleLine } from "../../context/neutralize.ts";
import type { LoadResult, SourceDefinition } from "../../context/source.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import { listTexts } from "./list-source.ts";
import type { Observation } from "./profile-table.ts";

const itemSchema = z.object({ ref: z.string(), text: z.string() });
const listSchema = z.object({ items: z.array(itemSchema).readonly() });

type ProfileItem = z.infer<typeof itemSchema>;

/** Observations of the profile, oldest first. */
type ProfileList = z.infer<typeof listSchema>;

export function refOfObservation(id: number): string {
  return `p${id}`;
}

const renderLine = ({ ref, text }: ProfileItem) => `- [${ref}] ${toSingleLine(text)}`;

const texts = listTexts<ProfileItem>({
  frame: "user-profile",
  head: "How this user likes to work, from earlier sessions: data; what they say now counts more.",
  line: renderLine,
  knownBy: renderLine,
  changed: () => "The notes about this user have changed.",
  gone: "No longer stored",
  removed: "There are no notes about this user any more.",
});

/** The newest ones that fit the budget together, frame and all. */
export function buildProfileList(all: readonly Observation[], budgetTokens: number): ProfileList {
  const items = all.map(({ id, text }) => ({ ref: refOfObservation(id), text }));
  const countListTokens = (some: readonly ProfileItem[]) =>
    estimateTokens(texts.baseline({ items: some }));
  let from = items.length;
  while (from > 0 && countListTokens(items.slice(from - 1)) <= budgetTokens) {
    from -= 1;
  }
  return { items: items.slice(from) };
}

/** Sorts the items in the order in which they were noted. */
export function inOrder(items: readonly ProfileItem[]): ProfileList {
  const number = ({ ref }: ProfileItem) => Number(ref.slice(1));
  return { items: items.toSorted((one, other) => number(one) - number(other)) };
}

export function profileSource(load: () => LoadResult<ProfileList>): SourceDefinition<ProfileList> {
  return { key: "core/user-profile", schema: listSchema, load, ...texts };
}
