// The host's catalogue: what history is decided on, what is paid, and which model jobs ask.
import { describe, expect, test } from "bun:test";
import type { V2Model } from "../../src/hooks-v2/context.ts";
import { V2Models } from "../../src/hooks-v2/models.ts";

const cost = { input: 5, output: 25, cache: { read: 0.5, write: 6.25 } };

function model(id: string, more: Partial<V2Model> = {}): V2Model {
  return { id, providerID: "anthropic", ...more };
}

function models(...listed: readonly V2Model[]): V2Models {
  return new V2Models({ list: async () => ({ data: listed }) });
}

async function inputLimit(limit: NonNullable<V2Model["limit"]>): Promise<number | undefined> {
  const [listed] = await models(model("opus", { limit })).list();
  return listed?.model.limit?.input;
}

describe("what a prompt may take ends before the host compacts", () => {
  test("at 90 % of a large window, or with 16,000 tokens left of a small one", async () => {
    expect(await inputLimit({ context: 200_000, output: 32_000 })).toBe(180_000);
    expect(await inputLimit({ context: 60_000, output: 8_000 })).toBe(44_000);
  });

  test("never below half of the window, nor above what the catalogue has for the prompt", async () => {
    expect(await inputLimit({ context: 20_000, output: 8_000 })).toBe(10_000);
    expect(await inputLimit({ context: 200_000, input: 100_000, output: 32_000 })).toBe(100_000);
    expect(await inputLimit({ context: 200_000, input: 0, output: 32_000 })).toBe(180_000);
  });

  test("is not known where the window is not", async () => {
    expect(await inputLimit({ context: 0, output: 0 })).toBeUndefined();
    expect((await models(model("opus")).list())[0]?.model).toEqual({ api: { id: "opus" } });
  });
});

describe("prices and names", () => {
  test("are those of the catalogue, with the caching of the provider", async () => {
    const known = models(
      model("opus", { modelID: "claude-opus-5", cost: [cost] }),
      { id: "gpt", providerID: "openai", cost: [cost] },
      model("free"),
    );
    const opus = { providerID: "anthropic", id: "opus" };
    expect(known.findPrice(opus)).toBeNull();
    await known.list();
    const price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
    expect(known.findPrice(opus)).toEqual({ ...price, caching: "breakpoints" });
    const gpt = { providerID: "openai", id: "gpt" };
    expect(known.findPrice(gpt)).toEqual({ ...price, caching: "automatic" });
    expect(known.findPrice({ providerID: "anthropic", id: "free" })).toBeNull();
    expect(known.resolveIdentity(opus)).toMatchObject({ modelId: "opus", apiId: "claude-opus-5" });
  });

  test("a list may come bare, and is asked for once", async () => {
    let asked = 0;
    const known = new V2Models({
      async list() {
        asked += 1;
        return [model("opus")];
      },
    });
    await known.list();
    expect((await known.list()).map(({ modelId }) => modelId)).toEqual(["opus"]);
    expect(asked).toBe(1);
    expect(await new V2Models(undefined).list()).toEqual([]);
  });
});

test("jobs ask the newest small model of the session's provider; null: it has none", async () => {
  const haiku = (id: string, released: number) =>
    model(id, { family: "claude-haiku", time: { released } });
  const known = models(haiku("haiku-4", 9), haiku("haiku-5", 10), model("opus"), {
    ...haiku("haiku-6", 11),
    providerID: "another",
  });
  expect(await known.findSmall("anthropic")).toBe("anthropic/haiku-5");
  expect(await known.findSmall("openai")).toBeNull();
});
