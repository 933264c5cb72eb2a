import { expect, test } from "bun:test";
import type { OpenFeature } from "../../src/feature-api/open-features.ts";
import { createHookDispatcher } from "../../src/runtime/dispatch-hooks.ts";
import type { SessionId } from "../../src/storage/records.ts";

const busy = { kind: "busy", sessionId: "ses_1" as SessionId } as const;

const worksOn = { worked: () => undefined, storageWorks: () => undefined };

test("features hear in the order of the list, one after the other, and the instance itself before them", async () => {
  const heard: string[] = [];
  const instance = (feature: string, delayMs: number): OpenFeature => ({
    feature,
    hooks: {
      onEvent: async ({ kind }) => {
        await Bun.sleep(delayMs);
        heard.push(`${feature} ${kind}`);
      },
    },
  });
  const featureInstances = [instance("slow", 5), { feature: "deaf" }, instance("quick", 0)];
  const failures = { ...worksOn, failed: () => undefined };
  const dispatch = createHookDispatcher(featureInstances, failures, {
    onEvent: () => void heard.push("instance"),
  });
  const done = dispatch("onEvent", busy);
  expect(heard).toEqual(["instance"]);
  await done;
  expect(heard).toEqual(["instance", "slow busy", "quick busy"]);
});

test("I15: a hook that throws is reported under its feature's name and its own, and the next feature hears", async () => {
  const failures: unknown[] = [];
  const heard: string[] = [];
  const error = new TypeError("of a feature");
  const thrower = () => {
    throw error;
  };
  const featureInstances: readonly OpenFeature[] = [
    { feature: "throws", hooks: { onEvent: thrower, closed: thrower } },
    { feature: "rejects", hooks: { onEvent: () => Promise.reject(error) } },
    { feature: "sound", hooks: { onEvent: ({ kind }) => void heard.push(kind) } },
  ];
  const dispatch = createHookDispatcher(
    featureInstances,
    { ...worksOn, failed: (where) => failures.push(where) },
    {},
  );
  await dispatch("onEvent", busy);
  await dispatch("closed");
  expect(heard).toEqual(["busy"]);
  expect(failures).toEqual(["throws.onEvent", "rejects.onEvent", "throws.closed"]);
});

test("after the end no feature hears of anything: what a timer says late finds nothing open", async () => {
  const heard: string[] = [];
  const hooks = {
    heard: () => void heard.push("onEvent"),
    closed: () => void heard.push("closed"),
  };
  const failed = (where: string) => void heard.push(where);
  const dispatch = createHookDispatcher(
    [{ feature: "feature", hooks }],
    { ...worksOn, failed },
    hooks,
  );
  await dispatch("closed");
  await dispatch("onEvent", busy);
  await dispatch("closed");
  expect(heard).toEqual(["closed", "closed"]);
});
