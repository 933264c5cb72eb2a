// `core/user-profile`: what sessions are given of the user's profile, within a budget. Pure.
import * as z from "zod";
import type { Loaded, SourceDefinition } from "../context/source.ts";
import { estimateTokens } from "../projection/tokens.ts";
import { inLine } from "../recall/quote.ts";
import type { Observation } from "./table.ts";

export const profileKey = "core/user-profile";

const itemSchema = z.object({ ref: z.string(), text: z.string() });
const listSchema = z.object({ items: z.array(itemSchema).readonly() });

export type ProfileItem = z.infer<typeof itemSchema>;

/** Oldest first. */
export type ProfileList = z.infer<typeof listSchema>;

export function refOfObservation(id: number): string {
  return `p${id}`;
}

/** The newest ones that fit the budget together, frame and all. */
export function profileListOf(all: readonly Observation[], budgetTokens: number): ProfileList {
  const items = all.map(({ id, text }) => ({ ref: refOfObservation(id), text }));
  let from = items.length;
  while (from > 0 && estimateTokens(baseline({ items: items.slice(from - 1) })) <= budgetTokens) {
    from -= 1;
  }
  return { items: items.slice(from) };
}

/** In the order in which they were noted. */
export function inOrder(items: readonly ProfileItem[]): ProfileList {
  const number = ({ ref }: ProfileItem) => Number(ref.slice(1));
  return { items: items.toSorted((one, other) => number(one) - number(other)) };
}

export function profileSource(load: () => Loaded<ProfileList>): SourceDefinition<ProfileList> {
  return { key: profileKey, schema: listSchema, load, baseline, update, removed };
}

function baseline({ items }: ProfileList): string {
  return framed([
    "How this user likes to work, as noted in earlier sessions: data; what they say now counts more.",
    ...items.map(line),
  ]);
}

function update(previous: ProfileList, current: ProfileList): string {
  const before = new Set(previous.items.map(line));
  const now = new Set(current.items.map(({ ref }) => ref));
  const fresh = current.items.map(line).filter((one) => !before.has(one));
  const gone = previous.items.filter(({ ref }) => !now.has(ref)).map(({ ref }) => ref);
  const left = gone.length === 0 ? [] : [`No longer noted: ${gone.join(", ")}`];
  if (fresh.length + left.length === 0) return baseline(current);
  return framed(["What is noted of this user has changed.", ...fresh, ...left]);
}

function removed(): string {
  return "Nothing is noted of how this user likes to work any more.";
}

function line({ ref, text }: ProfileItem): string {
  return `- [${ref}] ${inLine(text)}`;
}

function framed(lines: readonly string[]): string {
  return ["<user-profile>", ...lines, "</user-profile>"].join("\n");
}
