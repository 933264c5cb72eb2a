// Implements the port to a host for OpenCode 2, and translates its events.
import { homedir } from "node:os";
import { toFields, type UnknownFields } from "../context/fields.ts";
import { noScreen } from "../feature-api/screen.ts";
import { hostDefaultLimits } from "../features/tool-output/limits.ts";
import { resolveHostOutputPlace } from "../features/tool-output/managed-files.ts";
import type { JobHost } from "../jobs/child-port.ts";
import type { HostProjectName } from "../project/project.ts";
import { type Host, missingHostMethods } from "../runtime/host.ts";
import type { SessionMessage } from "../session/history.ts";
import { deriveHostScope } from "../sources/instruction-scope.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import type { SessionId, TurnUsage } from "../storage/records.ts";
import type { V2Context, V2Event } from "./context.ts";
import type { V2Models } from "./models.ts";

/** Maps each session to its history as of its newest request. */
export type Histories = Map<SessionId, readonly SessionMessage[]>;

interface V2HostDeps {
  readonly session: V2Context["session"];
  readonly models: V2Models;
  readonly directory: string;
  readonly histories: Histories;
  /** Shows a text in the plugin's part of the terminal UI, if there is one; the log always has it. */
  readonly toast: Host["toast"];
  readonly jobHost: JobHost | null;
}

/** Builds the host. A call to something that OpenCode 2 lacks rejects, as features expect. */
export function createV2Host(deps: V2HostDeps): Host {
  const { session, models, directory, histories, toast, jobHost } = deps;
  const worktree = directory;
  return {
    place: {
      directory,
      worktree,
      project: directory as HostProjectName,
      worker: directory,
      git: "no",
    },
    scope: deriveHostScope({ directory, worktree, configured: () => [] }, process.env, homedir()),
    models: () => models.list(),
    prunes: () => "off",
    asked: {
      ...missingHostMethods,
      messages: async (id, { count }) => (histories.get(id) ?? []).slice(-count),
      async parent(sessionID, { timeoutMs }) {
        const asked = session.get?.({ sessionID }) ?? Promise.resolve(null);
        const { parentID } = toFields(await withTimeout(timeoutMs, asked, () => null));
        return typeof parentID === "string" ? (parentID as SessionId) : null;
      },
      outputLimits: () => hostDefaultLimits,
      outputPlace: resolveHostOutputPlace(process.env, homedir()),
      sendPrompt: null,
    },
    toast,
    system: "host",
    listed: async (id) => histories.get(id) ?? [],
    jobHost,
    screen: noScreen,
  };
}

// Translates the events of OpenCode 2 for the runtime and its features.

export type V2HostEvent =
  | { readonly kind: "busy" | "idle" | "compacted" | "deleted"; readonly sessionId: SessionId }
  | {
      readonly kind: "billed";
      readonly sessionId: SessionId;
      /** The id of the answer's message. */
      readonly messageId: string;
      readonly usage: TurnUsage;
      readonly paidUsd: number;
      /** The figures as the host stores them on the answer. */
      readonly noted: { readonly tokens: UnknownFields; readonly finish?: string };
    }
  | { readonly kind: "refused"; readonly sessionId: SessionId; readonly said: readonly string[] };

/** Returns null for the many events that don't concern the runtime, or whose shape is unknown. */
export function readHostEvent({ type, data }: V2Event): V2HostEvent | null {
  const fields = toFields(data);
  const { sessionID } = fields;
  if (typeof sessionID !== "string") return null;
  const sessionId = sessionID as SessionId;
  switch (type) {
    case "session.execution.started":
      return { kind: "busy", sessionId };
    case "session.execution.succeeded":
    case "session.execution.failed":
    case "session.execution.interrupted":
      return { kind: "idle", sessionId };
    case "session.compaction.ended":
      return { kind: "compacted", sessionId };
    case "session.deleted":
      return { kind: "deleted", sessionId };
    case "session.step.ended":
      return toBilledEvent(sessionId, fields);
    case "session.step.failed": {
      const { message } = toFields(fields.error);
      return typeof message === "string" ? { kind: "refused", sessionId, said: [message] } : null;
    }
    default:
      return null;
  }
}

function toBilledEvent(sessionId: SessionId, fields: UnknownFields): V2HostEvent | null {
  const { assistantMessageID: messageId, cost, finish } = fields;
  const tokens = toFields(fields.tokens);
  const cache = toFields(tokens.cache);
  const usage = {
    inputTokens: toCount(tokens.input),
    outputTokens: toCount(tokens.output) + toCount(tokens.reasoning),
    cacheReadTokens: toCount(cache.read),
    cacheWriteTokens: toCount(cache.write),
  };
  const all = Object.values(usage).reduce((sum, part) => sum + part, 0);
  if (typeof messageId !== "string" || all === 0) return null;
  const noted = typeof finish === "string" ? { tokens, finish } : { tokens };
  return { kind: "billed", sessionId, messageId, usage, paidUsd: toCount(cost), noted };
}

function toCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
