// Opens one session on Pi: the kernel and the features, over a feature context that asks Pi for little.
import type { SendPrompt } from "@session-runtime/opencode/feature-api/feature-context";
import { toFaultFields } from "@session-runtime/opencode/log/fault";
import { AFTER_SEND_DELAY_MS } from "@session-runtime/opencode/runtime/compose-runtime";
import {
  type CommandInvocation,
  handleEvent,
  runCommand,
} from "@session-runtime/opencode/runtime/host-calls";
import { type Instance, openInstance } from "@session-runtime/opencode/runtime/instance";
import type { StartupConfig } from "@session-runtime/opencode/runtime/startup-config";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { changedByAnother, projectCall, promptReplaced } from "./call.ts";
import { type BriefedCompaction, briefed } from "./compaction.ts";
import { type Notify, type PiHistory, piHost } from "./host.ts";
import { inheritLedger, notInherited } from "./inherit.ts";
import { jobHost } from "./job-host.ts";
import { KnownRows } from "./known-rows.ts";
import { boundedResult } from "./output.ts";
import { drawPanel, panelState, SHOWN_AS, setPanel } from "./panel.ts";
import type {
  PiContext,
  PiEvents,
  PiMessage,
  PiModel,
  PiModels,
  PiPatch,
  PiPreparation,
  PiUsage,
} from "./pi.ts";
import { AGENT, readCurrentRows } from "./rows.ts";
import { settingsLine } from "./settings.ts";
import { buildShown } from "./shown.ts";
import type { TypedWords } from "./typed.ts";

/** Names a session's host in the database. */
const HARNESS = "pi";

export interface PiInstance extends Pick<Instance, "failures" | "runTool" | "close"> {
  /** Returns null where the request stays as Pi made it. */
  readonly projected: (
    messages: readonly PiMessage[],
    ctx: PiContext,
  ) => Promise<readonly PiMessage[] | null>;
  /** Returns null where the result stays as it is. */
  readonly bounded: (event: PiEvents["tool_result"]) => Promise<PiPatch | null>;
  /** Returns null where Pi's own compaction is as good. */
  readonly briefed: (
    preparation: PiPreparation,
    ctx: PiContext,
  ) => Promise<BriefedCompaction | null>;
  readonly answered: (answer: CommandResult) => Promise<void>;
  /** Reads a provider's refusal of a call, which may state its limits. */
  readonly refused: (refusal: Refusal) => Promise<void>;
  /** Returns a command's answer to the user. */
  readonly command: (
    said: Pick<CommandInvocation, "name" | "args">,
    ctx: PiContext,
  ) => Promise<string>;
  readonly busy: () => Promise<void>;
  readonly settled: (ctx: PiContext) => Promise<void>;
  readonly compacted: () => Promise<void>;
  /** Opens or closes the widget with the panel's lines. */
  readonly togglePanel: (ctx: PiContext) => Promise<void>;
  /** Shows the panel in a new session of a process whose user has it open. */
  readonly shownAgain: (ctx: PiContext) => Promise<void>;
  /** Returns the keys of required sources that can't load, where prompts wait for them. */
  readonly missing: (model: PiModel) => Promise<readonly string[]>;
}

/** Describes a failed call, with Pi's or the provider's message. */
interface Refusal {
  readonly provider: string;
  readonly model: string;
  readonly message: string;
}

/** Holds an answer's figures. */
interface CommandResult {
  readonly entryId: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: PiUsage;
}

export interface InstanceInput {
  readonly directory: string;
  readonly sessionId: SessionId;
  /** The session that this one was forked from; null where there is none. */
  readonly parent: SessionId | null;
  readonly startup: StartupConfig;
  readonly models: PiModels;
  /** The model that the session starts with. */
  readonly model: PiModel | undefined;
  readonly notify: Notify;
  readonly sendPrompt: SendPrompt;
  readonly typed: Pick<TypedWords, "of">;
}

export async function openPi(given: InstanceInput): Promise<PiInstance> {
  const { sessionId, startup } = given;
  const history: PiHistory = { rows: [] };
  const known = new KnownRows();
  let current = given.model;
  let isClaimed = false;
  let isClosed = false;
  const jobs = jobHost({
    models: () => given.models,
    configured: startup.configured.config.jobs.model,
    current: () => current,
  });
  const instance = await openInstance(piHost({ ...given, history, jobHost: jobs }), startup);
  const { runtime, dispatch, database, failures, withheldTools } = instance;
  let { parent } = given;
  const ready = async () => {
    await database.ensure();
    if (parent === null) return;
    const from = parent;
    // This is tried once: from the first call on the ledger is the fork's own.
    parent = null;
    try {
      inheritLedger(database.current(), from, sessionId);
    } catch (error) {
      const reason = error instanceof StorageError ? error.message : null;
      instance.log.error("fork.not_inherited", { reason, ...toFaultFields(error) });
      instance.notices.notice(notInherited);
    }
  };
  // The first call that needs it reports a failure to open.
  ready().catch(() => undefined);
  return {
    failures,
    runTool: instance.runTool,
    async close() {
      // A session that made only one short call is listed too.
      if (database.state === "open" && history.rows.length > 0) claim();
      isClosed = true;
      await instance.close();
    },
    async projected(messages, ctx) {
      await ready();
      if (ctx.model) learn(ctx.model);
      const call = await projectCall(
        { runtime, dispatch, sessionId, known, withheldTools },
        messages,
        ctx,
      );
      if (call === "changed by another") {
        instance.notices.notice(changedByAnother);
        return null;
      }
      if (call === "prompt replaced") {
        instance.notices.notice(promptReplaced);
        return null;
      }
      if (call === null) return null;
      instance.notices.over(changedByAnother.code);
      instance.notices.over(promptReplaced.code);
      history.rows = call.host;
      setTimeout(claim, AFTER_SEND_DELAY_MS).unref();
      return call.messages;
    },
    bounded: (event) => boundedResult(event, dispatch),
    async briefed(preparation, ctx) {
      await ready();
      look(ctx);
      return briefed({ runtime, dispatch, sessionId, known }, preparation, ctx);
    },
    answered: ({ entryId, provider, model, usage }) =>
      handleEvent(instance, {
        kind: "billed",
        sessionId,
        messageId: entryId,
        model: `${provider}/${model}`,
        paidUsd: usage.cost.total,
        usage: {
          inputTokens: usage.input,
          outputTokens: usage.output,
          cacheReadTokens: usage.cacheRead,
          cacheWriteTokens: usage.cacheWrite,
        },
      }),
    refused: ({ provider, model, message }) =>
      handleEvent(instance, {
        ...{ kind: "refused", sessionId, said: [message] },
        model: { providerId: provider, modelId: model },
      }),
    async command({ name: called, args }, ctx) {
      look(ctx);
      const name = instance.commandNames.resolve(called);
      const text = await runCommand(instance, { name, args, sessionId });
      if (panelState() === "open") await show(ctx);
      const { files } = startup.configured;
      return name === "ctx-status" ? `${text}\n\n${settingsLine(files)}` : text;
    },
    busy: () => handleEvent(instance, { kind: "busy", sessionId }),
    async settled(ctx) {
      // Features read the newest answer from the history.
      look(ctx);
      await handleEvent(instance, { kind: "idle", sessionId });
      await show(ctx);
    },
    async togglePanel(ctx) {
      setPanel(panelState() === "open" ? "closed" : "open");
      await shownAgain(ctx);
    },
    shownAgain,
    async missing(model) {
      if (startup.configured.config.onUnavailable !== "block") return [];
      await ready();
      const { provider: providerId, id: modelId } = model;
      return runtime.listMissingSources({ sessionId, agent: AGENT, providerId, modelId });
    },
    compacted: () => handleEvent(instance, { kind: "compacted", sessionId }),
  };

  async function shownAgain(ctx: PiContext): Promise<void> {
    await database.ensure();
    look(ctx);
    await show(ctx);
  }

  async function show(ctx: PiContext): Promise<void> {
    if (!ctx.hasUI) return;
    const { footer, panel: lines } = await buildShown(instance, sessionId);
    if (footer !== null) ctx.ui.setStatus(SHOWN_AS, footer);
    drawPanel(ctx, lines);
  }

  /** Adds the session to the list, once per process, after a send. */
  function claim(): void {
    if (isClaimed || isClosed) return;
    try {
      database.current().sessions.claim(sessionId, HARNESS, instance.now());
      isClaimed = true;
      failures.worked("claim");
    } catch (error) {
      failures.failed("claim", error);
    }
  }

  /** Reads the history, which has the answer to the newest call by now. */
  function look(ctx: PiContext): void {
    const rows = ctx.model && readCurrentRows(ctx, { sessionId, model: ctx.model, known });
    if (rows) history.rows = rows;
  }

  function learn(model: PiModel): void {
    current = model;
    const { provider, id, contextWindow, maxTokens, cost } = model;
    instance.catalogue.learn(provider, id, {
      api: { id },
      limit: { context: contextWindow, output: maxTokens, input: promptTokens(contextWindow) },
      cost: { input: cost.input, cache: { read: cost.cacheRead, write: cost.cacheWrite } },
    });
    const caching = "breakpoints";
    runtime.turns.recordPrice(`${provider}/${id}`, { ...cost, caching });
  }
}

/**
 * Reserves the room in which Pi compacts by itself (its `compaction.reserveTokens`), and the largest result
 * (50 KB), because Pi checks when a result has come, before the next call is decided.
 */
const RESERVE_TOKENS = 16_384 + 12_800;

function promptTokens(windowTokens: number): number {
  return Math.max(windowTokens - RESERVE_TOKENS, Math.ceil(windowTokens / 2));
}
