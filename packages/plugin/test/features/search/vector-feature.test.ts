import { expect, test } from "bun:test";
import * as z from "zod";
import { defaults } from "../../../src/config/defaults.ts";
import { vectorsFeature } from "../../../src/features/search/feature.ts";
import { vectorSettings } from "../../../src/features/search/settings.ts";

test("vectors are on where both an address and a model are set", () => {
  const isOn = (url: string, model: string) => {
    const vectors = { ...vectorSettings.defaults, url, model };
    return vectorsFeature.isOn?.(Object.assign({ ...defaults }, { vectors }));
  };
  expect(isOn("http://127.0.0.1:1/v1", "ideas-1")).toBe(true);
  expect([isOn("", "ideas-1"), isOn("http://127.0.0.1:1/v1", ""), isOn("", "")]).toEqual([
    ...[false, false, false],
  ]);
});

test("the address is one of the web, the key a variable's name, the time between 0.1 s and 10 min", async () => {
  const keys = z.object(await vectorSettings.keys(z)).partial();
  const takes = (value: object) => keys.safeParse(value).success;
  for (const url of ["", "http://127.0.0.1:11434/v1", "https://api.example.com/v1"]) {
    expect(takes({ url })).toBe(true);
  }
  for (const url of ["ftp://h/v1", "shttp://h/v1", "httpsx://h/v1", "h/v1"]) {
    expect(takes({ url })).toBe(false);
  }
  for (const apiKeyEnv of ["", "OPENAI_API_KEY", "_k2"]) expect(takes({ apiKeyEnv })).toBe(true);
  for (const apiKeyEnv of ["2K", "sk-abc", "A B", "A$"]) expect(takes({ apiKeyEnv })).toBe(false);
  expect([100, 600_000].map((timeoutMs) => takes({ timeoutMs }))).toEqual([true, true]);
  expect([99, 600_001, 100.5].map((timeoutMs) => takes({ timeoutMs }))).toEqual([
    ...[false, false, false],
  ]);
  expect([takes({ model: "m".repeat(200) }), takes({ model: "m".repeat(201) })]).toEqual([
    ...[true, false],
  ]);
});
