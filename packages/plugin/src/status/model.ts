// Reads the model of a session's status.
// Folder: What is reported of a session, by commands, panel and command line.
import type { LogHealth } from "../log/log.ts";
import type { ShownNotice } from "../log/notices.ts";
import type { StorageErrorCode } from "../storage/errors.ts";
import type { DatabaseHealth } from "../storage/health.ts";
import type {
  BriefOverview,
  EpochOverview,
  InboxCounts,
  SessionOverview,
} from "../storage/overview-records.ts";
import type { EpochCause, SessionId } from "../storage/records.ts";
import { sumContextTokens } from "../storage/turn-figures.ts";
import { type CacheStatus, EMPTY_CACHE_STATUS, readCache } from "./cache.ts";
import { type LayerShare, readLayers } from "./layers.ts";
import { type ActiveLedger, findCurrentEpoch, type StatusSection } from "./section.ts";
import { type FailingSource, readSources, type SourceStatus } from "./sources.ts";
import {
  type FormStatus,
  readForms,
  readUpdates,
  sumFoldedTokens,
  sumSentTokens,
  type TextSize,
  toTextSize,
  type UpdateStatus,
} from "./updates.ts";
import { renderCount } from "./wording.ts";

// Counts what the store holds of a session's inbox.

/** The counts of a session's inbox, without the text of any prompt. */
export interface InboxStatus {
  readonly waiting: number;
  /** Prompts that are on their way into the conversation, or that never arrived there. */
  readonly unread: number;
  /** Prompts in the conversation without an answer. */
  readonly unanswered: number;
  /** Prompts that were refused because a required source could not load. */
  readonly refused: number;
}

function readInbox(counts: InboxCounts): InboxStatus {
  const { waiting, handed, saved, promoted, refused } = counts;
  return { waiting, unread: handed + saved, unanswered: promoted, refused };
}

/** Renders the counts in a sentence; null if there is nothing to report. */
export function renderInboxLine(inbox: InboxStatus): string | null {
  const said = [
    [inbox.waiting, "in the queue"],
    [inbox.unread, "not in any call yet"],
    [inbox.unanswered, "without an answer"],
    [inbox.refused, "refused"],
  ] as const;
  const parts = said.flatMap(([count, how]) =>
    count > 0 ? [`${renderCount(count, "prompt")} ${how}`] : [],
  );
  if (parts.length === 0) return null;
  return `${parts.join(", ")}. /ctx-queue lists what waits, /ctx-resume continues.`;
}

/** The session's stored state, or the reason why it can't be read. */
export type StoredState =
  | {
      readonly kind: "read";
      readonly overview: SessionOverview;
      readonly health: DatabaseHealth;
      readonly sections: readonly StatusSection[];
    }
  | { readonly kind: "unreadable"; readonly code: StorageErrorCode; readonly message: string };

export interface StatusInput {
  readonly sessionId: SessionId;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly stored: StoredState;
}

/** Facts that only the running host knows. Other surfaces read a status without them. */
export interface LiveState {
  /** The entries in effect; null if the host could not be asked for the session's messages. */
  readonly shown: ActiveLedger | null;
  readonly failing: readonly FailingSource[];
  readonly warnings: readonly ShownNotice[];
  readonly log: LogHealth;
  /** Specs of loaded plugins that are known to rewrite messages or the system string. */
  readonly rewriters: readonly string[];
  /** The tokens of tools and agent prompt in the newest call; null while unknown. */
  readonly toolsTokens: (status: Pick<SessionStatus, "epoch" | "cache">) => number | null;
}

export interface EpochStatus {
  /** The epoch's number among the session's epochs, from 1. */
  readonly number: number;
  /** The number of all epochs of the session; it exceeds `number` while a compaction is undone. */
  readonly count: number;
  readonly cause: EpochCause;
  readonly startedAtMs: number;
  readonly directory: string;
  /** The Baseline as sent: bytes are UTF-8; the hash is the first 8 hex digits of its xxHash64. */
  readonly baseline: TextSize & { readonly hash: string };
}

interface BriefStatus extends TextSize {
  readonly madeAtMs: number;
  /** The stage of a workflow; null outside of a workflow. */
  readonly stage: string | null;
}

type StorageStatus =
  | ({ readonly kind: "open" } & DatabaseHealth)
  | { readonly kind: "unreadable"; readonly code: StorageErrorCode; readonly message: string };

/** All that status surfaces show of a session: values only, no functions, sets or dates. */
export interface SessionStatus {
  readonly sessionId: string;
  /** The host that has claimed the session; null if none has. */
  readonly harness: string | null;
  readonly atMs: number;
  /** `database`: facts that only the running host knows are unknown, and left empty. */
  readonly ground: "host" | "database";
  /** The present epoch; null if no call of the session has been frozen yet. */
  readonly epoch: EpochStatus | null;
  /** Sources in code-unit order of keys. */
  readonly sources: readonly SourceStatus[];
  /** Mid-Conversation System Messages of the current epoch, in order. */
  readonly updates: readonly UpdateStatus[];
  /**
   * The forms by model, if any of these updates was requested in the model's own role; the others went as
   * text.
   */
  readonly forms: readonly FormStatus[];
  /** The number of updates of other epochs, which are no longer sent but kept as history. */
  readonly formerUpdates: number;
  /** The newest call by layers; empty while the provider has reported nothing. */
  readonly layers: readonly LayerShare[];
  /** The brief that the newest compaction received; null if there was none. */
  readonly brief: BriefStatus | null;
  /** The counts of the inbox; null if the database can't be read. */
  readonly inbox: InboxStatus | null;
  readonly cache: CacheStatus;
  /** The sections that features add for the session. */
  readonly sections: readonly StatusSection[];
  readonly storage: StorageStatus;
  /** The health of the log; null without the running host. */
  readonly log: LogHealth | null;
  readonly warnings: readonly ShownNotice[];
  readonly rewriters: readonly string[];
}

/** Reads the one model of a session's status. Pure; `live` is null if no host is running. */
export function readStatus(input: StatusInput, live: LiveState | null): SessionStatus {
  const { stored } = input;
  const overview = stored.kind === "read" ? stored.overview : null;
  const shown = live?.shown ?? null;
  const all = overview?.entries ?? [];
  const epoch = overview && findCurrentEpoch(overview.epochs, overview.calls, shown);
  const entries = all.filter((entry) => entry.epochSeq === epoch?.seq);
  const updates = readUpdates(entries, shown);
  const cache = overview ? readCache(overview) : EMPTY_CACHE_STATUS;
  const status = { epoch: epoch && toEpochStatus(epoch, overview?.epochs ?? []), cache };
  const newest = cache.calls.findLast(({ usage }) => usage !== null)?.usage;
  return {
    ...status,
    sessionId: input.sessionId,
    harness: overview?.harness ?? null,
    atMs: input.nowMs,
    ground: live ? "host" : "database",
    sources: readSources({ epoch, entries, shown, failing: live ? live.failing : null }),
    updates,
    forms: readForms(entries, overview?.forms ?? []),
    formerUpdates: readUpdates(all, shown).length - updates.length,
    layers: readLayers({
      totalTokens: newest ? sumContextTokens(newest) : null,
      baselineTokens: status.epoch?.baseline.approxTokens ?? 0,
      historyTokens: sumFoldedTokens(entries, shown),
      updatesTokens: sumSentTokens(updates),
      toolsTokens: live?.toolsTokens(status) ?? null,
    }),
    brief: overview?.brief ? toBriefStatus(overview.brief) : null,
    inbox: overview && readInbox(overview.inbox),
    sections: stored.kind === "read" ? stored.sections : [],
    storage: toStorageStatus(stored),
    log: live?.log ?? null,
    warnings: live?.warnings ?? [],
    rewriters: live?.rewriters ?? [],
  };
}

function toBriefStatus({ bytes, stage, madeAtMs }: BriefOverview): BriefStatus {
  return { ...toTextSize(bytes), madeAtMs, stage };
}

function toEpochStatus(epoch: EpochOverview, epochs: readonly EpochOverview[]): EpochStatus {
  return {
    number: epochs.indexOf(epoch) + 1,
    count: epochs.length,
    cause: epoch.cause,
    startedAtMs: epoch.startedAtMs,
    directory: epoch.directory,
    baseline: {
      ...toTextSize(epoch.baselineBytes),
      hash: epoch.baselineHash.slice(0, 8),
    },
  };
}

function toStorageStatus(stored: StoredState): StorageStatus {
  switch (stored.kind) {
    case "read":
      return { kind: "open", ...stored.health };
    case "unreadable":
      return { kind: "unreadable", code: stored.code, message: stored.message };
  }
}
