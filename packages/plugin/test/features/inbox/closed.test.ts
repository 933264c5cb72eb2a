import { expect, test } from "bun:test";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { openStage, type StageSettings } from "./stage.ts";

const workspace = new Workspace();

/** An inbox that counts how often its database was to be opened. */
function counted(settings: Partial<StageSettings> = {}) {
  const opened = { times: 0 };
  const ensure = async () => {
    opened.times += 1;
  };
  return { opened, ...openStage(workspace, { ...settings, deps: { ensure, ...settings.deps } }) };
}

const prompt = {
  sessionId: session,
  id: "one",
  parts: [{ type: "text", text: "One" }],
  delivery: "queue",
  reply: "wanted",
} as const;

test("what was put off does not happen once the inbox is closed, and opens no database", async () => {
  const stage = counted();
  await stage.inbox.admit(prompt);
  await stage.clock.pass(500);
  expect(stage.states()).toEqual(["answered"]);
  const { times } = stage.opened;
  stage.inbox.close();
  await stage.rest();
  expect(stage.opened.times).toBe(times);
});

test("a promotion that is due after the call is not written once the inbox is closed", async () => {
  const stage = counted();
  stage.host.answers = ["hang"];
  await stage.host.prompt({ text: "One" });
  await stage.clock.pass(10);
  stage.inbox.close();
  await stage.rest();
  expect(stage.host.calls).toHaveLength(1);
  expect(stage.states()).toEqual(["handed"]);
});

test("what is asked of a closed inbox is refused, or nothing, and no failure of ours", async () => {
  const stage = counted({ deps: { recovery: "auto" } });
  stage.inbox.close();
  await expect(stage.inbox.admit(prompt)).rejects.toMatchObject({ code: "unopenable" });
  await expect(stage.inbox.resume(session)).rejects.toMatchObject({ code: "unopenable" });
  stage.inbox.onSettled(session);
  await stage.inbox.recover();
  await stage.rest();
  expect(stage.opened.times).toBe(0);
  expect(stage.failures).toEqual([]);
  expect(stage.rows()).toEqual([]);
});

test("H4: whoever waits for a turn's end hears of it, also where the inbox is closed meanwhile", async () => {
  const stage = counted();
  stage.host.answers = ["hang"];
  stage.host.abort = async () => undefined;
  await stage.host.prompt({ text: "One" });
  const stopped = stage.inbox.interrupt(session);
  await stage.clock.pass(100);
  stage.inbox.close();
  stage.host.release("abort");
  await stage.clock.pass(200);
  expect(await stopped).toBe("stopped");
});
