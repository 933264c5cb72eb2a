import { afterEach, expect, test } from "bun:test";
import { trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { SessionTraces } from "../../../src/feature-api/session-traces.ts";
import type { EndedSpan, OpenSpan } from "../../../src/feature-api/span.ts";
import { tracingFeature as feature } from "../../../src/features/tracing/feature.ts";
import {
  createInstanceTraces,
  createLogSink,
} from "../../../src/features/tracing/instance-traces.ts";
import { OpenTelemetrySpans } from "../../../src/features/tracing/open-telemetry.ts";
import type { Log } from "../../../src/log/log.ts";
import { parseConfig } from "../../whole-config.ts";

afterEach(() => trace.disable());

type Api = typeof import("@opentelemetry/api");

function registerSdk(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  return exporter;
}

function silentLog(): Log {
  const nothing = () => undefined;
  return { debug: nothing, info: nothing, warn: nothing, error: nothing };
}

function unexpected(error: unknown): never {
  throw error;
}

test("spans go to a registered SDK unless that is turned off", async () => {
  const finished = async (openTelemetry: "auto" | "off") => {
    const exporter = registerSdk();
    const traces = createInstanceTraces({ openTelemetry }, silentLog());
    await traces.traceJob({ name: "brief", sessionId: "ses_1" }, async () => undefined);
    // The API is loaded as the sink loads it, and what waited for it has its turn.
    await import("@opentelemetry/api");
    await Bun.sleep(0);
    trace.disable();
    return exporter.getFinishedSpans().length;
  };
  expect([await finished("auto"), await finished("off")]).toEqual([1, 0]);
});

test("a span's times are those of the wall clock", async () => {
  const exporter = registerSdk();
  const beforeMs = Date.now();
  const traces = createInstanceTraces({ openTelemetry: "auto" }, silentLog());
  await traces.traceJob({ name: "brief", sessionId: "ses_1" }, async () => undefined);
  while (exporter.getFinishedSpans().length === 0) await Bun.sleep(10);
  const [seconds = 0, nanos = 0] = exporter.getFinishedSpans()[0]?.startTime ?? [];
  // The clock of spans was set when the process began: a machine's own may have been put right since.
  const toleranceMs = 60_000;
  const startMs = seconds * 1_000 + nanos / 1e6;
  expect(startMs).toBeWithin(beforeMs - toleranceMs, Date.now() + toleranceMs);
});

test("until the API is loaded 256 beginnings and ends wait, and the oldest go", async () => {
  const exporter = registerSdk();
  const { promise, resolve } = Promise.withResolvers<Api>();
  const traces = new SessionTraces([new OpenTelemetrySpans(unexpected, () => promise)], () => 0);
  for (let at = 0; at < 200; at += 1) {
    traces.recordBusy(`ses_${at}`);
    traces.recordIdle(`ses_${at}`);
  }
  resolve(await import("@opentelemetry/api"));
  await promise;
  await Bun.sleep(0);
  const sessions = exporter
    .getFinishedSpans()
    .map(({ attributes }) => attributes["gen_ai.conversation.id"]);
  expect(sessions).toHaveLength(128);
  expect([sessions[0], sessions.at(-1)]).toEqual(["ses_72", "ses_199"]);
  traces.recordBusy("ses_later");
  traces.recordIdle("ses_later");
  expect(exporter.getFinishedSpans()).toHaveLength(129);
});

test("a span whose beginning nobody took is not ended", async () => {
  const api = await import("@opentelemetry/api");
  const traces = new SessionTraces(
    [new OpenTelemetrySpans(unexpected, () => Promise.resolve(api))],
    () => 0,
  );
  traces.recordBusy("ses_1");
  const exporter = registerSdk();
  traces.recordIdle("ses_1");
  traces.recordBusy("ses_2");
  traces.recordIdle("ses_2");
  await Bun.sleep(0);
  expect(exporter.getFinishedSpans()).toHaveLength(1);
});

test("a span that ends well has no error", async () => {
  const exporter = registerSdk();
  const api = await import("@opentelemetry/api");
  const sink = new OpenTelemetrySpans(unexpected, () => Promise.resolve(api));
  const traces = new SessionTraces([sink], () => 0);
  await traces.traceJob({ name: "brief", sessionId: "ses_1" }, async () => "done");
  await Bun.sleep(0);
  const [span] = exporter.getFinishedSpans();
  expect(span?.status.code).toBe(api.SpanStatusCode.UNSET);
  expect(span?.attributes["error.type"]).toBeUndefined();
});

test("a line has the span's name, its duration to the microsecond, how it ended and its attributes", () => {
  const lines: (readonly unknown[])[] = [];
  const log = { ...silentLog(), info: (...line: readonly unknown[]) => void lines.push(line) };
  const span: EndedSpan = {
    ...{ name: "compaction", parent: null, startedAtMs: 1_000, attributes: { "a.b": 3 } },
    ...{ endedAtMs: 1_001.234_56, ending: { kind: "done" } },
  };
  const sink = createLogSink(log);
  sink.began(span as OpenSpan);
  sink.ended(span as OpenSpan, span);
  sink.ended(span as OpenSpan, { ...span, ending: { kind: "failed", reason: "unfinished" } });
  expect(lines).toEqual([
    ["trace.compaction", { durationMs: 1.235, outcome: "done", "a.b": 3 }],
    ["trace.compaction", { durationMs: 1.235, outcome: "unfinished", "a.b": 3 }],
  ]);
});

test("the setting is auto or off", () => {
  const set = (openTelemetry: unknown) => parseConfig({ traces: { openTelemetry } });
  expect(feature.name).toBe("traces");
  expect(parseConfig({})).toMatchObject({ traces: { openTelemetry: "auto" } });
  expect(set("off")).toMatchObject({ traces: { openTelemetry: "off" } });
  expect(() => set("on")).toThrow();
});
