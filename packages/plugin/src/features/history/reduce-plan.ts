// Plans what `ctx_reduce` drops: results named by the words of their call, or by ref.
import { toSingleLine } from "../../context/neutralize.ts";
import { renderCall } from "../../ledger/call-words.ts";
import { type HostMessage, hasEnded, type ToolPart } from "../../ledger/message.ts";
import { deriveRef, readRef } from "../../ledger/ref.ts";
import { resultTokens } from "../../ledger/tokens.ts";

/** Names a result that can be dropped. */
interface DropTarget {
  readonly partId: string;
  readonly words: string;
  readonly tokens: number;
}

interface ReducePlan {
  /** Each match once, in the order of the history. */
  readonly matched: readonly DropTarget[];
  /** Requests that match nothing. */
  readonly unknown: readonly string[];
}

/** @param messages what the model sees, with the results as they are shown */
export function planReduce(
  messages: readonly HostMessage[],
  drop: readonly string[],
  directory: string,
): ReducePlan {
  const calls = messages.flatMap(({ parts }) => parts.filter(hasEnded));
  const known = calls.map((part) => ({ part, words: renderCall(part, directory) }));
  const partIds = new Set<string>();
  const unknown: string[] = [];
  for (const wanted of drop.slice(0, MAX_WANTED)) {
    const found = known.filter(({ part, words }) => isRequested(wanted, part, words));
    for (const { part } of found) partIds.add(part.id);
    if (found.length === 0) unknown.push(wanted);
  }
  const matched = known
    .filter(({ part }) => partIds.has(part.id))
    .map(({ part, words }) => ({ partId: part.id, words, tokens: resultTokens(part) }));
  return { matched, unknown };
}

const MAX_WANTED = 100;

/** Matches the tool's name and a piece of what it was about: `read a.ts` matches `read src/a.ts`. */
function isRequested(wanted: string, part: ToolPart, words: string): boolean {
  const ref = readRef(wanted);
  if (ref !== null && ref === deriveRef("r", part.id)) return true;
  const asked = oneLine(wanted);
  const [tool = "", ...rest] = asked.split(" ");
  const about = rest.join(" ");
  if (about === "" || tool !== part.tool.toLowerCase()) return false;
  const call = oneLine(words).slice(tool.length + 1);
  return call === about || call.endsWith(`/${about}`) || isBeginning(about, call);
}

/** A call's words are cut, and a request may be longer than them or, for a command, shorter. */
function isBeginning(about: string, call: string): boolean {
  if (call.endsWith("…")) return about.startsWith(call.slice(0, -1));
  return call.startsWith(`${about} `);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

const MAX_SHOWN = 20;

export function renderReducePlan({ matched, unknown }: ReducePlan): string {
  const tokens = matched.reduce((sum, one) => sum + one.tokens, 0);
  const lines = matched
    .slice(0, MAX_SHOWN)
    .map((one) => `- ${toSingleLine(one.words)}: ${one.tokens} tokens`);
  const more = matched.length > MAX_SHOWN ? [`- and ${matched.length - MAX_SHOWN} more`] : [];
  const noted =
    matched.length === 0
      ? []
      : [`Noted: ${results(matched.length)}, about ${tokens} tokens, will go when it pays.`];
  const missing = unknown
    .slice(0, MAX_SHOWN)
    .map((one) => `Not found: ${toSingleLine(one).slice(0, 100)}`);
  const advice =
    unknown.length === 0 && matched.length > 0
      ? []
      : ["Name a call as it was made (read src/a.ts, bash npm test) or by its ref (r:k3f9ab)."];
  return [...noted, ...lines, ...more, ...missing, ...advice].join("\n");
}

function results(count: number): string {
  return count === 1 ? "1 result" : `${count} results`;
}
