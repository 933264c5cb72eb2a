import { describe, expect, test } from "bun:test";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import type { OutgoingCall, SessionEvent } from "../../../src/feature-api/feature-hooks.ts";
import { SessionTraces } from "../../../src/feature-api/session-traces.ts";
import { createTracingFeature } from "../../../src/features/tracing/create-tracing.ts";
import { createInstanceTraces } from "../../../src/features/tracing/instance-traces.ts";
import type { Log } from "../../../src/log/log.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { RecordedSpans, usage } from "./recorded.ts";

const SES = "ses_1" as SessionId;

function opened() {
  const spans = new RecordedSpans();
  let clockMs = 0;
  const traces = new SessionTraces([spans], () => clockMs++);
  const hooks = createTracingFeature({ traces } as unknown as FeatureContext).hooks;
  if (!hooks) throw new Error("traces hear nothing");
  const hear = (happening: SessionEvent) => void hooks.onEvent?.(happening);
  return { spans, hooks, hear };
}

const entry = (decidedAtMs: number, edit: object | null, announced: readonly object[]) => ({
  ...{ decidedAtMs, edit, announced },
});

const call = {
  sessionId: SES,
  agent: "build",
  modelId: "mock-1",
  to: { providerId: "mock" },
  messages: [1, 2, 3],
  epoch: { startedAtMs: 5, cause: "first", parts: [1, 2], baseline: "12345" },
  epochNumber: 2,
  startedAtMs: 9,
  entries: [
    entry(5, {}, [{}]),
    entry(9, {}, [{}]),
    entry(9, {}, [{}, {}]),
    entry(9, null, [{}]),
    entry(9, {}, []),
  ],
} as unknown as OutgoingCall;

describe("M5: the spans of a plugin instance", () => {
  test("M5: a turn is a drain with its boundary, a compaction and the calls' figures, each counted once", async () => {
    const { spans, hooks, hear } = opened();
    hear({ kind: "busy", sessionId: SES });
    hooks.boundary?.({ sessionId: SES, history: [] });
    hooks.sending?.(call);
    const billed = { kind: "billed", sessionId: SES, messageId: "msg_1", usage } as const;
    hear(billed);
    hear(billed);
    hear({ ...billed, messageId: "msg_2" });
    await hooks.compacting?.(SES, { context: [] });
    hear({ kind: "compacted", sessionId: SES });
    hear({ kind: "touched", sessionId: SES });
    hear({ kind: "saved", sessionId: SES, messageId: "msg_3" });
    expect(spans.names()).toEqual(["boundary", "compaction"]);
    hear({ kind: "idle", sessionId: SES });
    expect(spans.names()).toEqual(["boundary", "compaction", "drain"]);
    expect(spans.all.at(-1)?.attributes).toMatchObject({
      "gen_ai.usage.output_tokens": 2 * usage.outputTokens,
    });
  });

  test("M5: a boundary says what was decided at it, and an epoch's first is an epoch, too", () => {
    const { spans, hooks, hear } = opened();
    hear({ kind: "busy", sessionId: SES });
    hooks.boundary?.({ sessionId: SES, history: [] });
    hooks.sending?.(call);
    // What an earlier boundary decided, what shows nothing, and what says nothing new is no update of this one.
    expect(spans.all.map(({ name }) => name)).toEqual(["boundary"]);
    expect(spans.all[0]?.attributes).toMatchObject({
      "session_runtime.messages": 3,
      "session_runtime.entries": 4,
      "session_runtime.updates": 2,
    });
    hooks.boundary?.({ sessionId: SES, history: [] });
    hooks.sending?.({ ...call, startedAtMs: 5 });
    const epoch = spans.all.find(({ name }) => name === "epoch");
    expect(epoch?.attributes).toMatchObject({
      "session_runtime.epoch.number": 2,
      "session_runtime.epoch.sources": 2,
      "session_runtime.epoch.baseline_chars": 5,
    });
  });

  test("M5: what is open when the plugin closes ends with it", async () => {
    const { spans, hooks, hear } = opened();
    hear({ kind: "busy", sessionId: SES });
    await hooks.closed?.();
    expect(spans.names()).toEqual(["drain closed"]);
  });

  test("M5: lines of the log come with every span; those of each call and each idle moment at level debug", async () => {
    const lines: [string, string][] = [];
    const at = (level: string) => (event: string) => void lines.push([level, event]);
    const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
    const traces = createInstanceTraces({ openTelemetry: "off" }, log);
    for (const name of ["inbox", "turn-record", "brief"] as const) {
      await traces.traceJob({ name, sessionId: SES }, async () => undefined);
    }
    traces.recordBusy(SES);
    traces.recordBoundaryStart(SES);
    traces.recordIdle(SES);
    expect(lines).toEqual([
      ["debug", "trace.job"],
      ["debug", "trace.job"],
      ["info", "trace.job"],
      ["debug", "trace.boundary"],
      ["info", "trace.drain"],
    ]);
  });

  test("M5: times are those of the wall clock", async () => {
    const at: number[] = [];
    const log = {
      info: (_: string, { durationMs }: { durationMs: number }) => at.push(durationMs),
    };
    const traces = createInstanceTraces({ openTelemetry: "off" }, log as unknown as Log);
    await traces.traceJob({ name: "brief", sessionId: SES }, () => Bun.sleep(20));
    expect(at[0]).toBeGreaterThan(10);
    expect(at[0]).toBeLessThan(5_000);
  });
});
