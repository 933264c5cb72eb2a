// The one default export, and what `setup` does on a host before 2.
import { describe, expect, test } from "bun:test";
import plugin from "../../server.ts";
import { isV2 } from "../../src/hooks-v2/context.ts";
import { setup } from "../../src/hooks-v2/setup.ts";

const refuse = () => {
  throw new Error("called on a host before 2");
};

describe("V1: the plugin's default export", () => {
  test("is a plain object with `id`, `server` and `setup`, also at the root of a local folder", () => {
    expect(Object.keys(plugin)).toEqual(["id", "server", "setup"]);
    expect(Object.getPrototypeOf(plugin)).toBe(Object.prototype);
  });

  test("on 1.18.x `setup` ends at once: no feature is loaded, nothing is registered", async () => {
    const early = { options: {}, agent: {}, command: { transform: refuse }, skill: {} };
    for (const ctx of [early, { ...early, session: {} }, {}, null, undefined, "ctx"]) {
      expect(isV2(ctx)).toBe(false);
      expect(await setup(ctx, refuse)).toBeUndefined();
    }
  });
});
