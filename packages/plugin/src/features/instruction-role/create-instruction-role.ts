// Lowers each call's updates as it is sent, and records which models don't accept them.
// Folder: Updates sent in a provider's own instruction role: at their makers' own addresses, unless set otherwise.
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { OutgoingCall } from "../../feature-api/feature-hooks.ts";
import type { SessionId } from "../../storage/records.ts";
import { isObject, type JsonObject } from "./body.ts";
import { FormCache } from "./forms.ts";
import { GlobalFetch } from "./global-fetch.ts";
import {
  type Family,
  type LoweringMode,
  type LoweringPlan,
  type PlannedUpdate,
  planUpdates,
  resolveNativeFamily,
} from "./plan.ts";
import { type Dialect, type LoweringDeps, type LoweringFailure, sendLowered } from "./send.ts";

// Plans a call's lowering when its decision is stored, and sends its requests.

/** A model call, reduced to what its lowering needs. */
type LowerableCall = Omit<OutgoingCall, "agent" | "epoch" | "epochNumber" | "fellBack">;

interface NativeLoweringDeps extends LoweringDeps {
  readonly mode: LoweringMode;
}

/**
 * Sends updates in the provider's own instruction role. The stored text stays wrapped, and projection and
 * digests don't change; the request's body is rewritten as it is sent, in the process's fetch.
 */
export class NativeLowering {
  readonly #fetch = new GlobalFetch();

  constructor(private readonly deps: NativeLoweringDeps) {}

  /** Must be called for each model call of a session's own loop, right before it is sent. */
  prepare(call: LowerableCall): void {
    this.#fetch.remove(call.sessionId);
    const plan = this.#planLowering(call);
    if (!plan) return;
    this.#fetch.set(call.sessionId, ({ url, body }, send) => {
      const request = this.#parseRequest(plan, url, body);
      return request && sendLowered(this.deps, plan, { ...request, send });
    });
  }

  forget(sessionId: SessionId): void {
    this.#fetch.remove(sessionId);
  }

  close(): void {
    this.#fetch.close();
  }

  /**
   * Plans the lowering. The setting decides about new updates; updates that were already sent natively stay
   * native under any setting.
   */
  #planLowering(call: LowerableCall): LoweringPlan | null {
    const { sessionId, modelId, to } = call;
    const family = resolveNativeFamily("native", to);
    const updates = family && planUpdates(call.messages, call.entries, call.startedAtMs);
    if (!updates || updates.length === 0) return null;
    const owner = { sessionId, modelId, providerId: to.providerId };
    const asks = resolveNativeFamily(this.deps.mode, to) !== null;
    if (!asks && !this.deps.forms.hasNative(owner)) return null;
    const addAge = (update: PlannedUpdate) => (asks ? update : { ...update, age: "sent" as const });
    return { owner, family, apiId: to.apiId, updates: updates.map(addAge) };
  }

  #parseRequest(plan: LoweringPlan, url: URL, text: string) {
    const dialect = findDialect(plan.family, url.pathname);
    const body = dialect && this.#parseBody(text);
    return body && body.model === plan.apiId ? { dialect, body } : null;
  }

  #parseBody(text: string): JsonObject | null {
    try {
      const body: unknown = JSON.parse(text);
      return isObject(body) ? body : null;
    } catch (error) {
      this.deps.failed(error);
      return null;
    }
  }
}

function findDialect(family: Family, path: string): Dialect | null {
  switch (family) {
    case "anthropic":
      return path.endsWith("/messages") ? "anthropic" : null;
    case "openai":
      if (path.endsWith("/chat/completions")) return "chat";
      return path.endsWith("/responses") ? "responses" : null;
  }
}

export function createInstructionRoleFeature(context: FeatureContext): FeatureInstance {
  const { config, database, failures } = context;
  const newest = new Map<SessionId, OutgoingCall>();
  const native = new NativeLowering({
    mode: config.lowering,
    forms: new FormCache({
      database: () => database.current(),
      now: Date.now,
      storageFailed: (error) => failures.failed("storage", error),
    }),
    fellBack: (plan, fallBack) => reportFallback(context, newest, plan, fallBack),
    failed: (error) => failures.failed("lowering", error),
    worked: () => failures.worked("lowering"),
  });
  return {
    hooks: {
      sending(call) {
        newest.set(call.sessionId, call);
        native.prepare(call);
      },
      onEvent({ kind, sessionId }) {
        if (kind !== "deleted") return;
        newest.delete(sessionId);
        native.forget(sessionId);
      },
      closed: () => native.close(),
    },
  };
}

function reportFallback(
  { log, notices }: FeatureContext,
  newest: ReadonlyMap<SessionId, OutgoingCall>,
  plan: LoweringPlan,
  { why, updates, sentBefore }: LoweringFailure,
): void {
  const { sessionId, providerId, modelId } = plan.owner;
  const model = `${providerId}/${modelId}`;
  log.warn("lowering.fell_back", { session: sessionId, model, why, updates });
  if (sentBefore > 0) newest.get(sessionId)?.fellBack(model, why);
  if (why !== "refused") return;
  notices.notice({
    code: `lowering_refused:${model}`,
    severity: "info",
    message: `${model} does not accept updates in its own instruction role.`,
    remedy: 'They are sent as text; set "lowering" to "wrapped" to stop further attempts.',
  });
}
