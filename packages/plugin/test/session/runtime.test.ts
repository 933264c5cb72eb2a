import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { absent, type SourceDefinition, Unavailable } from "../../src/context/source.ts";
import type { SessionId } from "../../src/storage/records.ts";
import type { Host } from "../model/host.ts";
import type { Setting } from "../model/host-process.ts";
import { usage } from "../storage/records.ts";
import { Scenes, sent } from "./scenes.ts";

const scenes = new Scenes();

function opened(setting: Partial<Setting> = {}) {
  const { host } = scenes.open(setting);
  const { runtime } = host.instance(0);
  const id = () => host.session(0).id as SessionId;
  return { host, runtime, id };
}

describe("what is known of a session's newest call", () => {
  test("nothing before it, and of a session that this process doesn't hold", () => {
    const { runtime } = opened();
    expect(runtime.readCallState("ses_unknown" as SessionId)).toEqual({ kind: "none" });
    expect(runtime.findSentCall("ses_unknown" as SessionId)).toBeNull();
  });

  test("its Baseline once it is sent, and the entries of its epoch alone", async () => {
    const { host, runtime, id } = opened();
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: 2 });
    await host.prompt(0);
    const state = runtime.readCallState(id());
    expect(state.kind === "sent" && state.baseline).toContain("Rule 1 of app.");
    expect(runtime.findSentCall(id())).toMatchObject({
      epochNumber: 1,
      entries: [{ epochSeq: 1 }],
    });
    const after = sent(await host.compact(0, { goesOn: true }));
    expect(after.opened?.cause).toBe("compacted");
    const call = runtime.findSentCall(id());
    expect([call?.epochNumber, call?.entries.length]).toEqual([2, 0]);
  });
});

/** The first of a call's two hooks, by hand. */
async function begin(host: Host): Promise<void> {
  const { author, rows } = host.session(0);
  host.world.nowMs += 1_000;
  rows.user(author, host.world.nowMs, rows.say("prompt"));
  await host.instance(0).runtime.projectHistory(rows.visible());
}

describe("a call whose system string is not there yet", () => {
  test("waits: for a session's first epoch, and within an epoch, whatever was sent before", async () => {
    const { host, runtime, id } = opened();
    await begin(host);
    expect(runtime.readCallState(id())).toEqual({ kind: "waiting" });
    expect(runtime.findSentCall(id())).toBeNull();
    await host.prompt(0);
    await begin(host);
    expect(runtime.readCallState(id())).toEqual({ kind: "waiting" });
    expect(runtime.findSentCall(id())).toBeNull();
  });

  test("of a later epoch that is due: another process may have begun that, so that nothing is known", async () => {
    const { host, runtime, id } = opened();
    await host.prompt(0);
    await host.compact(0);
    await begin(host);
    expect(runtime.readCallState(id())).toEqual({ kind: "none" });
  });
});

function source(
  key: string,
  load: SourceDefinition<string>["load"],
  required: { readonly required?: true } = {},
): SourceDefinition<string> {
  return {
    ...{ key, schema: z.string(), load, baseline: (current) => current },
    update: (_previous, current) => current,
    ...required,
  };
}

describe("sources that can't be loaded", () => {
  const broken = () => new Unavailable("no sky");
  const required = { required: true } as const;
  const configured = [
    source("team/needed", broken, required),
    source("team/there", () => "1", required),
    source("team/gone", () => absent, required),
    source("team/optional", broken),
  ];
  const call = { agent: "build", providerId: "anthropic", modelId: "opus" };

  test("of those that a session requires, the ones that can't be loaded now are missing", async () => {
    const { runtime, id } = opened({ configured });
    const missing = await runtime.listMissingSources({ ...call, sessionId: id() });
    expect(missing.map(String)).toEqual(["team/needed"]);
  });

  test("a session that is deleted takes with it which of its sources had failed", async () => {
    const { host, runtime, id } = opened({ configured: configured.slice(3) });
    await host.prompt(0);
    expect(runtime.listFailingSources(id()).map(({ key }) => String(key))).toEqual([
      "team/optional",
    ]);
    runtime.removeSession(id());
    expect(runtime.listFailingSources(id())).toEqual([]);
  });
});

describe("a call of another kind than the last one", () => {
  const same = { providerID: "anthropic", modelID: "opus" };
  for (const [what, model, kind] of [
    ["the same model", same, "waiting"],
    ["another model of the same provider", { ...same, modelID: "other" }, "none"],
    ["the same model of another provider", { ...same, providerID: "bedrock" }, "none"],
  ] as const) {
    test(`to ${what}: an epoch is due where models may not be mixed, and only for another one`, async () => {
      const { host, runtime, id } = opened({ onModelSwitch: "fold" });
      await host.prompt(0);
      const { author, rows } = host.session(0);
      const { info } = rows.user(author, host.world.nowMs + 1_000, "Hello");
      Object.assign(info, { model });
      await runtime.projectHistory(rows.visible());
      expect(runtime.readCallState(id()).kind).toBe(kind);
    });
  }

  test("an answer in a form is noted: the host adds a tool for it", async () => {
    const { host, runtime, id } = opened();
    await host.prompt(0);
    const { author, rows } = host.session(0);
    for (const [format, note] of [
      [{ type: "json_schema" }, "present"],
      [{ type: "text" }, "absent"],
    ] as const) {
      host.world.nowMs += 1_000;
      const { info } = rows.user(author, host.world.nowMs, "Hello");
      Object.assign(info, { format });
      await runtime.projectHistory(rows.visible());
      host.compose(0, [host.world.systemString({ location: "app", own: null, ...author })]);
      expect(runtime.findSentCall(id())?.facts.structuredNote).toBe(note);
    }
  });
});

describe("what the host says around a call", () => {
  const busts = ({ host, id }: ReturnType<typeof opened>) =>
    host
      .instance(0)
      .database.turns.recent(id(), 9)
      .map(({ bust }) => bust)
      .toReversed();

  test("I1: which tools it offers, those for others' calls apart, and which server changed them", async () => {
    const opening = opened();
    const { host, runtime } = opening;
    runtime.turns.recordTool("read", "reads");
    await host.prompt(0);
    runtime.turns.recordTool("edit", "edits");
    runtime.turns.discardTools();
    runtime.turns.recordTool("read", "reads");
    await host.prompt(0);
    runtime.turns.recordTool("edit", "edits");
    await host.prompt(0);
    runtime.turns.recordTool("edit", "edits");
    runtime.turns.recordServerChange("search");
    await host.prompt(0);
    const changed = "the tool list changed";
    expect(busts(opening)).toEqual([
      null,
      null,
      changed,
      `${changed}: those of the MCP server search`,
    ]);
  });

  test("M6: what it cost by the model's price, and that updates went back to text", async () => {
    const opening = opened();
    const { host, runtime, id } = opening;
    const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
    runtime.turns.recordPrice("anthropic/opus", { ...price, caching: "breakpoints" });
    await host.prompt(0);
    runtime.turns.recordFallback(id(), "anthropic/opus", "refused");
    const messageId = host.session(0).rows.all.at(-1)?.info.id ?? "";
    runtime.turns.settle({
      sessionId: id(),
      messageId,
      model: "anthropic/opus",
      usage,
      paidUsd: 2,
    });
    const [turn] = host.instance(0).database.turns.recent(id(), 1);
    expect([turn?.usage, turn?.cost?.paidNanos]).toEqual([usage, 2_000_000_000]);
    expect(busts(opening)).toEqual([
      "updates went back to text: the provider refused them in its own role",
    ]);
  });
});

describe("what the host says of a session", () => {
  test("busy and idle; one that ends before a compaction's own pass leaves no mark of it", async () => {
    const { host, runtime, id } = opened();
    await host.prompt(0);
    runtime.setStatus(id(), "busy");
    expect(runtime.isBusy(id())).toBe(true);
    runtime.beginCompaction(id());
    expect(runtime.isCompacting(id())).toBe(true);
    runtime.setStatus(id(), "busy");
    expect(runtime.isCompacting(id())).toBe(true);
    runtime.setStatus(id(), "idle");
    expect([runtime.isBusy(id()), runtime.isCompacting(id())]).toEqual([false, false]);
    runtime.setStatus("ses_unknown" as SessionId, "idle");
    expect(runtime.isCompacting("ses_unknown" as SessionId)).toBe(false);
  });

  test("that it is deleted: all its rows go", async () => {
    const { host, runtime, id } = opened();
    await host.prompt(0);
    runtime.turns.flush();
    const { database } = host.instance(0);
    expect(database.turns.recent(id(), 9)).toHaveLength(1);
    runtime.removeSession(id());
    expect(database.turns.recent(id(), 9)).toEqual([]);
    expect(runtime.readCallState(id())).toEqual({ kind: "none" });
  });
});
