// Builds reports on a session, for the commands and for terminal UIs.
import type { OpenCommand, ReportCommand } from "../feature-api/command.ts";
import type { ProvidedLookup } from "../feature-api/extension-point.ts";
import { PROMPT_QUEUE, SESSION_NOTICES } from "../feature-api/extension-points.ts";
import type { ChannelContent } from "../feature-api/screen.ts";
import type { HostMessage } from "../ledger/message.ts";
import { estimateHistoryTokens } from "../ledger/tokens.ts";
import { toFaultFields } from "../log/fault.ts";
import { createReportBase } from "../runtime/host-calls.ts";
import type { SessionStatus } from "../status/model.ts";
import { type PanelStatus, readPanel } from "../status/panel.ts";
import { type CommandReport, loadStatus, type ReportDeps } from "../status/report.ts";
import { findRewriters } from "../status/rewriters.ts";
import type { ActiveLedger } from "../status/section.ts";
import { StorageError } from "../storage/errors.ts";
import type { SessionId } from "../storage/records.ts";
import { sumContextTokens } from "../storage/turn-figures.ts";
import type { ComposedPlugin } from "./compose.ts";
import { dropUndone } from "./opencode-host.ts";

/** The agent, model and variant with which the newest prompt ran. */
export interface PromptContext {
  readonly agent: string;
  readonly model: { readonly providerID: string; readonly modelID: string };
  /** The model's variant, such as a reasoning effort. */
  readonly variant: { readonly variant: string } | null;
}

/** Says whether a report can be written into the session, and if not, why. */
type ReportPlace =
  | { readonly kind: "open"; readonly prompted: PromptContext }
  /** The session has no prompt yet, and a message before it would cost the session its title. */
  | { readonly kind: "empty" }
  /** The session has an undo that can still be reverted, and any message would make it final. */
  | { readonly kind: "undone" }
  /** The host fails to list the session's messages, as OpenCode 1.18.33 does after a structured answer. */
  | { readonly kind: "unlisted" };

interface SessionReport extends CommandReport {
  readonly place: ReportPlace;
}

interface HostSession {
  readonly place: ReportPlace;
  readonly shown: ActiveLedger | null;
}

type CallLookup = Pick<SessionStatus, "epoch" | "cache">;

/** Builds the reports on a session for commands and terminal UIs. */
export class Reports {
  /**
   * The token count of the tool definitions and the agent's prompt, by session: that of the first call which was
   * seen in the session's epoch.
   */
  readonly #tools = new Map<SessionId, { readonly epochNumber: number; readonly tokens: number }>();

  constructor(
    private readonly plugin: ComposedPlugin,
    private readonly reporting: (sessionId: SessionId) => Promise<void>,
  ) {}

  async reportFor({ report }: ReportCommand, sessionId: SessionId): Promise<SessionReport> {
    await this.#openDatabase();
    await this.reporting(sessionId);
    const { place, shown } = await this.#readSession(sessionId);
    this.plugin.runtime.turns.flush();
    return { place, ...(await report(this.#createReportDeps(sessionId, shown))) };
  }

  /** Finds out whether something can be written into the session now. */
  async readPlace(sessionId: SessionId): Promise<ReportPlace> {
    return (await this.#readSession(sessionId)).place;
  }

  /**
   * Returns what is always shown. It reads the database alone and writes nothing early, because it is needed
   * in the middle of every call.
   */
  async readPanel(sessionId: SessionId): Promise<PanelStatus> {
    await this.#openDatabase();
    const status = loadStatus(this.#createReportDeps(sessionId, null));
    const panel = readPanel(status, {
      toasts: this.plugin.config.notices.toast ? "shown" : "silent",
      notice: this.#joinNotices(sessionId),
      off: [...this.plugin.offCommands],
    });
    const { inbox } = panel;
    if (!this.plugin.runtime.isBusy(sessionId)) return panel;
    // A prompt in progress has no answer yet, which is not worth reporting.
    const shown = inbox && { ...inbox, unread: 0, unanswered: 0 };
    return { ...panel, inbox: shown, notice: null };
  }

  #joinNotices(sessionId: SessionId): string | null {
    const notices = this.plugin.provided
      .getAll(SESSION_NOTICES)
      .flatMap(({ value: notice }) => notice(sessionId) ?? []);
    return notices.length === 0 ? null : notices.join(" ");
  }

  /**
   * Estimates the tokens of tools and agent prompt, which hooks can't read off the wire, as the rest of a
   * call's tokens. The first call seen of an epoch gives the best estimate, because its conversation, whose
   * tokens are guessed, is the shortest. The estimate stays as the conversation grows.
   */
  #estimateToolTokens(sessionId: SessionId, { epoch, cache }: CallLookup): number | null {
    const known = this.#tools.get(sessionId);
    if (known && known.epochNumber === epoch?.number) return known.tokens;
    const sent = this.plugin.runtime.findSentCall(sessionId);
    const call = cache.calls.at(-1);
    if (!epoch || !call?.usage || sent?.facts.startedAtMs !== call.sentAtMs) return null;
    const nonToolTokens = epoch.baseline.approxTokens + estimateHistoryTokens(sent.facts.messages);
    const tokens = Math.max(0, sumContextTokens(call.usage) - nonToolTokens);
    this.#tools.set(sessionId, { epochNumber: epoch.number, tokens });
    return tokens;
  }

  /** Opens the database; if that fails, the report itself says why. */
  async #openDatabase(): Promise<void> {
    try {
      await this.plugin.database.ensure();
    } catch (error) {
      this.plugin.log.warn("command.database", toFaultFields(error));
    }
  }

  async #readSession(sessionId: SessionId): Promise<HostSession> {
    const { client } = this.plugin.input;
    const path = { id: sessionId };
    const [messages, session] = await Promise.all([
      client.session.messages({ path }),
      client.session.get({ path, throwOnError: true }),
    ]);
    const { revert } = session.data;
    if (!messages.data) {
      this.plugin.log.warn("command.unlisted", {
        session: sessionId,
        status: messages.response?.status ?? "no answer",
      });
      return { place: { kind: "unlisted" }, shown: null };
    }
    return {
      place: revert ? { kind: "undone" } : findPlace(messages.data),
      shown: this.#readShownLedger(sessionId, dropUndone(messages.data, revert)),
    };
  }

  /** Returns null if the ledger can't be read; the report then says why. */
  #readShownLedger(sessionId: SessionId, messages: readonly HostMessage[]): ActiveLedger | null {
    try {
      return this.plugin.runtime.readShownLedger(sessionId, messages);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return null;
    }
  }

  #createReportDeps(sessionId: SessionId, shown: ActiveLedger | null): ReportDeps {
    return {
      ...createReportBase(this.plugin, sessionId),
      shown,
      rewriters: findRewriters(this.plugin.hostConfig.listPlugins()),
      toolsTokens: (status) => this.#estimateToolTokens(sessionId, status),
    };
  }
}

type HostMessages = NonNullable<
  Awaited<ReturnType<ComposedPlugin["input"]["client"]["session"]["messages"]>>["data"]
>;

function findPlace(messages: HostMessages): ReportPlace {
  const newest = messages.findLast(({ info }) => info.role === "user")?.info;
  if (newest?.role !== "user") return { kind: "empty" };
  const { agent, model } = newest;
  const { providerID, modelID } = model;
  const variant =
    "variant" in model && typeof model.variant === "string" ? { variant: model.variant } : null;
  return { kind: "open", prompted: { agent, model: { providerID, modelID }, variant } };
}

interface ChannelContentDeps {
  readonly commands: readonly OpenCommand[];
  /** Returns a command's newest answer if it has several lines; null if there is none. */
  readonly findAnswer: (command: string, sessionId: SessionId) => string | null;
  readonly opened: (sessionId: SessionId) => void;
}

/** Builds the content for terminal UIs. */
export function createChannelContent(
  provided: Pick<ProvidedLookup, "getOne">,
  reports: Reports,
  { commands, findAnswer, opened }: ChannelContentDeps,
): ChannelContent {
  return {
    opened: (sessionId) => opened(sessionId as SessionId),
    status: (sessionId) => reports.readPanel(sessionId as SessionId),
    async report({ report, sessionId }) {
      const command = commands.find(({ name }) => name === report);
      if (command?.kind === "report") return reports.reportFor(command, sessionId as SessionId);
      const text = findAnswer(report, sessionId as SessionId);
      return text === null ? null : { text };
    },
    async queue(sessionId) {
      const queue = provided.getOne(PROMPT_QUEUE);
      if (!queue) throw new Error("The inbox is not available.");
      return queue(sessionId as SessionId);
    },
  };
}
