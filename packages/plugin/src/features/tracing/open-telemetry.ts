// Sends spans through OpenTelemetry's API, which is loaded only if an SDK is present.
import type { Span, SpanContext, Tracer } from "@opentelemetry/api";
import type { Attributes, EndedSpan, OpenSpan, SpanSink } from "../../feature-api/span.ts";
import { attributeNames } from "../../feature-api/span.ts";

type OpenTelemetryApi = typeof import("@opentelemetry/api");

/** Loads the API; a test passes its own loader to count calls. */
type LoadApi = () => Promise<OpenTelemetryApi>;

const loadApi: LoadApi = () => import("@opentelemetry/api");

/** Under this key, every copy of the API keeps what an SDK has registered. */
const API_REGISTRY_KEY = Symbol.for("opentelemetry.js.api.1");

/** Returns true if an SDK of OpenTelemetry has registered itself in this process; if not, the API isn't loaded. */
function isTracing(): boolean {
  const shared = globalThis as typeof globalThis & {
    [API_REGISTRY_KEY]?: { readonly trace?: unknown };
  };
  return shared[API_REGISTRY_KEY]?.trace !== undefined;
}

/** At most this many spans wait for the API to load; beyond that the oldest are dropped. */
const MAX_WAITING_SPANS = 256;

/**
 * Sends spans through OpenTelemetry's API, which is loaded when the first span begins with an SDK present.
 * Begin and end carry their own times, so waiting for the API distorts nothing.
 */
export class OpenTelemetrySpans implements SpanSink {
  #api: OpenTelemetryApi | null = null;
  #loading = false;
  #waiting: ((api: OpenTelemetryApi) => void)[] = [];
  readonly #spans = new WeakMap<OpenSpan, Span>();

  constructor(
    /** Is called once if the API could not be loaded. */
    private readonly failed: (error: unknown) => void,
    private readonly load: LoadApi = loadApi,
  ) {}

  began(span: OpenSpan): void {
    if (isTracing()) this.#runWithApi((api) => this.#begin(api, span));
  }

  ended(span: OpenSpan, whole: EndedSpan): void {
    if (isTracing()) this.#runWithApi((api) => this.#end(api, span, whole));
  }

  #runWithApi(work: (api: OpenTelemetryApi) => void): void {
    if (this.#api) {
      work(this.#api);
      return;
    }
    this.#waiting.push(work);
    if (this.#waiting.length > MAX_WAITING_SPANS) this.#waiting.shift();
    if (this.#loading) return;
    this.#loading = true;
    this.load().then(
      (api) => this.#onLoaded(api),
      (error) => this.failed(error),
    );
  }

  #onLoaded(api: OpenTelemetryApi): void {
    this.#api = api;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const work of waiting) work(api);
  }

  #begin(api: OpenTelemetryApi, span: OpenSpan): void {
    const parent = span.parent && this.#spans.get(span.parent)?.spanContext();
    const begun = getTracer(api).startSpan(
      buildSpanName(span.attributes, span.name),
      { startTime: span.startedAtMs, attributes: { ...span.attributes } },
      createSpanContext(api, parent ?? null),
    );
    this.#spans.set(span, begun);
  }

  #end(api: OpenTelemetryApi, span: OpenSpan, whole: EndedSpan): void {
    const begun = this.#spans.get(span);
    if (!begun) return;
    begun.setAttributes({ ...whole.attributes });
    if (whole.ending.kind === "failed") {
      begun.setAttribute(attributeNames.errorType, whole.ending.reason);
      begun.setStatus({ code: api.SpanStatusCode.ERROR });
    }
    begun.end(whole.endedAtMs);
  }
}

function getTracer(api: OpenTelemetryApi): Tracer {
  return api.trace.getTracer("@session-runtime/opencode");
}

/** Puts a span below its parent or, if it has none, below the span that the host itself is in. */
function createSpanContext(api: OpenTelemetryApi, parent: SpanContext | null) {
  const active = api.context.active();
  return parent ? api.trace.setSpanContext(active, parent) : active;
}

function buildSpanName(attributes: Attributes, name: string): string {
  const job = attributes[attributeNames.job];
  return job === undefined ? `session_runtime.${name}` : `session_runtime.${name} ${job}`;
}
