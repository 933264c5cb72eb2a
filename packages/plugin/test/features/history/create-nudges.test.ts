import { expect, test } from "bun:test";
import { nudgesFeature } from "../../../src/features/history/feature.ts";
import { createNudgesFeature } from "../../../src/features/history/nudge.ts";
import { parseConfig } from "../../whole-config.ts";

test("nudges are off until they are asked for, and need recall and history", () => {
  const opened = (settings: object = {}) =>
    createNudgesFeature({
      config: parseConfig({
        nudges: { enabled: true },
        recall: { enabled: true },
        history: { rewrite: "worth" },
        ...settings,
      }),
      location: { directory: "/project", worktree: "/project" },
    });
  expect(nudgesFeature.isOn?.(parseConfig({}))).toBe(false);
  expect(opened().policies).toHaveLength(1);
  expect(opened({ recall: { enabled: false } })).toEqual({});
  expect(opened({ history: { rewrite: "off" } })).toEqual({});
});
