// experimental.session.compacting: stores the brief, then pushes it.
import type { PluginInput } from "@opencode-ai/plugin";
import type { Config } from "../config/schema.ts";
import { shortened } from "../config/shown.ts";
import { replacementPrompt } from "../continuity/brief.ts";
import type { MadeBrief } from "../continuity/make-brief.ts";
import { readBounds } from "../continuity/reader.ts";
import {
  type HistoryMessage,
  isSummary,
  noFacts,
  type RuntimeFacts,
  readTodos,
  runtimeFacts,
} from "../continuity/runtime-facts.ts";
import { allWorkflows, type Workflow } from "../continuity/workflows.ts";
import { faultFields } from "../log/fault.ts";
import type { Log } from "../log/log.ts";
import type { Notices } from "../log/notices.ts";
import { isText } from "../projection/message.ts";
import type { BriefRecord } from "../storage/brief-records.ts";
import type { SessionId } from "../storage/records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import type { SessionTraces } from "../traces/session-traces.ts";
import { attribute } from "../traces/span.ts";

export interface ContinuityDeps {
  readonly client: PluginInput["client"];
  readonly directory: string;
  readonly worktree: string;
  readonly config: Config["continuity"];
  /** The open database. @throws StorageError while there is none. */
  readonly database: () => RuntimeDatabase;
  readonly log: Log;
  readonly notices: Notices;
  readonly traces: SessionTraces;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What the host lets a compaction be told: more context, or another prompt. */
export interface CompactionOutput {
  context: string[];
  prompt?: string | undefined;
}

/** Of a long history the newest rows: what came before lies behind a compaction, or is long past. */
const NEWEST_ROWS = 500;

/** How long the host may take to give them. */
const HOST_TIMEOUT_MS = 2000;

/** Most prompts of the queue that are told. */
const MOST_QUEUED = 20;

/** experimental.session.compacting: the brief of the work in hand, stored and then pushed. */
export class ContinuityHook {
  readonly #workflows: readonly Workflow[];

  constructor(private readonly deps: ContinuityDeps) {
    this.#workflows = allWorkflows(deps.config.workflows);
  }

  get enabled(): boolean {
    return this.deps.config.enabled;
  }

  /** @throws StorageError when the brief can't be stored: then nothing is pushed. */
  async push(sessionId: SessionId, output: CompactionOutput): Promise<void> {
    if (!this.enabled) return;
    await this.deps.traces.job({ name: "brief", sessionId }, async (note) =>
      note({ [attribute.briefChars]: await this.#push(sessionId, output) }),
    );
  }

  /** The length of the brief that was pushed. */
  async #push(sessionId: SessionId, output: CompactionOutput): Promise<number> {
    const { config, database, now } = this.deps;
    const history = await this.#history(sessionId);
    const { brief, text } = await this.#make(sessionId, history);
    database().briefs.append({
      sessionId,
      compactionId: compactionRow(history),
      text,
      essentials: brief.essentials,
      carried: brief.carried,
      madeAtMs: now(),
    });
    switch (config.prompt) {
      case "inject":
        output.context.push(text);
        break;
      case "replace":
        output.prompt = replacementPrompt(text, lastSummary(history));
        break;
    }
    return text.length;
  }

  /** The brief as it would be pushed now, and the one that was pushed last. */
  async preview(
    sessionId: SessionId,
  ): Promise<{ readonly made: MadeBrief; readonly last: BriefRecord | null }> {
    const made = await this.#make(sessionId, await this.#history(sessionId));
    return { made, last: this.deps.database().briefs.newest(sessionId) };
  }

  async #make(sessionId: SessionId, history: readonly HistoryMessage[]): Promise<MadeBrief> {
    const { directory, worktree, config, database } = this.deps;
    // At the first compaction: it brings a Markdown parser, which the host's start need not wait for.
    const { makeBrief } = await import("../continuity/make-brief.ts");
    const made = await makeBrief({
      place: { directory, worktree },
      workflows: this.#workflows,
      facts: await this.#facts(sessionId, history),
      carried: database().briefs.newest(sessionId)?.carried ?? null,
      budgetTokens: config.budgetTokens,
      bounds: readBounds,
      now: () => performance.now(),
    });
    for (const path of made.outside) this.#refuse(path);
    return made;
  }

  #refuse(path: string): void {
    this.deps.notices.notice({
      code: `continuity_outside:${path}`,
      severity: "warning",
      message: `${shortened(path, 120)} leads out of the project; it is not read for continuity briefs.`,
      remedy: "Put the file itself into the project if a brief should have it.",
    });
  }

  async #facts(sessionId: SessionId, history: readonly HistoryMessage[]): Promise<RuntimeFacts> {
    const { directory, database } = this.deps;
    const facts = history.length === 0 ? noFacts : runtimeFacts(history, directory);
    const waiting = database().inbox.waiting(sessionId, 0, MOST_QUEUED);
    return {
      ...facts,
      // The list outlives the epoch in which it was written.
      todos: facts.todos.length > 0 ? facts.todos : await this.#todos(sessionId),
      queued: [...facts.queued, ...waiting.map(({ preview }) => preview)],
    };
  }

  /** The host's newest rows; none where it does not answer: a brief is made of what is known. */
  async #history(sessionId: SessionId): Promise<readonly HistoryMessage[]> {
    const answer = this.deps.client.session.messages({
      path: { id: sessionId },
      query: { limit: NEWEST_ROWS },
      signal: AbortSignal.timeout(HOST_TIMEOUT_MS),
      throwOnError: true,
    });
    const rows = await this.#asked("messages", answer);
    return rows ?? [];
  }

  async #todos(sessionId: SessionId): Promise<RuntimeFacts["todos"]> {
    const answer = this.deps.client.session.todo({
      path: { id: sessionId },
      signal: AbortSignal.timeout(HOST_TIMEOUT_MS),
      throwOnError: true,
    });
    return readTodos(await this.#asked("todos", answer));
  }

  async #asked<Data>(what: string, answer: Promise<{ readonly data: Data }>): Promise<Data | null> {
    try {
      return (await answer).data;
    } catch (error) {
      this.deps.log.warn("continuity.host", { what, ...faultFields(error) });
      return null;
    }
  }
}

/** The host's row that asks for this compaction. */
function compactionRow(history: readonly HistoryMessage[]): string | null {
  const row = history.findLast(({ parts }) => parts.some(({ type }) => type === "compaction"));
  return row?.info.id ?? null;
}

function lastSummary(history: readonly HistoryMessage[]): string | null {
  const summary = history.findLast(({ info }) => isSummary(info));
  return (
    summary?.parts
      .filter(isText)
      .map(({ text }) => text)
      .join("\n") || null
  );
}
