import { describe, expect, test } from "bun:test";
import { parseStatedLimit } from "../../../src/features/history/create-limits.ts";
import { MOST_FOR_FOURFOLD, timesAsLong } from "../../processor-time.ts";

/** As providers write them. */
const STATED: readonly (readonly [string, number])[] = [
  ["prompt is too long: 210000 tokens > 200000 maximum", 200_000],
  [
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 207791 tokens > 200000 maximum"}}',
    200_000,
  ],
  [
    "The model returned the following errors: prompt is too long: 200049 tokens > 200000 maximum",
    200_000,
  ],
  [
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    200_000,
  ],
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130563 tokens. Please reduce the length of the messages.",
    128_000,
  ],
  [
    "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the messages, 10000 in the completion).",
    16_384,
  ],
  [
    "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens.",
    262_144,
  ],
  [
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (120000 of text input, 4000 of tool input, 16000 in the output).",
    131_072,
  ],
  ["Input length 9000 exceeds the maximum context length (8192).", 8_192],
  ["The request exceeds the model's maximum context length of 131,072 tokens", 131_072],
  [
    "Prompt contains 159123 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
    131_072,
  ],
  [
    "The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).",
    1_048_576,
  ],
  ["The input token count exceeds the maximum number of tokens allowed 1048576.", 1_048_576],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
  ["prompt token count of 135427 exceeds the limit of 128000", 128_000],
  [
    "request (5120 tokens) exceeds the available context size (4096 tokens), try increasing it",
    4_096,
  ],
  [
    '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5120,"n_ctx":4096}}',
    4_096,
  ],
  [
    "Trying to keep the first 5321 tokens when context overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    4_096,
  ],
  ["The input (265330 tokens) is longer than the model's context length (262144 tokens).", 262_144],
  ["The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4_096],
  ["Invalid request: Your request exceeded model token limit: 262144 (requested: 291402)", 262_144],
  ["Input exceeds the maximum allowed input length of 131072 tokens", 131_072],
  ["prompt has 9,120 tokens, but the configured context size is 8,192 tokens", 8_192],
  ["InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", 129_024],
  [
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32769. Given: 40000 `inputs` tokens and 4096 `max_new_tokens`",
    32_769,
  ],
];

describe("LS6: the limit that a refusal states", () => {
  for (const [text, tokens] of STATED) {
    test(`is read from: ${text.slice(0, 90)}`, () => expect(parseStatedLimit(text)).toBe(tokens));
  }
});

/** They name no limit of the model, or a number that is something else. */
const UNSTATED: readonly string[] = [
  "",
  "Your input exceeds the context window of this model.",
  "input is too long for requested model",
  "Please reduce the length of the messages or completion.",
  "prompt too long; exceeded max context length by 123456 tokens",
  "invalid params, context window exceeds limit (2013)",
  "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-opus",
  "max_tokens is too large: 200000. This model supports at most 16384 completion tokens",
  "Request too large for gpt-4.1 on tokens per min (TPM): Limit 30000, Requested 40000. This model's maximum context length is 1047576 tokens.",
  "Rate limit reached: prompt is too long: 210000 tokens > 200000 maximum",
  "400 status code (no body)",
  "prompt is too long: many tokens > 200000 maximum",
];

describe("a refusal without one", () => {
  for (const text of UNSTATED) {
    test(text.slice(0, 90), () => expect(parseStatedLimit(text)).toBeNull());
  }
});

describe("a limit that can't be", () => {
  const anthropic = (limit: string) => `prompt is too long: 9 tokens > ${limit} maximum`;

  test("is none: too little for any prompt, or more than any model takes", () => {
    expect(parseStatedLimit(anthropic("0"))).toBeNull();
    expect(parseStatedLimit(anthropic("1023"))).toBeNull();
    expect(parseStatedLimit(anthropic("1024"))).toBe(1_024);
    expect(parseStatedLimit(anthropic("100,000,000"))).toBe(100_000_000);
    expect(parseStatedLimit(anthropic("100000001"))).toBeNull();
    expect(parseStatedLimit(anthropic("9".repeat(15)))).toBeNull();
    expect(parseStatedLimit(anthropic("9".repeat(400)))).toBeNull();
    expect(parseStatedLimit(anthropic("-5"))).toBeNull();
    expect(parseStatedLimit(anthropic(",,,"))).toBeNull();
  });

  test("is none in what a refusal quotes of the prompt far behind", () => {
    const quoted = `Invalid request: ${"said ".repeat(2_000)}`;
    expect(parseStatedLimit(`${quoted}${anthropic("5000")}`)).toBeNull();
  });

  test("of a megabyte of anything the beginning is read, in linear time", async () => {
    const texts = [
      "9",
      "prompt is too long: ",
      "maximum context length is 9,",
      '"n_ctx":    ',
      "\n",
    ];
    const read = (chars: number) => {
      const refusals = texts.map((text) => text.repeat(chars / text.length));
      expect(refusals.map(parseStatedLimit)).toEqual(texts.map(() => null));
      return () => {
        for (let round = 0; round < 100; round += 1) refusals.forEach(parseStatedLimit);
      };
    };
    const beginning = read(4_000);
    expect(await timesAsLong(beginning, read(1_000))).toBeLessThan(MOST_FOR_FOURFOLD);
    const mostTimes = 2;
    expect(await timesAsLong(read(1_000_000), beginning, mostTimes)).toBeLessThan(mostTimes);
  });
});
