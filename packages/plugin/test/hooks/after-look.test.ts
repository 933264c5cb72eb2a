import { afterEach, expect, spyOn, test } from "bun:test";
import { TerminalUi } from "../../src/tui-server/terminal-ui.ts";
import { type HostEvent, PluginStage } from "./composed-plugin.ts";

const stages: PluginStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

test("who shows a session hears when the inbox has looked at it: the turn's last event comes before", async () => {
  const stage = new PluginStage();
  stages.push(stage);
  const heard = Promise.withResolvers<string>();
  const spy = spyOn(TerminalUi.prototype, "changed").mockImplementation((sessionId) =>
    heard.resolve(sessionId),
  );
  await stage.prompt("Hello");
  await stage.call();
  const { sessionId } = stage.rows;
  const idle = {
    type: "session.status",
    properties: { sessionID: sessionId, status: { type: "idle" } },
  };
  await stage.hear(idle as unknown as HostEvent);
  expect(await heard.promise).toBe(sessionId);
  spy.mockRestore();
});
