// Failures of ours at the edge: the host's own request goes, and it goes in time.
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { LONG, ownFolder, readingModel, standIn, withRoom } from "./stage.ts";

let folder: ReturnType<typeof ownFolder>;
beforeEach(() => {
  folder = ownFolder();
});
afterEach(() => folder.remove());

async function runWithPlugins(...plugins: Parameters<typeof standIn>[0] & object) {
  const host = standIn(plugins, readingModel(2));
  await host.prompt("ses_1", "Read.");
  await host.compact("ses_1", 2);
  await host.prompt("ses_1", "Read on.");
  await host.close();
  expect(host.failed).toEqual([]);
  return host.sent.map(({ messages }) => messages);
}

const broken = () => {
  throw new Error("broken");
};

test.each([
  ["a policy that throws", { policies: [{ name: "x", scope: "epoch", draft: broken }] }],
  [
    "a feature's hooks that throw",
    {
      hooks: {
        boundary: broken,
        compacting: broken,
        heard: broken,
        sent: broken,
        settled: broken,
        toolSettled: broken,
      },
    },
  ],
  ["sources that throw", { sources: broken }],
] as const)("%s: each request is the host's own but for the brief", async (_, feature) => {
  const own = await runWithPlugins();
  const ours = await runWithPlugins(withRoom(async () => feature));
  expect(ours.filter((_, at) => at !== 3)).toEqual(own.filter((_, at) => at !== 3));
  expect(ours[3]?.filter(({ id }) => id !== undefined)).toEqual(
    own[3]?.filter(({ id }) => id !== undefined),
  );
});

test("V10: a feature that never opens delays a request by the limit alone, and the host's own goes", async () => {
  const told = spyOn(console, "error").mockImplementation(() => undefined);
  const wait = globalThis.setTimeout;
  const limits = spyOn(globalThis, "setTimeout");
  const hurried = (work: () => void, waitMs: number) => wait(work, waitMs === 5_000 ? 1 : waitMs);
  limits.mockImplementation(hurried as typeof setTimeout);
  try {
    const host = standIn([withRoom(() => new Promise(() => undefined))], () => ({ text: "Done." }));
    await host.prompt("ses_1", LONG);
    await host.prompt("ses_1", "And on.");
    expect(host.failed).toEqual([]);
    expect(host.sent.map(({ messages }) => messages.length)).toEqual([1, 3]);
    expect(told).toHaveBeenCalledTimes(1);
  } finally {
    limits.mockRestore();
    told.mockRestore();
  }
});
