// Implements /ctx-fold: folds at the next message and states the cost first, or asks if the fold would not pay off.
import { toSingleLine } from "../../context/frames.ts";
import type { ActionAnswer, CommandCall } from "../../feature-api/command.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { collectKeptIds } from "../../history/kept.ts";
import { type Plan, planFree } from "../../history/plan.ts";
import { FOLD_NOW, planBefore } from "../../history/policy.ts";
import { measureScale } from "../../history/scale.ts";
import type { HistorySettings } from "../../history/settings.ts";
import type { HistoryInput } from "../../history/survey.ts";
import type { ReadWrittenSegments } from "../../history/written.ts";
import { type HostMessage, isTyped } from "../../ledger/message.ts";
import { formatCount, renderCount } from "../../status/wording.ts";

// Finds the places at which /ctx-fold may end (before one of the last prompts) and what each would save.

/** Lists prompts, newest first: the last prompt has the number 1. */
function selectPrompts(messages: readonly HostMessage[]): readonly HostMessage[] {
  return messages
    .filter(({ info, parts }) => info.role === "user" && parts.some(isTyped))
    .toReversed();
}

const MAX_LISTED_PROMPTS = 8;
const MAX_PROMPT_CHARS = 60;

/**
 * Lists the last prompts with what a fold before each one would save; null if no place would save anything.
 */
function renderFoldPlaces(input: HistoryInput, settings: HistorySettings): string | null {
  const scale = measureScale(input, settings.measure);
  let best = 0;
  const lines = selectPrompts(input.messages)
    .slice(0, MAX_LISTED_PROMPTS)
    .map((prompt, index) => {
      const saved = countSavedTokens(planBefore(input, settings, prompt.info.id));
      best = Math.max(best, saved);
      const spares =
        saved === 0 ? "nothing to fold" : `spares about ${formatCount(scale * saved)} tokens`;
      return `${index + 1}. “${quoteMessage(prompt)}”: ${spares}`;
    });
  if (best === 0) return null;
  return ["`/ctx-fold before` and a number folds all work before that prompt:", "", ...lines].join(
    "\n",
  );
}

function countSavedTokens(plan: Plan | null): number {
  return Math.max(0, plan?.saved ?? 0);
}

function quoteMessage({ parts }: HostMessage): string {
  const text = parts.flatMap((part) => (isTyped(part) ? [part.text] : [])).join(" ");
  const words = toSingleLine(text).replace(/\s+/g, " ").trim();
  return words.length <= MAX_PROMPT_CHARS
    ? words
    : `${[...words].slice(0, MAX_PROMPT_CHARS).join("")}…`;
}

interface FoldContext extends Pick<FeatureContext, "nextCall" | "propose"> {
  readonly written: ReadWrittenSegments;
}

export async function proposeFold(
  { nextCall, propose, written }: FoldContext,
  settings: HistorySettings,
  { sessionId, args }: Pick<CommandCall, "sessionId" | "args">,
): Promise<ActionAnswer> {
  const asked = readArgs(args);
  if (asked === null) return createNoteAnswer(USAGE);
  const next = await nextCall(sessionId);
  const input = next && { ...next, written: written(next.messages), kept: collectKeptIds(next) };
  if (!input) return createNoteAnswer(NOTHING_TO_FOLD);
  const queueFold = (before: string | null) =>
    propose({ kind: FOLD_NOW, sessionId, urgency: "command", output: { before } });
  if (asked.place === "list")
    return createNoteAnswer(renderFoldPlaces(input, settings) ?? NOTHING_TO_FOLD);
  if (asked.place !== "usual") {
    const prompt = selectPrompts(input.messages)[asked.place - 1];
    if (!prompt)
      return createNoteAnswer(`This session has fewer than ${asked.place} prompts. ${CHOICE_HINT}`);
    const plan = planBefore(input, settings, prompt.info.id);
    if (!plan)
      return createNoteAnswer(`There is no work to fold before that prompt. ${CHOICE_HINT}`);
    queueFold(prompt.info.id);
    return createNoteAnswer(describePlan(plan, input));
  }
  const plan = planFree(input, settings, "asked");
  if (!plan) return createNoteAnswer(appendPlaces(NOTHING_TO_FOLD, input, settings));
  if (asked.price === "as it pays" && !isWorthwhile(plan, input)) {
    return createNoteAnswer(appendPlaces(describeLoss(plan, input), input, settings));
  }
  queueFold(null);
  return createNoteAnswer(describePlan(plan, input));
}

function createNoteAnswer(text: string): ActionAnswer {
  return { text, shownBy: "note" };
}

/**
 * Appends what a fold before each of the last prompts would save, for users who accept a shorter tail than
 * usual.
 */
function appendPlaces(text: string, input: HistoryInput, settings: HistorySettings): string {
  const places = renderFoldPlaces(input, settings);
  return places === null ? text : `${text}\n\n${places}`;
}

const ANYWAY_ARGUMENT = "anyway";
const BEFORE_ARGUMENT = "before";

interface FoldArguments {
  /**
   * The place at which the fold ends. A number counts prompts from the end and folds before that prompt;
   * `list` only lists them; `usual` folds everything except the tail.
   */
  readonly place: number | "list" | "usual";
  readonly price: "any" | "as it pays";
}

/** Reads the command's arguments; null if the command doesn't accept them. */
function readArgs(args: string): FoldArguments | null {
  const [word = "", ...rest] = args.trim().split(/\s+/);
  switch (word) {
    case "":
      return { place: "usual", price: "as it pays" };
    case ANYWAY_ARGUMENT:
      return rest.length === 0 ? { place: "usual", price: "any" } : null;
    case BEFORE_ARGUMENT:
      return parsePlace(rest);
    default:
      return null;
  }
}

/** Parses a place. A user who names a place has decided, so the command states the price and doesn't ask. */
function parsePlace(words: readonly string[]): FoldArguments | null {
  const [number, ...rest] = words;
  if (number === undefined) return { place: "list", price: "any" };
  return rest.length === 0 && /^[1-9]\d{0,5}$/.test(number)
    ? { place: Number(number), price: "any" }
    : null;
}

const CHOICE_HINT = `\`/ctx-fold ${BEFORE_ARGUMENT}\` lists the last ones.`;

const USAGE = `Type \`/ctx-fold\` alone, or with \`${ANYWAY_ARGUMENT}\`, or with \`${BEFORE_ARGUMENT} 3\` to fold all work before your third-last prompt. ${CHOICE_HINT}`;

/** A fold that takes more calls than this to pay off loses money in nearly every session. */
const MAX_PAYBACK_CALLS = 50;

/** Computes how many calls it takes until the savings have covered the cost. */
function countPaybackCalls({ saved, cost }: Plan, { space }: HistoryInput): number {
  if (cost === 0 && saved > 0) return 0;
  return cost / Math.max(0, space.rates.read * saved);
}

function isWorthwhile(plan: Plan, input: HistoryInput): boolean {
  return countPaybackCalls(plan, input) <= MAX_PAYBACK_CALLS;
}

function describeLoss(plan: Plan, input: HistoryInput): string {
  const scale = measureScale(input);
  const calls = countPaybackCalls(plan, input);
  const spares =
    plan.saved > 0
      ? `each call after it would read about ${formatCount(scale * plan.saved)} fewer from the cache, which is cheap`
      : "no call after it would read less";
  const earned = Number.isFinite(calls)
    ? `: it takes ${formatCount(calls)} calls to earn that back`
    : "";
  return `Folding would not pay off now. Your next message would cost up to ${formatCount(scale * plan.cost)} input tokens more, and ${spares}${earned}. Nothing was changed. To fold anyway, send \`/ctx-fold ${ANYWAY_ARGUMENT}\`.`;
}

const NOTHING_TO_FOLD =
  "There is nothing to fold: everything in this session is recent enough to be sent verbatim, or already folded.";

/** Describes what a plan will do, in the provider's tokens. */
function describePlan({ drops, folds, saved, cost }: Plan, input: HistoryInput): string {
  const scale = measureScale(input);
  const folded = folds.reduce((sum, { first, last }) => sum + countMessages(input, first, last), 0);
  const done = [
    ...(folded > 0 ? [`${renderCount(folded, "message")} folded into a record`] : []),
    ...(drops.length > 0 ? [`${renderCount(drops.length, "old part")} dropped`] : []),
  ];
  const price =
    cost === 0 ? "" : ` That call pays up to ${formatCount(scale * cost)} more, in input tokens.`;
  return `At your next message: ${done.join(", ")}. Each call is spared about ${formatCount(scale * saved)} tokens from then on.${price} Nothing is lost: /ctx-history will show the record.`;
}

function countMessages({ messages }: HistoryInput, first: string, last: string): number {
  const findPlace = (id: string) => messages.findIndex(({ info }) => info.id === id);
  return findPlace(last) - findPlace(first) + 1;
}
