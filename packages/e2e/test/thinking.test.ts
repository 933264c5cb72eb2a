// Models that think: what history leaves out, no provider misses.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Host, STOCK, startHost } from "../src/host/host.ts";
import { MODELS, type ModelRef, providerConfig } from "../src/host/models.ts";
import { isObject, type JsonObject, objects, text } from "../src/json.ts";
import { contentOf } from "../src/provider/anthropic-rules.ts";
import { reasoningProblem, signatureOf } from "../src/provider/reasoning.ts";
import { type CallRecord, rejections } from "../src/provider/record.ts";
import { call, say } from "../src/provider/reply.ts";
import { type MockProvider, startProvider } from "../src/provider/server.ts";
import { history, makeTalk, OURS } from "./conformance/stage.ts";

setDefaultTimeout(240_000);

const WINDOW_TOKENS = 24_000;
const OUTPUT_CHARS = 12_000;

/** Each dialect's model, which thinks, with a small window. */
const THINKING = {
  anthropic: { providerID: MODELS.anthropic.providerID, modelID: "thinking-claude" },
  chat: { providerID: MODELS.chat.providerID, modelID: "thinking-chat" },
  responses: { providerID: MODELS.responses.providerID, modelID: "gpt-5-thinking" },
  gemini: { providerID: MODELS.gemini.providerID, modelID: "gemini-3-thinking" },
} as const satisfies Readonly<Record<string, ModelRef>>;

function withThinking(url: string): JsonObject {
  const thinking = {
    name: "Thinking",
    tool_call: true,
    reasoning: true,
    limit: { context: WINDOW_TOKENS, output: 4_000 },
  };
  // Of the chat's dialect, models say where their reasoning stands.
  const interleaved = { interleaved: { field: "reasoning_content" } };
  const added = Object.values(THINKING).map(({ providerID, modelID }) => {
    const known = providerConfig(url)[providerID];
    if (!isObject(known) || !isObject(known.models)) throw new Error(`no ${providerID}`);
    const model = { ...thinking, ...(providerID === THINKING.chat.providerID && interleaved) };
    return [providerID, { ...known, models: { ...known.models, [modelID]: model } }];
  });
  return { ...providerConfig(url), ...Object.fromEntries(added) };
}

describe("a provider of a thinking model refuses", () => {
  const used = (...content: readonly JsonObject[]) => ({ role: "assistant", content });
  const tool = { type: "tool_use", id: "a", name: "read", input: {} };
  const thinking = { type: "thinking", thinking: "So.", signature: signatureOf("So.") };
  const result = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "a", content: "x" }],
  };
  const asked = { role: "user", content: "Do it." };

  test("Anthropic: a changed block, and a loop whose newest answer is without its own", () => {
    const problem = (...messages: readonly JsonObject[]) =>
      reasoningProblem("anthropic", { messages });
    expect(problem(asked, used(thinking, tool), result)).toBeUndefined();
    expect(problem(asked, used(tool), result)).toContain("Expected `thinking`");
    expect(problem(asked, used({ ...thinking, thinking: "Else." }, tool), result)).toContain(
      "Invalid `signature`",
    );
    const ended = [asked, used(tool), result, used({ type: "text", text: "Done." }), asked];
    expect(problem(...ended)).toBeUndefined();
  });

  test("chat completions: a call whose reasoning is missing or empty, however old", () => {
    const called = { role: "assistant", tool_calls: [{ id: "a" }], reasoning_content: "So." };
    const problem = (message: JsonObject) =>
      reasoningProblem("chat", { messages: [asked, message, { role: "tool" }, asked] });
    expect(problem(called)).toBeUndefined();
    expect(problem({ ...called, reasoning_content: "" })).toContain("at index 1");
    expect(problem({ role: "assistant", tool_calls: [{ id: "a" }] })).toContain("is missing");
    expect(problem({ role: "assistant", content: "Done." })).toBeUndefined();
  });

  test("Responses: a call without its reasoning item, and an item without what it led to", () => {
    const item = { type: "reasoning", id: "rs", encrypted_content: "x" };
    const called = { type: "function_call", id: "fc" };
    const output = { type: "function_call_output" };
    const problem = (...input: readonly JsonObject[]) => reasoningProblem("responses", { input });
    expect(problem(asked, item, called, called, output, output, asked)).toBeUndefined();
    expect(problem(asked, called, output)).toContain("without its required 'reasoning' item");
    expect(problem(asked, item, asked)).toContain("without its required following item");
    expect(problem(asked, { ...item, encrypted_content: "" }, called)).toContain("no encrypted");
  });

  test("Gemini: a call of the turn that is going on without its signature", () => {
    const said = { role: "user", parts: [{ text: "Do it." }] };
    const called = (part: object) => ({
      role: "model",
      parts: [{ functionCall: { name: "read" }, ...part }],
    });
    const problem = (...contents: readonly JsonObject[]) =>
      reasoningProblem("gemini", { contents });
    expect(problem(said, called({ thoughtSignature: "x" }))).toBeUndefined();
    expect(problem(said, called({}))).toContain("missing a thought_signature");
    expect(problem(said, called({}), said)).toBeUndefined();
  });
});

describe("history of a session whose model thinks", () => {
  let provider: MockProvider;
  let host: Host;
  beforeAll(async () => {
    provider = await startProvider();
    host = await startHost({
      ...STOCK,
      providerUrl: provider.url,
      plugin: [OURS],
      config: { provider: withThinking(provider.url) },
    });
  });
  afterAll(async () => {
    await host.stop();
    await provider.stop();
  });

  /** The reasoning that a request has. */
  const reasoningIn = ({ dialect, body }: CallRecord): number => {
    switch (dialect) {
      case "anthropic":
        return objects(body.messages)
          .flatMap(contentOf)
          .filter(({ type }) => type === "thinking").length;
      case "chat":
        return objects(body.messages).filter((one) => text(one.reasoning_content) !== "").length;
      case "responses":
        return objects(body.input).filter(({ type }) => type === "reasoning").length;
      case "gemini":
        return objects(body.contents)
          .flatMap(({ parts }) => objects(parts))
          .filter((part) => text(part.thoughtSignature) !== "").length;
    }
  };

  test.each(Object.entries(THINKING))(
    "%s: what is dropped and folded leaves out nothing that it asks for",
    async (_, model) => {
      provider.script.reset();
      provider.script.thinking = "aloud";
      const { id } = await host.client.createSession();
      const talk = makeTalk({ host, provider, close: async () => undefined }, host.client, id);
      for (const name of ["a", "b", "c", "d", "e"]) {
        const command = `head -c ${OUTPUT_CHARS} /dev/zero | tr '\\0' '${name}'`;
        const bash = call("bash", { command, description: name });
        const short = call("bash", { command: `echo ${name}`, description: "short" });
        provider.script.queueFor(id, bash, short, say(`Did ${name}.`));
        await talk.say(`Do ${name}`, { model });
      }
      expect(rejections(provider.callsOf(id, "main"))).toEqual([]);
      const sent = talk.main().map(reasoningIn);
      // It is sent back at all, and some of it has left with what was left out.
      expect(sent[1]).toBe(1);
      expect(Math.max(...sent)).toBeGreaterThan(2);
      expect(sent.at(-1)).toBeLessThan(13);
      expect(history(talk.last()).some(({ text: said }) => said.includes("ctx_"))).toBe(true);
    },
  );
});
