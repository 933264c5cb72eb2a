// The mock of Gemini.
import { promptTokens } from "../billing/rates.ts";
import { type Block, createBlock } from "../block.ts";
import { isObject, type JsonObject, objects, text } from "../json.ts";
import { type Answer, type Dialect, deltas, type SseEvent } from "./dialect.ts";
import { signReasoning } from "./reasoning.ts";

/** Gemini's streamGenerateContent. */
export const gemini: Dialect = {
  name: "gemini",
  caching: "automatic",
  handles: (path) => path.endsWith(":streamGenerateContent"),
  model: (path) => path.replace(/^.*\/models\//, "").replace(/:[^:]*$/, ""),
  blocks,
  rejection,
  events,
  failure: (code, message) => ({
    error: { code, message, status: code === 400 ? "INVALID_ARGUMENT" : "UNAVAILABLE" },
  }),
};

function systemParts(body: JsonObject): readonly JsonObject[] {
  return isObject(body.systemInstruction) ? objects(body.systemInstruction.parts) : [];
}

function blocks(body: JsonObject): readonly Block[] {
  const functions = objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations));
  return [
    ...functions.map((declaration) => createBlock("tools", "tool", declaration)),
    ...systemParts(body).map((part) => createBlock("system", "system", part)),
    ...objects(body.contents).flatMap((content) =>
      objects(content.parts).map((part) => createBlock("messages", text(content.role), part)),
    ),
  ];
}

function rejection(body: JsonObject): string | undefined {
  const contents = objects(body.contents);
  if (contents.length === 0) return "contents is not specified";
  if (systemParts(body).some((part) => !text(part.text))) return "systemInstruction: empty text";
  if (contents[0]?.role !== "user") return "contents: the first turn must be the user's";
  for (const [index, content] of contents.entries()) {
    if (content.role !== "user" && content.role !== "model") {
      return `contents[${index}]: Please use a valid role: user, model.`;
    }
    const parts = objects(content.parts);
    if (parts.length === 0) return `contents[${index}].parts must not be empty`;
    if (parts.some((part) => part.text === "")) return `contents[${index}]: empty text parameter`;
  }
  return pairingProblem(contents);
}

/** The number of responses must equal the number of calls, in the turn right after them. */
function pairingProblem(contents: readonly JsonObject[]): string | undefined {
  let calls = 0;
  let responses = 0;
  for (const [index, content] of contents.entries()) {
    const parts = objects(content.parts);
    const settled = calls === responses;
    responses += parts.filter((part) => part.functionResponse).length;
    const asked = parts.filter((part) => part.functionCall).length;
    if (content.role === "model" && !settled) return unequal(index);
    calls += asked;
    if (responses > calls) return unequal(index);
  }
  return calls === responses ? undefined : unequal(contents.length - 1);
}

function unequal(index: number): string {
  return (
    `contents[${index}]: Please ensure that the number of function response parts is equal ` +
    "to the number of function call parts of the function call turn."
  );
}

function events(answer: Answer): readonly SseEvent[] {
  const parts: readonly JsonObject[] = [
    ...deltas(answer.reasoning).map((delta) => ({ text: delta, thought: true })),
    ...deltas(answer.text).map((delta) => ({ text: delta })),
    ...answer.calls.map(({ name, input }, index) => ({
      functionCall: { name, args: input },
      // The first call of an answer alone has one.
      ...(answer.reasoning && index === 0
        ? { thoughtSignature: signReasoning(answer.reasoning) }
        : {}),
    })),
  ];
  return parts.map((part, index) => {
    const last = index === parts.length - 1;
    const candidate = {
      index: 0,
      content: { role: "model", parts: [part] },
      ...(last ? { finishReason: "STOP" } : {}),
    };
    return { data: { candidates: [candidate], usageMetadata: toUsage(answer) } };
  });
}

function toUsage({ usage }: Answer): JsonObject {
  const prompt = promptTokens(usage);
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: usage.readTokens,
    candidatesTokenCount: usage.outputTokens,
    totalTokenCount: prompt + usage.outputTokens,
  };
}
