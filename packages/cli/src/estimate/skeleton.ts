// Reduces a host's session to a skeleton without words: sizes, kinds, times, and the results that steps used.
// Folder: Estimates what past sessions would have cost with the plugin: `session-runtime estimate`.
import { toFields } from "@session-runtime/opencode/context/fields";
import {
  classifyTool,
  listIdentifyingArguments,
} from "@session-runtime/opencode/ledger/host-tools";
import {
  type HostMessage,
  hasEnded,
  isReasoning,
  isText,
  isTool,
  readResultText,
  type ToolPart,
} from "@session-runtime/opencode/ledger/message";
import { jsonLength } from "../simulation/json-length.ts";
import type { RecordedCall, RecordedSession, RecordedStep } from "../simulation/recorded.ts";
import { Uses } from "./uses.ts";

/** Builds the skeleton. Pure; it reads each text once. Compactions are left out, because a replay makes its own. */
export function buildSkeleton(
  messages: readonly HostMessage[],
  { name, model }: { readonly name: string; readonly model: string },
): RecordedSession {
  const reader = new SkeletonReader();
  for (const [at, message] of messages.entries()) {
    if (isOfCompaction(message, messages[at - 1])) continue;
    if (message.info.role === "user") reader.prompt(message);
    else reader.step(message);
  }
  return { session: name, model, harness: "opencode", turns: reader.turns };
}

/** Says whether the message is a summary, the request for it, or the host's prompt to continue after it. */
function isOfCompaction(message: HostMessage, before: HostMessage | undefined): boolean {
  const { info, parts } = message;
  if (info.role === "assistant") return isSummary(message);
  if (parts.some(({ type }) => type === "compaction")) return true;
  const isHosts = parts.length > 0 && parts.every((part) => isText(part) && part.synthetic);
  return isHosts && before !== undefined && isSummary(before);
}

export function isSummary({ info }: HostMessage): boolean {
  return toFields(info).summary === true;
}

type Turn = { chars: number; steps: RecordedStep[] };

class SkeletonReader {
  readonly turns: Turn[] = [];
  readonly #uses = new Uses();
  readonly #targets = new Map<string, number>();
  #results = 0;
  #beganMs: number | null = null;

  prompt(message: HostMessage): void {
    const text = joinWords(message);
    this.#uses.prompt(text);
    this.turns.push({ chars: jsonLength(text), steps: [] });
  }

  step(message: HostMessage): void {
    const tools = message.parts.filter(isTool);
    const words = joinWords(message);
    if (tools.length === 0 && words === "") return;
    const inputs = tools.map(({ state }) => toFields(state.input));
    const needs = this.#uses.step({
      texts: [words, ...inputs.flatMap(textsIn)],
      editedText: inputs.flatMap(listEditedTexts).join("\n"),
    });
    const calls = tools.map((tool) => this.#call(tool));
    const chars = jsonLength(words) + jsonLength(joinThoughts(message));
    const step = { chars, calls, needs: [...needs] };
    const s = this.#elapsedSeconds(message);
    this.#turn().steps.push(s === null ? step : { s, ...step });
  }

  #call(part: ToolPart): RecordedCall {
    const input = toFields(part.state.input);
    const result = this.#results;
    this.#results += 1;
    const text = hasEnded(part) ? readResultText(part) : "";
    this.#uses.result(result, text);
    const from = Number(input.offset);
    return {
      tool: classifyTool(part.tool) === "other" && part.tool !== "task" ? "other" : part.tool,
      target: this.#target(part.tool, input),
      ...(classifyTool(part.tool) === "read" && from > 0 ? { from } : {}),
      chars: JSON.stringify(input).length,
      result,
      resultChars: jsonLength(text),
      ...(part.state.status === "completed" ? {} : { failed: true }),
    };
  }

  /** Returns the number of a call's target; a file has the same number for every tool. */
  #target(tool: string, input: Readonly<Record<string, unknown>>): number {
    const says = listIdentifyingArguments(tool)?.map((name) => input[name]) ?? [tool, input];
    const key = typeof input.filePath === "string" ? input.filePath : JSON.stringify(says);
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    this.#targets.set(key, this.#targets.size);
    return this.#targets.size - 1;
  }

  /** Returns the seconds since the first step; null where the host recorded no time. */
  #elapsedSeconds({ info }: HostMessage): number | null {
    const createdMs = toFields(toFields(info).time).created;
    if (typeof createdMs !== "number") return null;
    this.#beganMs ??= createdMs;
    return Math.max(0, createdMs - this.#beganMs) / 1000;
  }

  #turn(): Turn {
    const last = this.turns.at(-1);
    if (last) return last;
    const first: Turn = { chars: 1, steps: [] };
    this.turns.push(first);
    return first;
  }
}

function joinWords({ parts }: HostMessage): string {
  return parts.flatMap((part) => (isText(part) && !part.ignored ? [part.text] : [])).join("\n");
}

/** Joins the reasoning, which is sent again with the answer that it led to. */
function joinThoughts({ parts }: HostMessage): string {
  return parts.flatMap((part) => (isReasoning(part) ? [part.text] : [])).join("\n");
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Lists the old and new lines that an edit names. */
function listEditedTexts(input: Readonly<Record<string, unknown>>): readonly string[] {
  const { oldString, newString, patchText } = input;
  const edits = Array.isArray(input.edits) ? input.edits.flatMap(listEditedTexts) : [];
  const patch = typeof patchText === "string" ? [patchText.replace(/^[ +-]/gm, "")] : [];
  return [oldString, newString].filter((text) => typeof text === "string").concat(patch, edits);
}
