import { beforeEach, describe, expect, test } from "bun:test";
import { SessionTraces } from "../../../src/feature-api/session-traces.ts";
import { createLogSink } from "../../../src/features/tracing/instance-traces.ts";
import { OpenTelemetrySpans } from "../../../src/features/tracing/open-telemetry.ts";
import type { Fields, Log } from "../../../src/log/log.ts";
import { timesAsLong } from "../../processor-time.ts";
import { outcome, RecordedSpans, usage } from "./recorded.ts";

let clockMs = 1_000;
let spans = new RecordedSpans();
let traces = new SessionTraces([spans], () => clockMs);

beforeEach(() => {
  clockMs = 1_000;
  spans = new RecordedSpans();
  traces = new SessionTraces([spans], () => clockMs);
});

describe("M5: spans", () => {
  test("M5: a drain goes from busy to idle and sums what its calls used", () => {
    traces.recordBusy("ses_1");
    traces.recordBoundaryStart("ses_1");
    clockMs += 5;
    traces.recordBoundaryEnd("ses_1", outcome);
    traces.recordUsage("ses_1", usage);
    traces.recordBoundaryStart("ses_1");
    traces.recordBoundaryEnd("ses_1", outcome);
    traces.recordUsage("ses_1", usage);
    clockMs += 95;
    traces.recordIdle("ses_1");
    expect(spans.names()).toEqual(["boundary", "boundary", "drain"]);
    const [first, , drain] = spans.all;
    expect(first).toMatchObject({ startedAtMs: 1_000, endedAtMs: 1_005 });
    expect(first?.parent).toBe(spans.begun[0] ?? null);
    expect(drain).toMatchObject({ startedAtMs: 1_000, endedAtMs: 1_100 });
    expect(drain?.attributes).toEqual({
      "gen_ai.conversation.id": "ses_1",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-opus-5",
      "gen_ai.usage.input_tokens": 628,
      "gen_ai.usage.output_tokens": 40,
      "gen_ai.usage.cache_read.input_tokens": 600,
      "gen_ai.usage.cache_creation.input_tokens": 8,
      "session_runtime.boundaries": 2,
      "session_runtime.updates": 2,
    });
  });

  test("M5: a boundary names session, model, agent and what it added", () => {
    traces.recordBoundaryStart("ses_1");
    traces.recordBoundaryEnd("ses_1", outcome);
    expect(spans.all[0]?.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.conversation.id": "ses_1",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-opus-5",
      "gen_ai.agent.name": "build",
      "session_runtime.boundary.kind": "steady",
      "session_runtime.epoch.number": 1,
      "session_runtime.messages": 3,
      "session_runtime.entries": 2,
      "session_runtime.updates": 1,
    });
  });

  test("M5: an epoch is a span below the boundary that opens it", () => {
    traces.recordBoundaryStart("ses_1");
    traces.recordBoundaryEnd("ses_1", { ...outcome, kind: "opened" });
    expect(spans.names()).toEqual(["epoch", "boundary"]);
    expect(spans.all[0]?.parent?.name).toBe("boundary");
    expect(spans.all[0]?.attributes).toMatchObject({
      "session_runtime.epoch.cause": "first",
      "session_runtime.epoch.sources": 4,
    });
  });

  test("M5: a compaction ends with the host's word, or unfinished with its drain", () => {
    traces.recordCompactionStart("ses_1");
    traces.recordCompactionEnd("ses_1");
    traces.recordCompactionStart("ses_1");
    traces.recordIdle("ses_1");
    expect(spans.names()).toEqual(["compaction", "compaction unfinished", "drain"]);
  });

  test("M5: a job hands on result and error and ends either way", async () => {
    traces.recordBusy("ses_1");
    const result = await traces.traceJob({ name: "brief", sessionId: "ses_1" }, async (note) => {
      note({ size: 3 });
      return "done";
    });
    expect(result).toBe("done");
    const failing = traces.traceJob({ name: "inbox", sessionId: "ses_1" }, async () => {
      throw new RangeError("a secret text");
    });
    await expect(failing).rejects.toThrow("a secret text");
    expect(spans.names()).toEqual(["job", "job RangeError"]);
    expect(spans.all[0]?.parent?.name).toBe("drain");
    expect(spans.all[0]?.attributes).toMatchObject({
      size: 3,
      "session_runtime.job.name": "brief",
    });
    expect(JSON.stringify(spans.all)).not.toContain("a secret text");
  });

  test("I12: sessions side by side keep their own spans", () => {
    traces.recordBoundaryStart("ses_1");
    traces.recordBoundaryStart("ses_2");
    traces.recordUsage("ses_2", usage);
    traces.recordBoundaryEnd("ses_1", outcome);
    traces.recordIdle("ses_1");
    traces.recordBoundaryEnd("ses_2", outcome);
    traces.recordIdle("ses_2");
    const ids = spans.all.map(({ attributes }) => attributes["gen_ai.conversation.id"]);
    expect(ids).toEqual(["ses_1", "ses_1", "ses_2", "ses_2"]);
    expect(spans.all.map(({ attributes }) => attributes["gen_ai.usage.output_tokens"])).toEqual([
      undefined,
      0,
      undefined,
      20,
    ]);
  });

  test("what comes twice or out of order changes nothing", () => {
    traces.recordIdle("ses_1");
    traces.recordUsage("ses_1", usage);
    traces.recordBoundaryEnd("ses_1", outcome);
    traces.recordCompactionEnd("ses_1");
    traces.recordBusy("ses_1");
    traces.recordBusy("ses_1");
    traces.recordBoundaryStart("ses_1");
    traces.recordBoundaryEnd("ses_1", outcome);
    traces.recordBoundaryEnd("ses_1", outcome);
    traces.recordBoundaryStart("ses_1");
    traces.recordBoundaryStart("ses_1");
    traces.close();
    traces.close();
    expect(spans.names()).toEqual([
      "boundary",
      "boundary superseded",
      "boundary unfinished",
      "drain closed",
    ]);
  });

  test("sessions that never come to rest are forgotten at some number", () => {
    for (let index = 0; index < 1_000; index++) traces.recordBusy(`ses_${index}`);
    expect(spans.all.length).toBe(744);
    expect(spans.all[0]?.ending).toEqual({ kind: "failed", reason: "forgotten" });
  });
});

test("M5: each span is one line of the log, boundaries at debug", () => {
  const lines: (readonly [string, string, Fields])[] = [];
  const at = (level: string) => (event: string, fields: Fields) =>
    void lines.push([level, event, fields]);
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  traces = new SessionTraces([createLogSink(log)], () => clockMs++);
  traces.recordCompactionStart("ses_1");
  traces.recordBoundaryStart("ses_1");
  traces.recordBoundaryEnd("ses_1", { ...outcome, kind: "opened" });
  traces.recordIdle("ses_1");
  expect(lines.map(([level, event]) => `${level} ${event}`)).toEqual([
    "info trace.epoch",
    "debug trace.boundary",
    "info trace.compaction",
    "info trace.drain",
  ]);
  expect(lines[1]?.[2]).toMatchObject({ durationMs: 2, outcome: "done" });
  expect(lines[2]?.[2]).toMatchObject({ outcome: "unfinished" });
});

test("M5: without an SDK nothing of OpenTelemetry is loaded, and a pass costs hardly more than without spans", async () => {
  const silent: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  let loads = 0;
  const noApi = new OpenTelemetrySpans(
    () => undefined,
    () => {
      loads += 1;
      return Promise.reject(new Error("must not be loaded"));
    },
  );
  const log = createLogSink(silent);
  const passes = (own: SessionTraces) => () => {
    for (let count = 0; count < 5_000; count++) {
      own.recordBoundaryStart("ses_1");
      own.recordBoundaryEnd("ses_1", outcome);
      own.recordUsage("ses_1", usage);
    }
  };
  const mostTimes = 1.5;
  const times = await timesAsLong(
    passes(new SessionTraces([log, noApi], () => performance.now())),
    passes(new SessionTraces([log], () => performance.now())),
    mostTimes,
  );
  expect(times).toBeLessThan(mostTimes);
  expect(loads).toBe(0);
});
