import { afterAll, beforeAll, expect, test } from "bun:test";
import { TASK_OPENING as UPKEEP } from "@session-runtime/opencode/features/maintenance/task";
import { CONDITION_PROMPT as QUESTION } from "@session-runtime/opencode/features/memory/smart-note-checks";
import { HISTORIAN_PROMPT as HISTORIAN } from "@session-runtime/opencode/features/summaries/request";
import { type MockProvider, startProvider } from "../src/provider/server.ts";

// Jobs call the provider in the background, at times that no test chooses.
let provider: MockProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.stop());

async function ask(system: string): Promise<void> {
  await fetch(`${provider.url}/v1/messages`, {
    method: "POST",
    headers: { "x-session-id": "ses_a" },
    body: JSON.stringify({
      model: "claude-mock",
      system,
      messages: [{ role: "user", content: "Begin" }],
    }),
  });
}

test.each([
  ["the historian", HISTORIAN],
  ["a smart note", QUESTION],
  ["upkeep", UPKEEP],
])("a call of %s is a request, and none of the sessions' calls", async (_who, system) => {
  const before = provider.requests.length;
  await ask(system);
  expect(provider.requests.slice(before).map(({ kind }) => kind)).toEqual(["job"]);
  expect(provider.calls).toEqual([]);
});

test("all other calls are both", async () => {
  await ask("You are a title generator.");
  expect(provider.calls).toEqual(provider.requests.slice(-1));
});
