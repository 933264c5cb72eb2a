// Judges a trial: loaded, frozen, updated, and where it breaks.
import type { WireCall, WireMessage } from "./stub-provider.ts";
import { PROMPTS, SECOND_WORD, type Trial } from "./trial.ts";

/** Holds what a finished trial shows of the plugin. */
export interface Verdict {
  /** Says whether the plugin's commands are there. */
  readonly isLoaded: boolean;
  /** Says whether each call's bytes are a prefix of the next one's, although facts have changed. */
  readonly isFrozen: boolean;
  /** Says whether the change was announced exactly once. */
  readonly isAnnounced: boolean;
  /** The first difference that should not be there; null where there is none. */
  readonly break: PrefixBreak | null;
}

export interface PrefixBreak {
  readonly place: "system" | "messages";
  /** The texts around the first difference, shortened. */
  readonly before: string;
  readonly after: string;
}

const LOADED_COMMAND = "ctx-status";
const EXCERPT = 60;

export function judgeTrial({ calls, commands }: Extract<Trial, { kind: "ran" }>): Verdict {
  const found = firstBreak(calls);
  const last = calls.at(-1);
  const tellings = last?.messages.flatMap(({ texts }) => texts).filter(announces).length ?? 0;
  return {
    isLoaded: commands.includes(LOADED_COMMAND),
    isFrozen: calls.length >= PROMPTS.length && found === null,
    isAnnounced: tellings === 1,
    break: found,
  };
}

/** Describes a break, with the texts around it in curly quotes, which a report for others leaves out. */
export function describeChange({ place, before, after }: PrefixBreak): string {
  const where = place === "system" ? "In the system prompt" : "In the messages";
  return `${where}, ${quoted(before)} became ${quoted(after)}.`;
}

/** Removes quoted texts from a report: its own curly quotes mark where foreign text begins and ends. */
export function withoutQuotes(text: string): string {
  return text.replace(/\u201c[^\u201d]*\u201d/g, "\u201c\u2026\u201d");
}

function quoted(text: string): string {
  const plain = text.replace(/[\u201c\u201d]/g, '"').replace(/[\p{Cc}\p{Cf}]+/gu, " ");
  return `\u201c${plain.trim()}\u201d`;
}

function announces(text: string): boolean {
  return text.includes("<system-update>") && text.includes(SECOND_WORD);
}

function firstBreak(calls: readonly WireCall[]): PrefixBreak | null {
  for (const [index, call] of calls.entries()) {
    const next = calls[index + 1];
    const found = next && breakBetween(call, next);
    if (found) return found;
  }
  return null;
}

function breakBetween(call: WireCall, next: WireCall): PrefixBreak | null {
  const inSystem = parting(call.system.join("\n"), next.system.join("\n"));
  if (inSystem) return { place: "system", ...inSystem };
  const flat = ({ role, texts }: WireMessage) => [role, ...texts].join("\n");
  for (const [index, message] of call.messages.entries()) {
    const other = next.messages[index];
    const found = parting(flat(message), other === undefined ? "" : flat(other));
    if (found) return { place: "messages", ...found };
  }
  return null;
}

function parting(left: string, right: string): Omit<PrefixBreak, "place"> | null {
  if (left === right) return null;
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  const excerpt = (text: string) => text.slice(Math.max(0, at - EXCERPT / 2), at + EXCERPT);
  return { before: excerpt(left), after: excerpt(right) };
}
