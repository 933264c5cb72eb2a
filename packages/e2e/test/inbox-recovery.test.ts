import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { eventually } from "../../plugin/test/eventually.ts";
import { makeClient } from "../src/client/client.ts";
import { writeFiles } from "../src/host/home.ts";
import { isolatedEnvironment, spawnHost } from "../src/host/process.ts";
import { call, held, makeGate, say } from "../src/provider/reply.ts";
import { exampleCode } from "./documents.ts";
import {
  allAnswered,
  expectSound,
  inputs,
  run,
  sentTexts,
  states,
  useInboxHost,
  userTexts,
} from "./inbox-stage.ts";
import { longTest } from "./long.ts";

const bench = useInboxHost();

/** The user's own settings, from the next start of the host on. */
function setRecovery(recovery: "ask" | "auto" | "off"): void {
  const shown = exampleCode("After a crash", "jsonc");
  const text = recovery === "auto" ? shown : JSON.stringify({ recovery });
  writeFiles(join(bench().host.home.config, "opencode"), { "session-runtime.jsonc": text });
}

/** A turn that hangs at the provider, a prompt in the queue behind it, and then kill -9. */
async function killed(recovery: "ask" | "auto" | "off", tool?: string) {
  const { host, provider } = bench();
  const { client } = host;
  const { id } = await client.createSession();
  const hangs = held(makeGate(), say("Never."));
  const bash = call("bash", { command: tool ?? "", description: "Wait" });
  provider.script.queueFor(id, tool === undefined ? hangs : bash);
  await client.promptAsync(id, "First");
  await eventually("the call is there", () => provider.listCalls(id, "main").length === 1);
  await run(client, id, "ctx-queue", "Queued");
  if (tool !== undefined) {
    await eventually("the tool runs", () => existsSync(join(host.project, "ran.txt")));
  }
  await host.kill9();
  setRecovery(recovery);
  await host.start({});
  expectSound(bench());
  return { id, client };
}

/** The plugin reads its settings when the host opens a project: it is made to open it again. */
async function reopen(): Promise<void> {
  await bench().host.client.request("POST", "/instance/dispose");
}

/** The texts of toasts while `work` goes on. */
async function toastsDuring(work: (toasts: () => string) => Promise<unknown>): Promise<string> {
  const events = await bench().host.client.events();
  const toasts = () => JSON.stringify(events.seen.filter(({ type }) => type === "tui.toast.show"));
  await work(toasts);
  events.close();
  return toasts();
}

describe("after kill -9", () => {
  test("ask: it is told what there is, nothing starts, and /ctx-resume goes on", async () => {
    const { id, client } = await killed("ask");
    const told = await toastsDuring(async (toasts) => {
      await client.messages(id);
      await eventually("it is told", () => toasts().includes("Interrupted"));
      await Bun.sleep(2_000);
    });
    expect(told).toContain(
      "Interrupted: 1 prompt without an answer, 1 prompt waiting in the queue. /ctx-resume continues",
    );
    expect(sentTexts(bench(), id)).toHaveLength(1);
    await run(client, id, "ctx-resume");
    await allAnswered(bench(), id);
    expect(userTexts(await client.messages(id))).toEqual(["First", "Queued"]);
    expect(sentTexts(bench(), id)).toEqual([["First"], ["First"], ["First", "Queued"]]);
  });

  longTest("auto: it goes on by itself", async () => {
    const { id, client } = await killed("auto");
    await client.messages(id);
    await allAnswered(bench(), id);
    expect(userTexts(await client.messages(id))).toEqual(["First", "Queued"]);
  });

  test("auto: a tool that may have changed something is not run again without the user's word", async () => {
    const { id, client } = await killed("auto", "echo ran >> ran.txt; sleep 60");
    const told = await toastsDuring(async (toasts) => {
      await client.messages(id);
      await eventually("it is told", () => toasts().includes("Cut off"));
      await Bun.sleep(2_000);
    });
    expect(told).toContain("Cut off in the middle: bash");
    expect(states(bench(), id)).toEqual(["promoted", "waiting"]);
    await run(client, id, "ctx-resume");
    await allAnswered(bench(), id);
    expect(await Bun.file(join(bench().host.project, "ran.txt")).text()).toBe("ran\n");
    const second = bench().provider.listCalls(id, "main")[1];
    expect(JSON.stringify(second?.body)).toContain("interrupted");
  });

  longTest("off: nothing is told or started; /ctx-resume still works", async () => {
    const { id, client } = await killed("off");
    const told = await toastsDuring(async () => {
      await client.messages(id);
      await Bun.sleep(3_000);
    });
    expect(told).not.toContain("Interrupted");
    expect(sentTexts(bench(), id)).toHaveLength(1);
    await run(client, id, "ctx-resume");
    await allAnswered(bench(), id);
  });
});

longTest("what waits survives a plain restart, too", async () => {
  const { host, provider } = bench();
  const { client } = host;
  const { id } = await client.createSession();
  provider.script.queueFor(id, held(makeGate(), say("Never.")));
  await client.promptAsync(id, "First");
  await eventually("the call is there", () => provider.listCalls(id, "main").length === 1);
  for (const text of ["One", "Two", "Three"]) await run(client, id, "ctx-queue", text);
  await run(client, id, "ctx-queue", "move 3 1");
  setRecovery("ask");
  await host.restart({});
  expect(await run(client, id, "ctx-queue")).toContain("   1  Three\n   2  One\n   3  Two");
  await run(client, id, "ctx-resume");
  await allAnswered(bench(), id);
  expect(userTexts(await client.messages(id))).toEqual(["First", "Three", "One", "Two"]);
});

test("a second process on the same session leaves it alone while the first one drives it", async () => {
  const { host, provider } = bench();
  setRecovery("auto");
  await reopen();
  const { id } = await host.client.createSession();
  const gate = makeGate();
  provider.script.queueFor(id, held(gate, say("Done.")));
  await host.client.promptAsync(id, "First");
  await eventually("the call is there", () => provider.listCalls(id, "main").length === 1);
  const second = await spawnHost({
    command: [hostBinary()],
    cwd: host.project,
    env: isolatedEnvironment(host.home),
    log: () => undefined,
  });
  try {
    const client = makeClient(() => second.url, host.project);
    await client.messages(id);
    await Bun.sleep(3_000);
    expect(await run(client, id, "ctx-resume")).toContain("Another OpenCode process is working on");
    expect(provider.listCalls(id, "main")).toHaveLength(1);
    gate.open();
    await allAnswered(bench(), id);
    expect(provider.listCalls(id, "main")).toHaveLength(1);
    expect(inputs(bench(), id)).toHaveLength(1);
  } finally {
    await second.kill();
  }
});

test("N3: a pending permission keeps its agent, whatever the session switches to meanwhile", async () => {
  const { host, provider } = bench();
  setRecovery("ask");
  await reopen();
  const { client } = host;
  const { id } = await client.createSession();
  const permission = [{ permission: "bash", pattern: "*", action: "ask" }];
  await client.request("PATCH", `/session/${id}`, { permission });
  const events = await client.events();
  const asked = events.next(({ type }) => type === "permission.asked");
  provider.script.queueFor(id, call("bash", { command: "echo allowed", description: "Say" }));
  const turn = await client.promptAsync(id, "Run it", { agent: "build" });
  const { properties } = await asked;
  await client.promptAsync(id, "Now plan", { agent: "plan" });
  await eventually("the steer is admitted", () => inputs(bench(), id).length === 2);
  await client.request("POST", `/permission/${properties.id}/reply`, { reply: "once" });
  await turn.settled;
  events.close();
  const answers = (await client.messages(id)).filter(({ info }) => info.role === "assistant");
  expect(answers.map(({ info }) => (info as { agent?: string }).agent)).toEqual(["build", "plan"]);
  expect(JSON.stringify(answers[0]?.parts)).toContain("allowed");
  await allAnswered(bench(), id);
});
