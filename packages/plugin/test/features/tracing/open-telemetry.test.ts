import { afterEach, describe, expect, test } from "bun:test";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { SessionTraces } from "../../../src/feature-api/session-traces.ts";
import { OpenTelemetrySpans } from "../../../src/features/tracing/open-telemetry.ts";
import { eventually } from "../../eventually.ts";
import { outcome, usage } from "./recorded.ts";

afterEach(() => trace.disable());

/** An SDK as another plugin, or the host, would register it. */
function registerSdk(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  return exporter;
}

const AT_MS = 1_800_000_000_000;

function tracesOver(sink: OpenTelemetrySpans): SessionTraces {
  let clockMs = AT_MS;
  return new SessionTraces([sink], () => clockMs++);
}

function unexpected(error: unknown): never {
  throw error;
}

describe("M5: OpenTelemetry", () => {
  test("M5: spans reach a registered SDK with names, parents, times and attributes", async () => {
    const exporter = registerSdk();
    const traces = tracesOver(new OpenTelemetrySpans(unexpected));
    traces.recordBusy("ses_1");
    traces.recordBoundaryStart("ses_1");
    traces.recordBoundaryEnd("ses_1", { ...outcome, kind: "opened" });
    traces.recordUsage("ses_1", usage);
    await eventually("the API is loaded", () => exporter.getFinishedSpans().length > 0);
    traces.recordCompactionStart("ses_1");
    await traces.traceJob({ name: "brief", sessionId: "ses_1" }, async () => "done");
    traces.recordIdle("ses_1");
    const spans = exporter.getFinishedSpans();
    const ids = new Map(spans.map((span) => [span.name, span.spanContext().spanId]));
    const under = (name: string) => ids.get(`session_runtime.${name}`);
    expect(spans.map((span) => [span.name, span.parentSpanContext?.spanId])).toEqual([
      ["session_runtime.epoch", under("boundary")],
      ["session_runtime.boundary", under("drain")],
      ["session_runtime.job brief", under("compaction")],
      ["session_runtime.compaction", under("drain")],
      ["session_runtime.drain", undefined],
    ]);
    const drain = spans.at(-1);
    expect(drain?.startTime).toEqual([AT_MS / 1_000, 0]);
    expect(drain?.attributes).toMatchObject({
      "gen_ai.conversation.id": "ses_1",
      "gen_ai.usage.output_tokens": 20,
    });
    expect(spans[3]?.status.code).toBe(SpanStatusCode.ERROR);
    expect(spans[3]?.attributes["error.type"]).toBe("unfinished");
  });

  test("M5: without an SDK the API is not loaded, and with one it is loaded once", async () => {
    let loads = 0;
    const sink = new OpenTelemetrySpans(unexpected, () => {
      loads += 1;
      return import("@opentelemetry/api");
    });
    const traces = tracesOver(sink);
    traces.recordBusy("ses_1");
    traces.recordIdle("ses_1");
    expect(loads).toBe(0);
    const exporter = registerSdk();
    for (const id of ["ses_2", "ses_3"]) {
      traces.recordBusy(id);
      traces.recordIdle(id);
    }
    await eventually("the API is loaded", () => exporter.getFinishedSpans().length >= 2);
    expect(loads).toBe(1);
    expect(exporter.getFinishedSpans()).toHaveLength(2);
  });

  test("an API that can't be loaded is told once and costs nothing more", async () => {
    registerSdk();
    const told: unknown[] = [];
    const sink = new OpenTelemetrySpans(
      (error) => void told.push(error),
      () => Promise.reject(new Error("no such package")),
    );
    const traces = tracesOver(sink);
    for (let count = 0; count < 1_000; count++) {
      traces.recordBusy("ses_1");
      traces.recordIdle("ses_1");
    }
    await eventually("it is told", () => told.length > 0);
    traces.recordBusy("ses_1");
    expect(told).toHaveLength(1);
  });
});
