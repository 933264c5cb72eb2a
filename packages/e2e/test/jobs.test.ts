import { expect, test } from "bun:test";
import { say } from "../src/provider/reply.ts";
import { count, useStage } from "./conformance/stage.ts";
import { addJob, expectNothingLeft, jobCalls, SETTINGS, settledAs } from "./jobs-stage.ts";

const stage = useStage(SETTINGS);

test("I27: a job settles with one call of its words alone, and leaves nothing in the host", async () => {
  const talk = await stage.talk();
  await talk.say("Begin");
  stage.provider.script.respond("job", () => say("<word>yes</word>"));
  const id = addJob(stage, talk.id, "Say a word.");
  await talk.say("More");
  const row = await settledAs(stage, id, "settled");
  const [call, ...more] = jobCalls(stage);
  expect(more).toEqual([]);
  expect(call?.body).toMatchObject({ model: "claude-second", max_tokens: 500 });
  expect(call?.body.tools).toBeUndefined();
  expect(call?.system).toBe("You do a small job for a test.");
  expect(call?.blocks.length).toBe(2);
  expect(call && count(call, "Say a word.")).toBe(1);
  expect(row).toMatchObject({ attempts: 1, error: null, model: "anthropic/claude-second" });
  const usage = call?.outcome.type === "answered" ? call.outcome.usage : undefined;
  expect(row.input_tokens).toBe(
    (usage?.inputTokens ?? 0) + (usage?.readTokens ?? 0) + (usage?.writeTokens ?? 0),
  );
  expect(row.output_tokens).toBe(usage?.outputTokens ?? 0);
  await expectNothingLeft(stage);
});
