// What is reported of a session: whether a report can be written into it, its panel, its dialogs.
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { OpenCommand, ReportCommand } from "../../src/feature-api/command.ts";
import { PROMPT_QUEUE, SESSION_NOTICES } from "../../src/feature-api/extension-points.ts";
import { ExtensionRegistry } from "../../src/feature-api/open-features.ts";
import { createChannelContent, Reports } from "../../src/hooks/reports.ts";
import { estimateHistoryTokens } from "../../src/ledger/tokens.ts";
import { buildStatusReport, loadStatus, type ReportDeps } from "../../src/status/report.ts";
import { StorageError } from "../../src/storage/errors.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { author, type HostEvent, PluginStage } from "./composed-plugin.ts";

const SESSION = "ses_1" as SessionId;
let stage: PluginStage;
let asked: SessionId[] = [];
let reports: Reports;

beforeEach(() => {
  asked = [];
  const notices = ["Two prompts wait.", null, "A job failed."];
  const featureInstances = notices.map((text) => ({ provides: { notice: () => text } }));
  stage = new PluginStage(featureInstances, { notice: SESSION_NOTICES });
  reports = new Reports(stage.plugin, async (sessionId) => void asked.push(sessionId));
  hostGives({});
});
afterEach(() => stage.close());

/** What the host says of the session. */
function hostGives(given: { readonly messages?: unknown; readonly revert?: object }): void {
  Object.assign(stage.plugin.input.client.session, {
    messages: async () => (given.messages ?? { data: stage.history() }) as never,
    get: async () => ({ data: { id: SESSION, revert: given.revert } }),
  });
}

/** The newest call has its answer, with the provider's figures. */
async function answered(id: string, input: number): Promise<void> {
  const { info } = stage.rows.assistant(author, stage.world.nowMs, { finish: "stop" });
  const tokens = { input, output: 5, reasoning: 0, cache: { read: 0, write: 0 } };
  const properties = { info: { ...info, id, tokens, cost: 0.01 } };
  await stage.hear({ type: "message.updated", properties } as unknown as HostEvent);
}

/** The deps of the newest report. */
async function reported() {
  let deps: ReportDeps | null = null;
  const command: ReportCommand = {
    ...{ kind: "report", name: "ctx-status", dialog: () => null },
    report: (given) => {
      deps = given;
      return buildStatusReport(given);
    },
  };
  const report = await reports.reportFor(command, SESSION);
  if (deps === null) throw new Error("The report was not asked for.");
  return { report, status: loadStatus(deps) };
}

describe("where a report can be written", () => {
  test("into a session with a prompt, with the newest one's agent, model and variant", async () => {
    const row = await stage.prompt("hello");
    const { agent, model } = row.info as unknown as { agent: string; model: object };
    expect(await reports.readPlace(SESSION)).toEqual({
      ...{ kind: "open", prompted: { agent, model, variant: null } },
    } as never);
    const answer = { info: { id: "m2", role: "assistant" }, parts: [] };
    const chosen = { providerID: "a", modelID: "b", variant: "high" };
    const prompt = { info: { id: "m1", role: "user", agent: "plan", model: chosen }, parts: [] };
    hostGives({ messages: { data: [prompt, answer] } });
    expect(await reports.readPlace(SESSION)).toEqual({
      kind: "open",
      prompted: {
        ...{ agent: "plan", model: { providerID: "a", modelID: "b" } },
        variant: { variant: "high" },
      },
    });
  });

  test("with a variant only where it is a name", async () => {
    const model = { providerID: "a", modelID: "b", variant: 7 };
    const prompt = { info: { id: "m1", role: "user", agent: "plan", model }, parts: [] };
    hostGives({ messages: { data: [prompt] } });
    expect(await reports.readPlace(SESSION)).toMatchObject({ prompted: { variant: null } });
  });

  test("not into one without a prompt, with an undo, or whose messages the host can't list", async () => {
    hostGives({ messages: { data: [] } });
    expect(await reports.readPlace(SESSION)).toEqual({ kind: "empty" });
    hostGives({ messages: { data: [{ info: { id: "m", role: "assistant" }, parts: [] }] } });
    expect(await reports.readPlace(SESSION)).toEqual({ kind: "empty" });
    await stage.prompt("hello");
    hostGives({ revert: { messageID: "msg_1" } });
    expect(await reports.readPlace(SESSION)).toEqual({ kind: "undone" });
    hostGives({ messages: { response: { status: 400 } } });
    expect(await reports.readPlace(SESSION)).toEqual({ kind: "unlisted" });
    hostGives({ messages: {} });
    await reports.readPlace(SESSION);
    const lines = (await stage.log()).filter(({ event }) => event === "command.unlisted");
    expect(lines).toMatchObject([
      { session: "ses_1", status: 400 },
      { session: "ses_1", status: "no answer" },
    ]);
  });
});

describe("a report", () => {
  test("is made when the features have been asked, from what is stored and what replay shows", async () => {
    await stage.prompt("hello");
    await stage.call();
    const { report, status } = await reported();
    expect(asked).toEqual([SESSION]);
    expect(report.place.kind).toBe("open");
    expect(report.text).toStartWith("Session Runtime: ses_1");
    expect(status).toMatchObject({
      ground: "host",
      epoch: { number: 1 },
      storage: { kind: "open" },
    });
    // The call is stored, though its time has not come.
    expect(status.cache.totals.calls).toBe(1);
  });

  test("tells tools and agent prompt from the newest call's figures, as of an epoch's first", async () => {
    await stage.prompt("hello");
    await stage.call();
    const tools = async () => {
      const { layers } = (await reported()).status;
      return layers.find(({ layer }) => layer === "tools")?.tokens ?? null;
    };
    const { messages } = stage.plugin.runtime.findSentCall(SESSION)?.facts ?? { messages: [] };
    await answered("msg_a", 30_000);
    const { epoch } = (await reported()).status;
    const expected = 30_000 - (epoch?.baseline.approxTokens ?? 0) - estimateHistoryTokens(messages);
    expect(await tools()).toBe(expected);
    await stage.prompt("and now?");
    await stage.call();
    await answered("msg_b", 40_000);
    expect(await tools()).toBe(expected);
  });

  test("says itself what is wrong with a database that can't be opened", async () => {
    const refused = new StorageError("unopenable", "It can't be opened.");
    const { database } = stage.plugin;
    const spies = [
      spyOn(database, "ensure").mockRejectedValue(refused),
      spyOn(database, "current").mockImplementation(() => {
        throw refused;
      }),
    ];
    await stage.prompt("hello");
    const { status } = await reported();
    expect(status).toMatchObject({ storage: { kind: "unreadable", message: refused.message } });
    expect(await reports.readPanel(SESSION)).toMatchObject({ storageFault: refused.message });
    for (const spy of spies) spy.mockRestore();
    const lines = (await stage.log()).filter(({ event }) => event === "command.database");
    expect(lines).toMatchObject([{ error: "StorageError" }, { error: "StorageError" }]);
  });

  test("that meets an error of ours fails", async () => {
    await stage.prompt("hello");
    await stage.call();
    const broken = spyOn(stage.plugin.runtime, "readShownLedger").mockImplementation(() => {
      throw new TypeError("ours");
    });
    await expect(reported()).rejects.toThrow("ours");
    broken.mockRestore();
  });
});

describe("the panel", () => {
  test("has the features' notices while the session rests, and neither them nor open prompts while it is busy", async () => {
    await stage.plugin.database.ensure();
    const rest = await reports.readPanel(SESSION);
    expect(rest).toMatchObject({ notice: "Two prompts wait. A job failed.", toasts: "shown" });
    expect(rest.off).toEqual([]);
    const inbox = { waiting: 3, handed: 1, saved: 1, promoted: 1, refused: 1 };
    const { overview } = stage.plugin.database.current();
    const whole = overview.of(SESSION, 1);
    const counted = spyOn(overview, "of").mockReturnValue({ ...whole, inbox });
    expect((await reports.readPanel(SESSION)).inbox).toEqual({
      ...{ waiting: 3, unread: 2, unanswered: 1, refused: 1 },
    });
    const busy = spyOn(stage.plugin.runtime, "isBusy").mockReturnValue(true);
    expect(await reports.readPanel(SESSION)).toMatchObject({
      ...{ notice: null, inbox: { waiting: 3, unread: 0, unanswered: 0, refused: 1 } },
    });
    counted.mockRestore();
    busy.mockRestore();
  });

  test("without a notice has none", async () => {
    await stage.close();
    stage = new PluginStage();
    reports = new Reports(stage.plugin, async () => undefined);
    expect((await reports.readPanel("ses_2" as SessionId)).notice).toBeNull();
  });
});

describe("what terminal UIs are sent", () => {
  const queue = { activity: "idle", waiting: [], length: 0 } as const;

  function shown(provided = new ExtensionRegistry()) {
    const opened: string[] = [];
    const commands: readonly OpenCommand[] = [
      { kind: "report", name: "ctx-status", dialog: () => null, report: buildStatusReport },
      {
        ...{ kind: "action", name: "ctx-keep", dialog: () => null },
        act: async () => ({ text: "", shownBy: "note" }),
      },
    ];
    const content = createChannelContent(provided, reports, {
      commands,
      findAnswer: (command) => (command === "ctx-keep" ? "Kept.\nAll of it." : null),
      opened: (sessionId) => void opened.push(sessionId),
    });
    return { content, opened };
  }

  test("is a command's report, or what a command has just answered; null for any other", async () => {
    await stage.prompt("hello");
    const { content } = shown();
    const read = (report: string) => content.report({ report, sessionId: SESSION });
    expect((await read("ctx-status"))?.text).toStartWith("Session Runtime: ses_1");
    expect(await read("ctx-keep")).toEqual({ text: "Kept.\nAll of it." });
    expect(await read("ctx-brief")).toBeNull();
  });

  test("is the queue of the feature that has one, the panel, and who has opened it is reported", async () => {
    const feature = { feature: "inbox", points: { queue: PROMPT_QUEUE } };
    const provides = { queue: async () => queue };
    const { content, opened } = shown(new ExtensionRegistry([{ ...feature, provides }]));
    expect(await content.queue(SESSION)).toEqual(queue);
    expect(await content.status(SESSION)).toMatchObject({ sessionId: SESSION });
    content.opened(SESSION);
    expect(opened).toEqual([SESSION]);
    await expect(shown().content.queue(SESSION)).rejects.toThrow("The inbox is not available.");
  });
});
