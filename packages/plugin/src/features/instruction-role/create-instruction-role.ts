// Lowers each call's updates on its way, and says where a model doesn't take them.
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { SendingCall } from "../../feature-api/feature-hooks.ts";
import type { SessionId } from "../../storage/records.ts";
import { FormCache } from "./forms.ts";
import { NativeLowering } from "./native-updates.ts";
import type { LoweringPlan } from "./plan.ts";
import type { LoweringFailure } from "./send.ts";

export function createInstructionRoleFeature(context: FeatureContext): FeatureInstance {
  const { config, database, failures } = context;
  const newest = new Map<SessionId, SendingCall>();
  const native = new NativeLowering({
    mode: config.lowering,
    forms: new FormCache({
      database: () => database.current(),
      now: Date.now,
      storageFailed: (error) => failures.failed("storage", error),
    }),
    fellBack: (plan, fallBack) => reportFallBack(context, newest, plan, fallBack),
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

function reportFallBack(
  { log, notices }: FeatureContext,
  newest: ReadonlyMap<SessionId, SendingCall>,
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
