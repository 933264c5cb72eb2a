import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../src/host/home.ts";
import {
  allAnswered,
  refusal,
  run,
  states,
  useInboxHost,
  userTexts,
  withConfig,
} from "./inbox-stage.ts";

const oncall = { command: ["cat", "oncall.txt"], refreshMs: 0, required: true };
const bench = useInboxHost(
  withConfig({ onUnavailable: "block", sources: { "team/oncall": oncall } }),
);

test("G10: with onUnavailable block a required source that can't load refuses the prompt; it stays pending, and is sent when it loads", async () => {
  const { host, provider } = bench();
  const { client } = host;
  const { id } = await client.createSession();
  const messageID = "msg_00000000000400000000000000";
  const refused = await refusal(client.prompt(id, "Hello", { messageID }));
  expect(refused).toStartWith("400 The prompt was kept and not sent: team/oncall can't be loaded");
  await run(client, id, "ctx-queue", "Queued");
  await Bun.sleep(500);
  expect(states(bench(), id)).toEqual(["refused", "waiting"]);
  expect(await client.messages(id)).toEqual([]);
  expect(provider.listCalls(id, "main")).toEqual([]);
  writeFiles(host.project, { "oncall.txt": "Ada is on call." });
  await run(client, id, "ctx-resume");
  await allAnswered(bench(), id);
  expect(userTexts(await client.messages(id))).toEqual(["Hello", "Queued"]);
  expect((await client.messages(id))[0]?.info.id).toBe(messageID);
  expect(provider.listCalls(id, "main")[0]?.system).toContain("Ada is on call.");
  rmSync(join(host.project, "oncall.txt"));
  expect(await refusal(client.prompt(id, "And now"))).toContain("/ctx-resume tries again");
});
