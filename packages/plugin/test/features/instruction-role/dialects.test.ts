import { describe, expect, test } from "bun:test";
import { lowerAnthropicBody } from "../../../src/features/instruction-role/anthropic.ts";
import {
  chatShape,
  lowerOpenAiBody,
  responsesShape,
} from "../../../src/features/instruction-role/openai.ts";
import { assistant, plain, standing, system, user, words, wrapped } from "./stage.ts";

const result = { type: "tool_result", tool_use_id: "1", content: "x" };
const marker = { cache_control: { type: "ephemeral" } };

describe("M6: places that Anthropic allows", () => {
  test("M6: last, behind the user's text", () => {
    const body = { model: "m", messages: [user(words("Hello"), words(wrapped("a")))] };
    expect(lowerAnthropicBody(body, standing("a"))).toEqual({
      body: { model: "m", messages: [user(words("Hello")), system(words(plain("a")))] },
      nativeSeqs: [2],
      displacedSeqs: [],
    });
  });

  test("M6: behind tool results, before the assistant, with its cache marker", () => {
    const update = { ...words(wrapped("a")), ...marker };
    const messages = [user(words("Hello")), assistant(words("x")), user(result, update)];
    const body = { messages: [...messages, assistant(words("y"))] };
    expect(lowerAnthropicBody(body, standing("a"))?.body.messages).toEqual([
      ...messages.slice(0, 2),
      user(result),
      system({ ...words(plain("a")), ...marker }),
      assistant(words("y")),
    ]);
  });

  test("M6: never two in a row: neighbours are blocks of one message", () => {
    const body = { messages: [user(words("x"), words(wrapped("a")), words(wrapped("b")))] };
    const lowered = lowerAnthropicBody(body, standing("a", "b"));
    expect(lowered?.body.messages).toEqual([
      user(words("x")),
      system(words(plain("a")), words(plain("b"))),
    ]);
    expect(lowered?.nativeSeqs).toEqual([2, 3]);
  });

  test.each([
    ["a later text of the same turn", [user(words("x"), words(wrapped("a")), words("y"))]],
    ["a later message of the user's", [user(words("x"), words(wrapped("a"))), user(words("y"))]],
    ["no text of the user's before it", [user(words(wrapped("a")))]],
  ])("M6: displaced by %s, the request is left as it is", (_why, messages) => {
    const lowered = lowerAnthropicBody({ messages }, standing("a"));
    expect(lowered).toEqual({ body: { messages }, nativeSeqs: [], displacedSeqs: [2] });
  });

  test("what is not an update, stands elsewhere or is another's word is left alone", () => {
    const messages = [
      assistant(words(wrapped("a"))),
      user({ type: "tool_result", tool_use_id: "1", content: wrapped("a") }, words("plain")),
      { role: "user", content: wrapped("a") },
    ];
    expect(lowerAnthropicBody({ messages }, standing("a"))).toEqual({
      body: { messages },
      nativeSeqs: [],
      displacedSeqs: [],
    });
  });

  test("of equal texts, the one that was told is found by its rank among them", () => {
    const twice = [user(words("x"), words(wrapped("a"))), assistant(words("y"))];
    const body = { messages: [...twice, user(words("z"), words(wrapped("a")))] };
    const [, second] = standing("a", "a");
    const lowered = lowerAnthropicBody(body, second ? [second] : []);
    expect(lowered?.nativeSeqs).toEqual([3]);
    expect(lowered?.body.messages).toEqual([...twice, user(words("z")), system(words(plain("a")))]);
  });

  test("a body of another shape is not touched", () => {
    for (const messages of [undefined, "text", [1], [null]]) {
      expect(lowerAnthropicBody({ messages }, standing("a"))).toBeNull();
    }
  });
});

describe("M6: in a result", () => {
  const ended = (own: string, ...texts: readonly string[]) =>
    [own, ...texts.map(wrapped)].join("\n\n");
  const inResult = (...texts: readonly string[]) =>
    standing(...texts).map((update) => ({ ...update, place: "result" as const }));
  const said = (content: unknown) => ({ ...result, content });

  test("M6: Anthropic: it stands after the result, which is what the tool said", () => {
    const body = { messages: [user(said("first")), user(said(ended("x", "a", "b")))] };
    const lowered = lowerAnthropicBody(body, inResult("a", "b"));
    expect(lowered).toEqual({
      body: {
        messages: [
          user(said("first")),
          user(said("x")),
          system(words(plain("a")), words(plain("b"))),
        ],
      },
      nativeSeqs: [2, 3],
      displacedSeqs: [],
    });
  });

  test("M6: Anthropic: out of a result with a picture, before updates of the user's text", () => {
    const picture = { type: "image", source: "data" };
    const content = [words(ended("x", "a")), picture];
    const body = { messages: [user(said(content), words(wrapped("b")))] };
    const [first, second] = [...inResult("a"), ...standing("c", "b").slice(1)];
    const lowered = lowerAnthropicBody(body, first && second ? [first, second] : []);
    expect(lowered?.body.messages).toEqual([
      user(said([words("x"), picture])),
      system(words(plain("a")), words(plain("b"))),
    ]);
  });

  test.each([
    ["a text of the user's", [user(said(ended("x", "a")), words("go on"))]],
    ["a result", [user(said(ended("x", "a")), said("y"))]],
    ["an update that is not asked for", [user(said(ended("x", "a", "other")))]],
    ["a message of the user's", [user(said(ended("x", "a"))), user(words("go on"))]],
  ])("M6: Anthropic: displaced by %s after it, the request is left as it is", (_why, messages) => {
    const lowered = lowerAnthropicBody({ messages }, inResult("a"));
    expect(lowered).toEqual({ body: { messages }, nativeSeqs: [], displacedSeqs: [2] });
  });

  test("M6: OpenAI: a message of its own after the results", () => {
    const tool = (content: string) => ({ role: "tool", tool_call_id: "1", content });
    const messages = [tool("y"), tool(ended("x", "a")), assistant(words("z"))];
    expect(lowerOpenAiBody(chatShape, { messages }, inResult("a"))?.body.messages).toEqual([
      tool("y"),
      tool("x"),
      { role: "system", content: plain("a") },
      messages[2],
    ]);
    const output = (text: string) => ({ type: "function_call_output", call_id: "1", output: text });
    const input = [output(ended("x", "a"))];
    expect(lowerOpenAiBody(responsesShape, { input }, inResult("a"))?.body.input).toEqual([
      output("x"),
      { role: "developer", content: plain("a") },
    ]);
  });

  test.each([
    ["among results", ended("x", "a"), "y"],
    ["before an update that is not asked for", ended("x", "a", "other"), null],
  ])("M6: OpenAI: %s it is displaced", (_where, content, next) => {
    const tool = (text: string) => ({ role: "tool", tool_call_id: "1", content: text });
    const messages = [tool(content), ...(next === null ? [] : [tool(next)])];
    const lowered = lowerOpenAiBody(chatShape, { messages }, inResult("a"));
    expect(lowered).toEqual({ body: { messages }, nativeSeqs: [], displacedSeqs: [2] });
  });

  test("of equal ends, the one that was told is found by its rank among them", () => {
    const messages = [user(said(ended("forged", "a"))), user(said(ended("x", "a")))];
    const second = inResult("a", "a").slice(1);
    expect(lowerAnthropicBody({ messages }, second)?.body.messages).toEqual([
      messages[0],
      user(said("x")),
      system(words(plain("a"))),
    ]);
  });
});

describe("M6: OpenAI", () => {
  test("M6: chat: a message of its own, in the role of the request's own instructions", () => {
    const leading = { role: "developer", content: "Be brief." };
    const messages = [leading, { role: "user", content: wrapped("a") }];
    expect(lowerOpenAiBody(chatShape, { messages }, standing("a"))?.body.messages).toEqual([
      leading,
      { role: "developer", content: plain("a") },
    ]);
  });

  test("M6: chat: taken out of the user's message, what is left reads as the host writes it", () => {
    const image = { type: "image_url", image_url: { url: "data:" } };
    const content = [words("x"), words(wrapped("a")), image, words("y"), words(wrapped("b"))];
    const lowered = lowerOpenAiBody(
      chatShape,
      { messages: [user(...content)] },
      standing("a", "b"),
    );
    expect(lowered?.body.messages).toEqual([
      { role: "user", content: "x" },
      { role: "system", content: plain("a") },
      user(image, words("y")),
      { role: "system", content: plain("b") },
    ]);
    expect(lowered?.nativeSeqs).toEqual([2, 3]);
  });

  test("M6: Responses: an item of its own; the user's keep their parts", () => {
    const input = (text: string) => ({ type: "input_text", text });
    const call = { type: "function_call", call_id: "1" };
    const body = { input: [user(input("x"), input(wrapped("a"))), call] };
    expect(lowerOpenAiBody(responsesShape, body, standing("a"))?.body.input).toEqual([
      user(input("x")),
      { role: "developer", content: plain("a") },
      call,
    ]);
  });

  test("a body without a conversation is not touched", () => {
    expect(lowerOpenAiBody(chatShape, { input: [] }, standing("a"))).toBeNull();
  });
});

test("what else a body holds, keeps its bytes", () => {
  const raw = `{"model":"m","z":1e21,"2":"b","1":"a","s":"\\ud800","messages":[{"role":"user","content":[${JSON.stringify(words("x"))},${JSON.stringify(words(wrapped("a")))}]}]}`;
  const before = JSON.stringify(JSON.parse(raw));
  const lowered = lowerAnthropicBody(JSON.parse(before), standing("a"));
  const after = JSON.stringify(lowered?.body);
  const common = before.indexOf(',{"type":"text","text":"<system-update>');
  expect(after.slice(0, common)).toBe(before.slice(0, common));
});
