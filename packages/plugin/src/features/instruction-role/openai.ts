// Lowers updates in OpenAI bodies: chat completions and Responses.
import { unwrapUpdate } from "../../context/frames.ts";
import {
  type JsonObject,
  type LoweredBody,
  type SentUpdate,
  toObjects,
  UpdateFinder,
} from "./body.ts";

/** Describes which property of a request holds the conversation, and how a text in a message is marked. */
interface OpenAiShape {
  readonly conversation: "messages" | "input";
  readonly textType: "text" | "input_text";
  /** The role of instructions if the request itself has none. */
  readonly role: "system" | "developer";
}

export const chatShape: OpenAiShape = {
  conversation: "messages",
  textType: "text",
  role: "system",
};

export const responsesShape: OpenAiShape = {
  conversation: "input",
  textType: "input_text",
  role: "developer",
};

/**
 * Lowers updates for OpenAI chat completions and Responses. An instruction may stand anywhere between
 * messages of the user and the assistant, but not among results. It gets the role that the host gave to the
 * request's own instructions.
 */
export function lowerOpenAiBody(
  shape: OpenAiShape,
  body: JsonObject,
  wanted: readonly SentUpdate[],
): LoweredBody | null {
  const messages = toObjects(body[shape.conversation]);
  if (!messages) return null;
  const finder = new UpdateFinder(wanted);
  const role = readLeadingRole(messages) ?? shape.role;
  const native: number[] = [];
  const displaced: number[] = [];
  const lowered = messages.flatMap((message, index) => {
    if (isResult(shape, message)) {
      const next = messages[index + 1];
      const place = next && isResult(shape, next) ? "among results" : "last result";
      const result = splitResult(shape, message, finder, place);
      native.push(...result.nativeSeqs);
      displaced.push(...result.displacedSeqs);
      return [result.message, ...result.updates.map((content) => ({ role, content }))];
    }
    const runs = collectRuns(shape, message, finder);
    const ranks = runs.flatMap((run) => run.seq ?? []);
    native.push(...ranks);
    if (ranks.length === 0) return [message];
    return runs.map((run) => toMessage(shape, message, role, run));
  });
  return {
    body: { ...body, [shape.conversation]: lowered },
    nativeSeqs: native,
    displacedSeqs: displaced,
  };
}

function isResult({ conversation }: OpenAiShape, { role, type }: JsonObject): boolean {
  return conversation === "messages" ? role === "tool" : type === "function_call_output";
}

interface SplitResult {
  readonly message: JsonObject;
  /** The updates, each as a message in the instruction role. */
  readonly updates: readonly string[];
  readonly nativeSeqs: readonly number[];
  readonly displacedSeqs: readonly number[];
}

function splitResult(
  { conversation }: OpenAiShape,
  message: JsonObject,
  finder: UpdateFinder,
  place: "among results" | "last result",
): SplitResult {
  const field = conversation === "messages" ? "content" : "output";
  const end = finder.matchResult(message[field]);
  if (end === null) return { message, updates: [], nativeSeqs: [], displacedSeqs: [] };
  const ranks = end.updates.map(({ seq }) => seq);
  if (place === "among results") {
    return { message, updates: [], nativeSeqs: [], displacedSeqs: [...end.inside, ...ranks] };
  }
  return {
    message: ranks.length === 0 ? message : { ...message, [field]: end.own },
    updates: end.updates.map(({ text }) => unwrapUpdate(text)),
    nativeSeqs: ranks,
    displacedSeqs: end.inside,
  };
}

function readLeadingRole(messages: readonly JsonObject[]): "system" | "developer" | null {
  const role = messages[0]?.role;
  return role === "system" || role === "developer" ? role : null;
}

/** A single update, or a run of adjoining blocks from the user. */
interface BlockRun {
  readonly seq: number | null;
  readonly blocks: readonly JsonObject[];
}

function collectRuns(
  shape: OpenAiShape,
  message: JsonObject,
  finder: UpdateFinder,
): readonly BlockRun[] {
  if (message.role !== "user") return [];
  const { content } = message;
  const blocks =
    typeof content === "string" ? [{ type: shape.textType, text: content }] : toObjects(content);
  const runs: { seq: number | null; blocks: JsonObject[] }[] = [];
  for (const block of blocks ?? []) {
    const seq = block.type === shape.textType ? finder.match(block.text) : null;
    const last = runs.at(-1);
    if (seq === null && last?.seq === null) last.blocks.push(block);
    else runs.push({ seq, blocks: [block] });
  }
  return runs;
}

function toMessage(
  shape: OpenAiShape,
  message: JsonObject,
  role: "system" | "developer",
  { seq, blocks }: BlockRun,
): JsonObject {
  const [block] = blocks;
  if (seq !== null) return { role, content: unwrapUpdate(String(block?.text)) };
  // The host's package writes a message that consists of one text in this way.
  const isPlain = shape.conversation === "messages" && blocks.length === 1;
  const content = isPlain && block?.type === shape.textType ? block.text : blocks;
  return { ...message, content };
}
