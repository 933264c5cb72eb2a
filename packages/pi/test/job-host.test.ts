import { describe, expect, test } from "bun:test";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { jobHost } from "../src/job-host.ts";
import type { PiModel, PiModels } from "../src/pi.ts";

const model = (id: string, input: number, provider = "one"): PiModel =>
  ({ provider, id, cost: { input, output: 0, cacheRead: 0, cacheWrite: 0 } }) as PiModel;
const known = [
  model("big", 5),
  model("a-mini", 2),
  model("b-haiku", 1),
  model("x-mini", 0.1, "two"),
];
const usage = { input: 5, output: 3, cacheRead: 2, cacheWrite: 1, cost: { total: 0 } };

function createHost(answer: object, configured: string | null = null) {
  const asked: unknown[] = [];
  const models = {
    getAvailable: () => known,
    find: (provider: string, id: string) =>
      known.find((one) => one.provider === provider && one.id === id),
    complete: async (...given: readonly unknown[]) => {
      asked.push(...given);
      return { content: [{ type: "text", text: "Fine." }], usage, stopReason: "stop", ...answer };
    },
  } as unknown as PiModels;
  const host = jobHost({ models: () => models, configured, current: () => known[0] });
  const question = { system: "Sum up.", prompt: "All this.", maxOutputTokens: 100 };
  const ask = (name = "one/a-mini") =>
    host.prompt("child" as SessionId, { ...question, model: name });
  return { host, ask, asked };
}

describe("a job's model call on Pi", () => {
  test("goes to the configured model, else to the cheapest small one of the session's provider", async () => {
    expect(await createHost({}).host.model(null)).toBe("one/b-haiku");
    expect(await createHost({}, "two/big").host.model(null)).toBe("two/big");
  });

  test("carries the question with its limit, and gives text and figures", async () => {
    const { ask, asked } = createHost({});
    const used = { inputTokens: 8, outputTokens: 3 };
    expect(await ask()).toEqual({ kind: "text", text: "Fine.", ending: "whole", ...used });
    expect(asked).toMatchObject([
      { id: "a-mini" },
      {
        messages: [
          { role: "system", content: "Sum up." },
          { role: "user", content: "All this." },
        ],
      },
      { maxTokens: 100 },
    ]);
  });

  test("ends with the reason where there is no whole answer", async () => {
    expect(await createHost({ stopReason: "length" }).ask()).toMatchObject({ ending: "cut" });
    expect(await createHost({ stopReason: "aborted" }).ask()).toMatchObject({ code: "stopped" });
    const failed = (errorMessage: string) =>
      createHost({ stopReason: "error", errorMessage }).ask();
    expect(await failed("429 Too Many Requests")).toMatchObject({ code: "rate_limited" });
    expect(await failed("400 invalid_request")).toMatchObject({ code: "refused" });
    expect(await failed("overloaded")).toMatchObject({ code: "unavailable" });
    expect(await createHost({}).ask("one/unknown")).toMatchObject({ code: "refused" });
  });
});
