// Models that think: what history leaves out, no provider misses.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eventually } from "../../plugin/test/eventually.ts";
import { type Host, STOCK, startHost } from "../src/host/host.ts";
import { MODELS, type ModelRef, providerConfig } from "../src/host/models.ts";
import { isObject, type JsonObject, objects, text } from "../src/json.ts";
import { listContentBlocks } from "../src/provider/anthropic-rules.ts";
import { OPENROUTER_PATH } from "../src/provider/chat.ts";
import { composeThought, reasoningProblem, signReasoning } from "../src/provider/reasoning.ts";
import { type CallRecord, rejections } from "../src/provider/record.ts";
import { call, held, makeGate, say } from "../src/provider/reply.ts";
import { type MockProvider, startProvider } from "../src/provider/server.ts";
import { history, makeTalk, OURS } from "./conformance/stage.ts";

setDefaultTimeout(600_000);

const WINDOW_TOKENS = 24_000;
const OUTPUT_CHARS = 12_000;

/** Each dialect's model, which thinks, with a small window. */
const THINKING = {
  anthropic: { providerID: MODELS.anthropic.providerID, modelID: "thinking-claude" },
  chat: { providerID: MODELS.chat.providerID, modelID: "thinking-chat" },
  openrouter: { providerID: "openrouter", modelID: "anthropic/claude-thinking" },
  responses: { providerID: MODELS.responses.providerID, modelID: "gpt-5-thinking" },
  gemini: { providerID: MODELS.gemini.providerID, modelID: "gemini-3-thinking" },
} as const satisfies Readonly<Record<string, ModelRef>>;

/** Only its reasoning differs from other chat completions, so that no other test knows this provider. */
const openrouterAt = (url: string): JsonObject => ({
  npm: "@openrouter/ai-sdk-provider",
  options: { apiKey: "mock", baseURL: `${url}${OPENROUTER_PATH}v1` },
  models: {},
});

function withThinking(url: string): JsonObject {
  const thinking = {
    name: "Thinking",
    tool_call: true,
    reasoning: true,
    limit: { context: WINDOW_TOKENS, output: 4_000 },
  };
  // Of the chat's dialect, models say where their reasoning stands.
  const interleaved = { interleaved: { field: "reasoning_content" } };
  const providers: JsonObject = { ...providerConfig(url), openrouter: openrouterAt(url) };
  const added = Object.values(THINKING).map(({ providerID, modelID }) => {
    const known = providers[providerID];
    if (!isObject(known) || !isObject(known.models)) throw new Error(`no ${providerID}`);
    const model = { ...thinking, ...(providerID === THINKING.chat.providerID && interleaved) };
    return [providerID, { ...known, models: { ...known.models, [modelID]: model } }];
  });
  return { ...providerConfig(url), ...Object.fromEntries(added) };
}

describe("a provider of a thinking model refuses", () => {
  const used = (...content: readonly JsonObject[]) => ({ role: "assistant", content });
  const tool = { type: "tool_use", id: "a", name: "read", input: {} };
  const thinking = { type: "thinking", thinking: "So.", signature: signReasoning("So.") };
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

  test("OpenRouter: a call whose details are missing, changed, cut or doubled, however old", () => {
    const block = { type: "reasoning.text", text: "So.", signature: signReasoning("So.") };
    const problem = (...details: readonly JsonObject[]) =>
      reasoningProblem("openrouter", {
        messages: [
          asked,
          { role: "assistant", tool_calls: [{ id: "a" }], reasoning_details: details },
          { role: "tool" },
          asked,
        ],
      });
    const { signature, ...unsigned } = block;
    expect(problem(block)).toBeUndefined();
    expect(problem({ ...unsigned, text: "S" }, { ...block, text: "o." })).toBeUndefined();
    expect(problem()).toContain("messages[1]: reasoning_details are missing");
    for (const changed of [[unsigned], [{ ...block, text: "Else." }], [block, block]]) {
      expect(problem(...changed)).toContain("messages[1]: Invalid `signature`");
    }
    const plain = { role: "assistant", content: "Done." };
    expect(reasoningProblem("openrouter", { messages: [asked, plain] })).toBeUndefined();
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
          .flatMap(listContentBlocks)
          .filter(({ type }) => type === "thinking").length;
      case "chat":
        return objects(body.messages).filter((one) => text(one.reasoning_content) !== "").length;
      case "openrouter":
        return objects(body.messages).filter((one) => objects(one.reasoning_details).length > 0)
          .length;
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
      expect(rejections(provider.listCalls(id, "main"))).toEqual([]);
      const sent = talk.main().map(reasoningIn);
      // It is sent back at all, and some of it has left with what was left out.
      expect(sent[1]).toBe(1);
      expect(Math.max(...sent)).toBeGreaterThan(2);
      expect(sent.at(-1)).toBeLessThan(13);
      expect(history(talk.last()).some(({ text: said }) => said.includes("ctx_"))).toBe(true);
    },
  );

  /** By the signatures and texts that a request has, which answers' reasoning it sends back, in its order. */
  const thoughtsIn = ({ body }: CallRecord): readonly number[] => {
    const turns = new Map(
      Array.from({ length: 20 }, (_, turn) => [signReasoning(composeThought(turn)), turn] as const),
    );
    const marks = JSON.stringify(body).matchAll(/I think of turn (\d+)\.|sig[0-9a-z]+/g);
    return [
      ...new Set(
        [...marks].flatMap(([mark, turn]) => (turn ? Number(turn) : turns.get(mark)) ?? []),
      ),
    ];
  };

  test.each(Object.entries(THINKING))(
    "%s: a prompt that steers a running loop leaves its reasoning in place and in order",
    async (_, model) => {
      provider.script.reset();
      provider.script.thinking = "aloud";
      const { client } = host;
      const { id } = await client.createSession();
      const talk = makeTalk({ host, provider, close: async () => undefined }, client, id);
      for (const [turn, name] of ["a", "b", "c", "d"].entries()) {
        const gate = makeGate();
        const command = `head -c ${OUTPUT_CHARS} /dev/zero | tr '\\0' '${name}'`;
        const bash = call("bash", { command, description: name });
        const short = call("bash", { command: `echo ${name}`, description: "short" });
        provider.script.queueFor(id, held(gate, bash), short, say(`Did ${name}.`));
        const { settled } = await client.promptAsync(id, `Do ${name}`, { model });
        await eventually("the turn's first call is held", () => talk.main().length > 3 * turn);
        await client.promptAsync(id, `Also mind ${name}`, { model });
        await eventually("the steer is saved", async () =>
          JSON.stringify(await client.messages(id)).includes(`Also mind ${name}`),
        );
        gate.open();
        await settled;
      }
      expect(talk.main()).toHaveLength(12);
      expect(rejections(talk.main())).toEqual([]);
      const steered = talk.main().filter((_, at) => at % 3 === 1);
      for (const [turn, name] of ["a", "b", "c", "d"].entries()) {
        expect(JSON.stringify(steered[turn]?.body)).toContain(`Also mind ${name}`);
      }
      for (const [at, sent] of talk.main().entries()) {
        const thoughts = thoughtsIn(sent);
        expect(thoughts).toEqual(thoughts.toSorted((one, other) => one - other));
        // Within a loop, results of the newest answer stand last, before or behind the steer.
        if (at % 3 > 0) expect(thoughts.at(-1)).toBe(at - 1);
      }
      expect(history(talk.last()).some(({ text: told }) => told.includes("ctx_"))).toBe(true);
    },
  );
});
