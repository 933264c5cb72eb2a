// Creates the compaction feature: it makes a brief of the current work, stores it and adds it to the compaction.
import { shortenText } from "../../config/warning.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { CompactionOutput } from "../../feature-api/feature-hooks.ts";
import { attributeNames } from "../../feature-api/span.ts";
import { asksForCompaction, isText } from "../../ledger/message.ts";
import { toFaultFields } from "../../log/fault.ts";
import type { BriefRecord } from "../../storage/brief-store.ts";
import { StorageError } from "../../storage/errors.ts";
import type { SessionId } from "../../storage/records.ts";
import { resolveHistorySettings } from "../history/history-settings.ts";
import { createInboxStore } from "../inbox/store.ts";
import { renderReplacementPrompt } from "./brief.ts";
import { type BriefPreview, type BriefResult, renderBriefReport } from "./make-brief.ts";
import { defaultReadBounds } from "./reader.ts";
import {
  gatherRuntimeFacts,
  type HistoryMessage,
  isSummary,
  parseTodos,
  type RuntimeFacts,
} from "./runtime-facts.ts";
import { type SessionRows, StatementCarrier } from "./statements.ts";
import { listWorkflows, type Workflow } from "./workflows.ts";

/**
 * The most rows that are read of a long history, from the newest back, even beyond its earlier compactions.
 */
const MAX_NEWEST_ROWS = 2_000;

/** The longest time that the host may take to return the rows. */
const HOST_TIMEOUT_MS = 15_000;

/** The most tokens that a brief may take. */
const BRIEF_BUDGET_TOKENS = 6000;

/** The most queued prompts that are listed. */
const MAX_QUEUED_PROMPTS = 20;

export function createCompactionFeature(context: FeatureContext): FeatureInstance {
  const briefs = context.config.continuity.enabled ? new Briefs(context) : null;
  return {
    hooks: {
      ...(briefs && {
        compacting: (id, output) => briefs.push(id, output),
        boundary: (call) => briefs.carrier.prepare(call),
      }),
    },
    policies: briefs ? [briefs.carrier.policy] : [],
    commands: [
      {
        kind: "report",
        name: "ctx-brief",
        dialog: () => "ctx-brief",
        report: ({ sessionId }) => renderBriefReport(briefs, sessionId),
      },
    ],
  };
}

function toNoticeCode(path: string): string {
  return `continuity_outside:${path}`;
}

interface FoundRows extends SessionRows {
  readonly rows: readonly HistoryMessage[];
}

/** Makes and stores the briefs of one plugin instance. */
class Briefs {
  readonly #workflows: readonly Workflow[];
  readonly carrier: StatementCarrier;
  /** Paths that the newest brief did not read because they lead out of the project. */
  #outside: ReadonlySet<string> = new Set();

  constructor(private readonly context: FeatureContext) {
    const { database } = context;
    this.#workflows = listWorkflows(context.config.continuity.workflows);
    this.carrier = new StatementCarrier({
      wayBack: resolveHistorySettings(context)?.wayBack ?? "none",
      stored: (id) => this.#readNewestBrief(id)?.carried.statements ?? [],
      rows: (id) => this.#readRows(id),
      isCarried: (id, name, messageId) =>
        database
          .current()
          .ledger.loadSound(id, () => undefined)
          .entries.some((entry) => entry.origin === name && entry.messageId === messageId),
    });
  }

  /** @throws StorageError if the brief can't be stored; nothing is added to the compaction then */
  async push(sessionId: SessionId, output: CompactionOutput): Promise<void> {
    await this.context.traces.traceJob({ name: "brief", sessionId }, async (note) =>
      note({ [attributeNames.briefChars]: await this.#push(sessionId, output) }),
    );
  }

  /** Makes and stores the brief, and adds it to the compaction. Returns its length in UTF-16 units. */
  async #push(sessionId: SessionId, output: CompactionOutput): Promise<number> {
    const { config, database, now } = this.context;
    const found = await this.#readRows(sessionId);
    const history = found?.rows ?? [];
    const { brief, text } = await this.#makeBrief(sessionId, history);
    database.current().briefs.append({
      sessionId,
      compactionId: findCompactionRow(history),
      text,
      essentials: brief.essentials,
      carried: { ...brief.carried, statements: this.carrier.collect(sessionId, found) },
      madeAtMs: now(),
    });
    switch (config.continuity.prompt) {
      case "inject":
        output.context.push(text);
        break;
      case "replace":
        output.prompt = renderReplacementPrompt(text, findLastSummary(history));
        break;
    }
    return text.length;
  }

  async preview(sessionId: SessionId): Promise<BriefPreview> {
    const made = await this.#makeBrief(sessionId, (await this.#readRows(sessionId))?.rows ?? []);
    return { made, last: this.#readNewestBrief(sessionId) };
  }

  /** Returns null if the stored brief is damaged: the next brief is then made from the conversation alone. */
  #readNewestBrief(sessionId: SessionId): BriefRecord | null {
    try {
      return this.context.database.current().briefs.newest(sessionId);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== "corrupt") throw error;
      this.context.failures.failed("storage", error);
      return null;
    }
  }

  async #makeBrief(sessionId: SessionId, history: readonly HistoryMessage[]): Promise<BriefResult> {
    const { location } = this.context;
    // Imported at the first compaction, because it loads a Markdown parser that the host's start need not
    // wait for.
    const { makeBrief } = await import("./make-brief.ts");
    const made = await makeBrief({
      directory: location.directory,
      workflows: this.#workflows,
      facts: await this.#gatherFacts(sessionId, history),
      carried: this.#readNewestBrief(sessionId)?.carried ?? null,
      budgetTokens: BRIEF_BUDGET_TOKENS,
      bounds: defaultReadBounds,
      now: () => performance.now(),
    });
    this.#reportOutsidePaths(made.outside);
    return made;
  }

  /** Reports the paths that lead out of the project, and ends the notices about paths that no longer do. */
  #reportOutsidePaths(outside: readonly string[]): void {
    const paths = new Set(outside);
    for (const path of this.#outside)
      if (!paths.has(path)) this.context.notices.over(toNoticeCode(path));
    this.#outside = paths;
    for (const path of paths) this.#sendOutsidePathNotice(path);
  }

  #sendOutsidePathNotice(path: string): void {
    this.context.notices.notice({
      code: toNoticeCode(path),
      severity: "warning",
      ends: "by over",
      message: `${shortenText(path, 120)} points outside the project, so continuity briefs leave it out.`,
      remedy: "Copy the file into the project if briefs should use it.",
    });
  }

  async #gatherFacts(
    sessionId: SessionId,
    history: readonly HistoryMessage[],
  ): Promise<RuntimeFacts> {
    const { location, database } = this.context;
    const facts = gatherRuntimeFacts(history, location.directory);
    const waiting = database
      .current()
      .store(createInboxStore)
      .waiting(sessionId, 0, MAX_QUEUED_PROMPTS);
    return {
      ...facts,
      // The todo list outlives the epoch in which it was written.
      todos: facts.todos.length > 0 ? facts.todos : await this.#readTodos(sessionId),
      queued: [...facts.queued, ...waiting.map(({ preview }) => preview)],
    };
  }

  /**
   * Returns the host's newest rows; null if it does not answer, in which case the brief is made from what is
   * known.
   */
  async #readRows(sessionId: SessionId): Promise<FoundRows | null> {
    const asked = { count: MAX_NEWEST_ROWS, timeoutMs: HOST_TIMEOUT_MS };
    const rows = await this.#awaitAnswer("messages", this.context.host.messages(sessionId, asked));
    return rows && { rows, extent: rows.length < MAX_NEWEST_ROWS ? "whole" : "cut" };
  }

  async #readTodos(sessionId: SessionId): Promise<RuntimeFacts["todos"]> {
    const asked = { timeoutMs: HOST_TIMEOUT_MS };
    return parseTodos(await this.#awaitAnswer("todos", this.context.host.todos(sessionId, asked)));
  }

  async #awaitAnswer<Data>(what: string, answer: Promise<Data>): Promise<Data | null> {
    try {
      return await answer;
    } catch (error) {
      this.context.log.warn("continuity.host", { what, ...toFaultFields(error) });
      return null;
    }
  }
}

/** Returns the id of the host's row that asks for this compaction. */
function findCompactionRow(history: readonly HistoryMessage[]): string | null {
  const row = history.findLast(asksForCompaction);
  return row?.info.id ?? null;
}

function findLastSummary(history: readonly HistoryMessage[]): string | null {
  const summary = history.findLast(({ info }) => isSummary(info));
  return (
    summary?.parts
      .filter(isText)
      .map(({ text }) => text)
      .join("\n") || null
  );
}
