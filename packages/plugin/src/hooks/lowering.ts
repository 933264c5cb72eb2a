// Adds native lowering to the hooks where it is on or was used before.
import type { Hooks } from "@opencode-ai/plugin";
import type { Config } from "../config/schema.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { Log } from "../log/log.ts";
import type { Notices } from "../log/notices.ts";
import { FormBook } from "../lowering/forms.ts";
import type { Addressee } from "../lowering/gate.ts";
import { NativeLowering } from "../lowering/native-lowering.ts";
import type { LoweringPlan } from "../lowering/plan.ts";
import type { FallBack } from "../lowering/send.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { SessionId } from "../storage/records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import { guard } from "./guard.ts";
import type { HostConfig } from "./host-config.ts";

type ParamsInput = Parameters<NonNullable<Hooks["chat.params"]>>[0];

interface Channels {
  readonly runtime: SessionRuntime;
  readonly database: () => RuntimeDatabase;
  readonly log: Log;
  readonly notices: Notices;
  readonly failures: FailureReporter;
  readonly now: () => number;
}

export function composeLowering(config: Config, channels: Channels): NativeLowering {
  const { failures } = channels;
  return new NativeLowering({
    mode: config.lowering,
    forms: new FormBook({
      database: channels.database,
      now: channels.now,
      storageFailed: (error) => failures.failed("storage", error),
    }),
    fellBack: (plan, fallBack) => tellFallBack(channels, plan, fallBack),
    failed: (error) => failures.failed("lowering", error),
  });
}

function tellFallBack(
  { runtime, log, notices }: Channels,
  plan: LoweringPlan,
  { why, updates, sentBefore }: FallBack,
): void {
  const { sessionId, providerId, modelId } = plan.owner;
  const model = `${providerId}/${modelId}`;
  log.warn("lowering.fell_back", { session: sessionId, model, why, updates });
  if (sentBefore > 0) runtime.fellBack(sessionId, model, why);
  if (why !== "refused") return;
  notices.notice({
    code: `lowering_refused:${model}`,
    severity: "info",
    message: `${model} does not take updates in its own instruction role.`,
    remedy: 'They are sent as text; set "lowering" to "wrapped" to stop further attempts.',
  });
}

interface Lowered {
  readonly lowering: NativeLowering;
  readonly runtime: SessionRuntime;
  readonly hostConfig: HostConfig;
  readonly failures: FailureReporter;
}

/** The hooks, with each call's updates lowered where the user asks for it, or did. */
export function withLowering(hooks: Hooks, plugin: Lowered): Hooks {
  const { lowering, runtime, failures, hostConfig } = plugin;
  return {
    ...hooks,
    "chat.params": async (input, output) => {
      await hooks["chat.params"]?.(input, output);
      await guard(failures, "lowering", () => {
        const sessionId = input.sessionID as SessionId;
        const call = hostConfig.standing === "only" ? runtime.sentCall(sessionId) : null;
        // The title's and a compaction's own calls have other agents, and no updates in them.
        if (!call || call.facts.agent !== input.agent) return;
        lowering.prepare({
          sessionId,
          modelId: call.facts.modelId,
          to: addresseeOf(input),
          messages: call.facts.messages,
          entries: call.entries,
          startedAtMs: call.facts.startedAtMs,
        });
      });
    },
    event: async (input) => {
      const { event } = input;
      if (event.type === "session.deleted") {
        await guard(failures, "lowering", () =>
          lowering.forget(event.properties.info.id as SessionId),
        );
      }
      await hooks.event?.(input);
    },
    dispose: async () => {
      await guard(failures, "lowering", () => lowering.close());
      await hooks.dispose?.();
    },
  };
}

function addresseeOf({ model, provider }: ParamsInput): Addressee {
  const { fetch, baseURL } = provider.options;
  const baseUrl = typeof baseURL === "string" ? baseURL : model.api.url;
  return {
    providerId: model.providerID,
    apiId: model.api.id,
    npm: model.api.npm,
    baseUrl: baseUrl === "" ? null : baseUrl,
    fetch: fetch === undefined ? "host" : "own",
  };
}
