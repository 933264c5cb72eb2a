// Implements `ctx_reduce`: plans what to drop, queues the plan, and applies it at a boundary.
import * as z from "zod";
import { toSingleLine } from "../../context/frames.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { openTool } from "../../feature-api/open-tool.ts";
import { collectResults } from "../../history/results.ts";
import { adaptToCall, renderStub, type StubSettings } from "../../history/stub.ts";
import { collectReplaced, createHistoryDraft } from "../../ledger/entry.ts";
import { renderCall } from "../../ledger/host-tools.ts";
import { type HostMessage, hasEnded, type ToolPart } from "../../ledger/message.ts";
import { deriveRef, readRef } from "../../ledger/ref.ts";
import { collectShownPartIds, type SentHistory } from "../../ledger/revise.ts";
import type { DraftProposal } from "../../ledger/take-proposals.ts";
import { estimateResultTokens } from "../../ledger/tokens.ts";
import { reduceTool } from "./reduce-tool.ts";

/** Describes a result that can be dropped. */
interface DropTarget {
  readonly partId: string;
  readonly words: string;
  readonly tokens: number;
}

interface ReducePlan {
  /** The matching results, each one once, in the order of the history. */
  readonly matched: readonly DropTarget[];
  /** Requests that match no result. */
  readonly unknown: readonly string[];
}

/**
 * Plans which results to drop.
 * @param messages what the model sees, with the results as they are shown
 */
export function planReduce(
  messages: readonly HostMessage[],
  drop: readonly string[],
  directory: string,
): ReducePlan {
  const calls = messages.flatMap(({ parts }) => parts.filter(hasEnded));
  const known = calls.map((part) => ({ part, words: renderCall(part, directory) }));
  const partIds = new Set<string>();
  const unknown: string[] = [];
  for (const wanted of drop.slice(0, MAX_REQUESTED_RESULTS)) {
    const found = known.filter(({ part, words }) => isRequested(wanted, part, words));
    for (const { part } of found) partIds.add(part.id);
    if (found.length === 0) unknown.push(wanted);
  }
  const matched = known
    .filter(({ part }) => partIds.has(part.id))
    .map(({ part, words }) => ({ partId: part.id, words, tokens: estimateResultTokens(part) }));
  return { matched, unknown };
}

const MAX_REQUESTED_RESULTS = 100;

/** Matches a tool's name and part of the call's subject: `read a.ts` matches `read src/a.ts`. */
function isRequested(wanted: string, part: ToolPart, words: string): boolean {
  const ref = readRef(wanted);
  if (ref !== null && ref === deriveRef("r", part.id)) return true;
  const asked = normalizeLine(wanted);
  const [tool = "", ...rest] = asked.split(" ");
  const about = rest.join(" ");
  if (about === "" || tool !== part.tool.toLowerCase()) return false;
  const call = normalizeLine(words).slice(tool.length + 1);
  return call === about || call.endsWith(`/${about}`) || matchesBeginning(about, call);
}

/**
 * Compares beginnings, because a call's words are cut, and a request may be longer or, for a command,
 * shorter.
 */
function matchesBeginning(about: string, call: string): boolean {
  if (call.endsWith("…")) return about.startsWith(call.slice(0, -1));
  return call.startsWith(`${about} `);
}

function normalizeLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

const MAX_SHOWN_RESULTS = 20;

export function renderReducePlan({ matched, unknown }: ReducePlan): string {
  const tokens = matched.reduce((sum, one) => sum + one.tokens, 0);
  const lines = matched
    .slice(0, MAX_SHOWN_RESULTS)
    .map((one) => `- ${toSingleLine(one.words)}: ${one.tokens} tokens`);
  const more =
    matched.length > MAX_SHOWN_RESULTS ? [`- and ${matched.length - MAX_SHOWN_RESULTS} more`] : [];
  const noted =
    matched.length === 0
      ? []
      : [
          `Noted: ${renderResultCount(matched.length)}, about ${tokens} tokens, will go when it pays.`,
        ];
  const missing = unknown
    .slice(0, MAX_SHOWN_RESULTS)
    .map((one) => `Not found: ${toSingleLine(one).slice(0, 100)}`);
  const advice =
    unknown.length === 0 && matched.length > 0
      ? []
      : ["Name a call as it was made (read src/a.ts, bash npm test) or by its ref (r:k3f9ab)."];
  return [...noted, ...lines, ...more, ...missing, ...advice].join("\n");
}

function renderResultCount(count: number): string {
  return count === 1 ? "1 result" : `${count} results`;
}

// Defines the proposal that `ctx_reduce` queues, and the edits that a boundary makes from it.

/** The kind of the queued proposal. */
export const REDUCE_PROPOSAL_KIND = "let-go";

/**
 * Holds ids of the parts whose results are to be dropped; a result's own text is never trusted to name them.
 */
interface ReduceProposal {
  readonly partIds: readonly string[];
}

const reduceSchema: z.ZodType<ReduceProposal> = z.object({ partIds: z.array(z.string()) });

/** Reads a queued proposal; null if another version has stored it in a different shape. */
export function readReduceProposal(output: unknown): ReduceProposal | null {
  const read = reduceSchema.safeParse(output);
  return read.success ? read.data : null;
}

/**
 * Replaces each result that is still shown by a stub. Skips parts that have announced a change or are already
 * gone.
 */
export function draftReduce(settings: StubSettings): DraftProposal {
  return (output, { messages, standing, claims, withheld }) => {
    const inThisCall = adaptToCall(settings, { withheld });
    const named = new Set(readReduceProposal(output)?.partIds);
    const replaced = collectReplaced(standing);
    return collectResults(messages).flatMap(({ messageId, partId, part, text }) => {
      if (!named.has(partId) || replaced.has(partId) || claims.has(partId)) return [];
      const stub = renderStub(part, text, "released", inThisCall);
      return [createHistoryDraft({ verb: "replace", at: { messageId, partId }, text: stub })];
    });
  };
}

// Creates the reduce feature: its tool, the tool's view of a session, and how a boundary applies what was
// queued.

const MAX_TITLE_CHARS = 80;

export function createReduceFeature({
  location: { directory },
  propose,
  sent,
}: FeatureContext): FeatureInstance {
  return {
    proposals: new Map([[REDUCE_PROPOSAL_KIND, draftReduce({ directory, wayBack: "ctx_expand" })]]),
    tools: [
      openTool(reduceTool, async ({ drop }, { sessionId }) => {
        const plan = planReduce(listShownParts(sent.get(sessionId)), drop, directory);
        const partIds = plan.matched.map(({ partId }) => partId);
        if (partIds.length > 0) {
          propose({ kind: REDUCE_PROPOSAL_KIND, sessionId, urgency: "waits", output: { partIds } });
        }
        return { title: drop.join(", ").slice(0, MAX_TITLE_CHARS), text: renderReducePlan(plan) };
      }),
    ],
  };
}

/** Lists the messages as the host has them, but only the parts that the model sees, as they were sent. */
function listShownParts(history: SentHistory | undefined): SentHistory["sent"] {
  const shown = collectShownPartIds(history);
  return (history?.sent ?? []).map(({ info, parts }) => ({
    info,
    parts: parts.filter(({ id }) => shown.has(id)),
  }));
}
