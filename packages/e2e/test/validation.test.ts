import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../src/json.ts";
import { anthropic } from "../src/provider/anthropic.ts";
import { chat } from "../src/provider/chat.ts";
import { gemini } from "../src/provider/gemini.ts";
import { responses } from "../src/provider/responses.ts";

const user = (...content: readonly Json[]): JsonObject => ({ role: "user", content });
const assistant = (...content: readonly Json[]): JsonObject => ({ role: "assistant", content });
const words = (text: string): JsonObject => ({ type: "text", text });
const use = (id: string): JsonObject => ({ type: "tool_use", id, name: "read", input: {} });
const result = (id: string): JsonObject => ({ type: "tool_result", tool_use_id: id, content: "x" });

describe("Anthropic refuses", () => {
  const marked = { ...words("x"), cache_control: { type: "ephemeral" } };
  const cases: readonly [string, readonly JsonObject[]][] = [
    ["at least one message", []],
    ["first message must use the user role", [assistant(words("x"))]],
    ["unexpected role", [user(words("x")), { role: "system", content: "x" }]],
    ["non-empty content", [user()]],
    ["non-whitespace", [user(words(" \n"))]],
    ["without tool_result", [user(words("x")), assistant(use("1")), user(words("y"))]],
    ["without tool_result", [user(words("x")), assistant(use("1"))]],
    ["unexpected tool_use_id", [user(words("x"), result("1"))]],
    ["must come first", [user(words("x")), assistant(use("1")), user(words("y"), result("1"))]],
    ["trailing whitespace", [user(words("x")), assistant(words("y "))]],
    ["maximum of 4", [user(marked, marked, marked, marked, marked)]],
  ];
  test.each(cases)("%s", (reason, messages) => {
    expect(anthropic.rejection({ messages })).toContain(reason);
  });

  test("nothing of a valid tool turn with text after its results", () => {
    const messages = [user(words("x")), assistant(use("1"), use("2"))];
    const settled = [user(result("1"), result("2")), user(words("y"))];
    expect(anthropic.rejection({ messages: [...messages, ...settled] })).toBeUndefined();
  });
});

describe("OpenAI chat refuses", () => {
  const asked = { role: "assistant", content: null, tool_calls: [{ id: "1" }] };
  const hello = { role: "user", content: "x" };
  const cases: readonly [string, readonly JsonObject[]][] = [
    [
      "at the beginning",
      [{ role: "system", content: "a" }, { role: "system", content: "b" }, hello],
    ],
    ["must be the user's", [{ role: "assistant", content: "x" }]],
    ["is empty", [{ role: "user", content: "" }]],
    ["followed by tool messages", [hello, asked, hello]],
    ["follows no matching", [hello, { role: "tool", tool_call_id: "1", content: "x" }]],
  ];
  test.each(cases)("%s", (reason, messages) => {
    expect(chat.rejection({ messages })).toContain(reason);
  });
});

describe("OpenAI Responses refuses", () => {
  const hello = { role: "user", content: [{ type: "input_text", text: "x" }] };
  const cases: readonly [string, readonly JsonObject[]][] = [
    ["No tool output found", [hello, { type: "function_call", call_id: "1" }]],
    ["No tool call found", [hello, { type: "function_call_output", call_id: "1" }]],
    ["must not be empty", [{ role: "user", content: [] }]],
  ];
  test.each(cases)("%s", (reason, input) => {
    expect(responses.rejection({ input })).toContain(reason);
  });
});

describe("Gemini refuses", () => {
  const hello = { role: "user", parts: [{ text: "x" }] };
  const asked = { role: "model", parts: [{ functionCall: { name: "read" } }] };
  const settled = { role: "user", parts: [{ functionResponse: { name: "read" } }] };
  const cases: readonly [string, readonly JsonObject[]][] = [
    ["must be the user's", [asked]],
    ["must not be empty", [{ role: "user", parts: [] }]],
    ["empty text", [{ role: "user", parts: [{ text: "" }] }]],
    ["number of function response parts", [hello, asked]],
    ["number of function response parts", [hello, asked, asked, settled]],
    ["number of function response parts", [hello, settled]],
  ];
  test.each(cases)("%s", (reason, contents) => {
    expect(gemini.rejection({ contents })).toContain(reason);
  });

  test("nothing of a valid tool turn", () => {
    expect(gemini.rejection({ contents: [hello, asked, settled] })).toBeUndefined();
  });
});

describe("Instructions in mid-conversation, by rule", () => {
  const told = { role: "system", content: [words("News.")] };
  const opus = (...messages: readonly JsonObject[]) =>
    anthropic.rejection({ model: "claude-opus-5", messages }, "by-rule");

  test("Anthropic takes one after a user turn, last or before an assistant's", () => {
    expect(opus(user(words("x")), told)).toBeUndefined();
    expect(opus(user(words("x")), told, assistant(words("y")), user(words("z")))).toBeUndefined();
    const settled = [assistant(use("1")), user(result("1"))];
    expect(opus(user(words("x")), ...settled, told)).toBeUndefined();
  });

  test.each([
    ["top-level 'system'", [told, user(words("x"))]],
    ["must follow a user turn", [user(words("x")), assistant(words("y")), told]],
    ["must be last or precede", [user(words("x")), told, user(words("y"))]],
    ["must be last or precede", [user(words("x")), told, told]],
    ["must follow a user turn", [user(words("x")), assistant(use("1")), told, user(result("1"))]],
    ["must be text", [user(words("x")), { role: "system", content: [] }]],
  ])("Anthropic refuses: %s", (reason, messages) => {
    expect(opus(...messages)).toContain(reason);
  });

  test("models before, and strict backends, refuse all of them", () => {
    const messages = [user(words("x")), told];
    for (const model of ["claude-opus-4-7", "claude-sonnet-4-5"]) {
      expect(anthropic.rejection({ model, messages }, "by-rule")).toContain("unexpected role");
    }
    const hello = { role: "user", content: "x" };
    const news = { role: "system", content: "News." };
    expect(chat.rejection({ messages: [hello, news] })).toContain("at the beginning");
    expect(chat.rejection({ messages: [hello, news] }, "by-rule")).toBeUndefined();
    expect(responses.rejection({ input: [hello, news] })).toContain("at the beginning");
    expect(responses.rejection({ input: [hello, news] }, "by-rule")).toBeUndefined();
  });

  test("OpenAI chat takes none between a call and its result", () => {
    const asked = { role: "assistant", content: null, tool_calls: [{ id: "1" }] };
    const news = { role: "system", content: "News." };
    const answer = { role: "tool", tool_call_id: "1", content: "x" };
    const messages = [{ role: "user", content: "x" }, asked, news, answer];
    expect(chat.rejection({ messages }, "by-rule")).toContain("followed by tool messages");
  });
});
