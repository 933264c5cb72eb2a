// Opens the runtime with a session of Pi's, and passes its events on under one guard each.
import type { compact } from "@earendil-works/pi-coding-agent";
import {
  DISABLED_DESCRIPTION,
  explainEnabling,
  listDeclaredCommands,
  mapDisabledCommands,
  mapFormerCommandNames,
} from "@session-runtime/opencode/feature-api/declared-commands";
import { buildInputSchema, type ToolDeclaration } from "@session-runtime/opencode/feature-api/tool";
import { loadFeatures } from "@session-runtime/opencode/features/list";
import { TimeoutError } from "@session-runtime/opencode/runtime/guard";
import type { CommandInvocation } from "@session-runtime/opencode/runtime/host-calls";
import { OpeningGuard } from "@session-runtime/opencode/runtime/opening-guard";
import {
  loadStartupConfig,
  type StartupConfig,
} from "@session-runtime/opencode/runtime/startup-config";
import { withTimeout } from "@session-runtime/opencode/sources/with-timeout";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { summarized } from "./compaction.ts";
import { sessionIn } from "./inherit.ts";
import type { PiInstance } from "./instance.ts";
import { findWorktree } from "./instructions.ts";
import { panelState } from "./panel.ts";
import type { PiApi, PiContext, PiToolDefinition } from "./pi.ts";
import { AGENT } from "./rows.ts";
import { ownSettings, piFolders } from "./settings.ts";
import { TypedWords } from "./typed.ts";

/**
 * Lists features that Pi can't support: its prompts have no ids that could be chosen (inbox), and its requests
 * are its own (lowering).
 */
const LEFT_OUT: ReadonlySet<string> = new Set(["inbox", "lowering"]);

/** Limits a handler at the start, because a slow one delays the session. */
const START_MS = 5_000;

type Guard = OpeningGuard<PiInstance>;

/** Types what is used of Pi's own package, which only the module that Pi's loader transforms can import. */
export interface PiPackage {
  readonly compact: typeof compact;
}

export function beginEdge(pi: PiApi, { compact }: PiPackage): void {
  let guard: Guard | null = null;
  let former: FormerCommands = new Map();
  const typed = new TypedWords(pi, Date.now);
  pi.on("session_start", async (_event, ctx) => {
    const begun = await withTimeout(START_MS, begin(pi, ctx, typed), () => null);
    guard = begun?.guard ?? null;
    former = begun?.former ?? new Map();
    if (panelState() === "open") void guarded("/ctx-panel", (open) => open.shownAgain(ctx));
  });
  pi.on("input", async ({ text, source }, ctx) => {
    const [, called = "", args = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    const renamed = former.get(called);
    if (renamed && !pi.getCommands().some(({ name }) => name === called)) {
      await renamed(args, ctx);
      return { action: "handled" };
    }
    if (source !== "extension") typed.entered(text);
    const { model } = ctx;
    const missing = model && (await guarded("input", (open) => open.missing(model)));
    if (!missing || missing.length === 0) return undefined;
    if (ctx.hasUI) ctx.ui.setEditorText(text);
    show(ctx, notSent(missing));
    return { action: "handled" };
  });
  const guarded = async <T>(
    where: string,
    work: (instance: PiInstance) => Promise<T>,
  ): Promise<T | null> => guard?.run(where, work) ?? null;
  pi.on("context_with_system", async ({ messages }, ctx) => {
    const sent = await guarded("context", (open) => open.projected(messages, ctx));
    return sent ? { messages: sent } : undefined;
  });
  pi.on(
    "tool_result",
    async (event) => (await guarded("tool_result", (open) => open.bounded(event))) ?? undefined,
  );
  pi.on("turn_end", async ({ message, messageEntryId }) => {
    if (message.role !== "assistant") return;
    const { provider, model, usage, stopReason, errorMessage } = message;
    if (stopReason === "error" && errorMessage !== undefined) {
      const refusal = { provider, model, message: errorMessage };
      await guarded("turn_end", (open) => open.refused(refusal));
    }
    if (messageEntryId === undefined) return;
    if (usage.input + usage.output + usage.cacheRead + usage.cacheWrite === 0) return;
    const answer = { entryId: messageEntryId, provider, model, usage };
    await guarded("turn_end", (open) => open.answered(answer));
  });
  pi.on("agent_start", async () => {
    await guarded("agent_start", (open) => open.busy());
  });
  pi.on("agent_settled", async (_event, ctx) => {
    await guarded("agent_settled", (open) => open.settled(ctx));
  });
  pi.on("session_before_compact", async (event, ctx) => {
    const brief = await guarded("compaction", (open) => open.briefed(event.preparation, ctx));
    if (!brief || !guard) return undefined;
    // The summary takes a model's time, so only the user limits it.
    const compaction = await guard.attempt("compaction", () =>
      summarized(brief, { ...event, compact }, ctx),
    );
    return compaction ? { compaction } : undefined;
  });
  pi.on("session_compact", async () => {
    await guarded("session_compact", (open) => open.compacted());
  });
  pi.on("session_shutdown", async () => {
    const ending = guard;
    guard = null;
    await ending?.attempt("session_shutdown", async () => {
      await ending.close();
      return null;
    });
  });
}

type RunCommand = (args: string, ctx: PiContext) => Promise<void>;

/** Handlers by a command's former name, which Pi doesn't list. */
type FormerCommands = ReadonlyMap<string, RunCommand>;

interface BegunEdge {
  readonly guard: Guard;
  readonly former: FormerCommands;
}

/** Returns null where the settings turn the runtime off. */
async function begin(pi: PiApi, ctx: PiContext, typed: TypedWords): Promise<BegunEdge | null> {
  const { cwd: directory } = ctx;
  const startup = await loadStartupConfig(await loadFeatures(process.env), {
    directory,
    worktree: findWorktree(directory).worktree,
    options: undefined,
    leftOut: LEFT_OUT,
    ownFolders: piFolders(),
  });
  if (!startup) return null;
  const parentFile = ctx.sessionManager.getHeader()?.parentSession;
  const input = {
    directory,
    sessionId: ctx.sessionManager.getSessionId() as SessionId,
    parent: parentFile === undefined ? null : sessionIn(parentFile),
    startup,
    models: ctx.modelRegistry,
    model: ctx.model,
    sendPrompt: (prompt: string, hidden: string | null): "sent" | "busy" => {
      if (!ctx.isIdle()) return "busy";
      const quoted = { customType: "session-runtime", content: hidden ?? "", display: false };
      if (hidden !== null) pi.sendMessage(quoted, { deliverAs: "nextTurn" });
      // A command of ours receives the text from the user.
      typed.entered(prompt);
      pi.sendUserMessage(prompt);
      return "sent";
    },
    notify: (text: string, kind: "info" | "warning" | "error") => ctx.ui.notify(text, kind),
    typed,
  };
  const guard: Guard = new OpeningGuard({
    open: async () => (await import("./instance.ts")).openPi(input),
    // There is no log yet: only a notice of Pi's remains.
    refused: (_where, error) => ctx.ui.notify(unopened(error), "warning"),
  });
  return { guard, former: register(pi, startup, guard) };
}

function register(pi: PiApi, { features, offered }: StartupConfig, guard: Guard): FormerCommands {
  for (const tool of features.flatMap(({ tools }) => tools ?? [])) {
    pi.registerTool(piTool(tool, guard));
  }
  const declared = listDeclaredCommands(features);
  const run = async (said: Pick<CommandInvocation, "name" | "args">, ctx: PiContext) => {
    const answer = await guard.run(`/${said.name}`, (open) => open.command(said, ctx));
    show(ctx, answer ?? `/${said.name} could not be answered; the log says why.`);
  };
  for (const { name, description } of declared) {
    const handler = (args: string, ctx: PiContext) => run({ name, args }, ctx);
    pi.registerCommand(name, { description, handler });
  }
  pi.registerCommand("ctx", {
    description: "Choose a command of Session Runtime",
    async handler(_args, ctx) {
      const byLine = new Map(
        declared.map(({ name, description }) => [`/${name}: ${description}`, name]),
      );
      const chosen = ctx.hasUI ? await ctx.ui.select("Session Runtime", [...byLine.keys()]) : "";
      const name = byLine.get(chosen ?? "");
      if (name !== undefined) await run({ name, args: "" }, ctx);
      else if (!ctx.hasUI) console.log([...byLine.keys()].join("\n"));
    },
  });
  pi.registerCommand("ctx-panel", {
    description: "Show or hide the panel above the editor: costs, cache, context",
    async handler(_args, ctx) {
      await guard.run("/ctx-panel", (open) => open.togglePanel(ctx));
    },
  });
  // Pi lists commands in this order.
  const off = new Map<string, RunCommand>();
  for (const [name, turnOn] of mapDisabledCommands(offered, features)) {
    const text = explainEnabling(name, turnOn, { file: ownSettings(), step: "type /reload" });
    const handler: RunCommand = async (_args, ctx) => show(ctx, text);
    off.set(name, handler);
    pi.registerCommand(name, { description: DISABLED_DESCRIPTION, handler });
  }
  const former = [...mapFormerCommandNames(offered)].map(([name, now]): [string, RunCommand] => [
    name,
    off.get(now) ?? ((args, ctx) => run({ name, args }, ctx)),
  ]);
  return new Map(former);
}

function show(ctx: PiContext, text: string): void {
  if (ctx.hasUI) ctx.ui.notify(text, "info");
  else console.log(text);
}

/** Says why a prompt was not sent; the editor, where there is one, shows it again. */
function notSent(missing: readonly string[]): string {
  return `The prompt was not sent: ${missing.join(", ")} can't be loaded, and onUnavailable is "block". Send it again when it can, or set onUnavailable to "omit".`;
}

function piTool({ name, description, args }: ToolDeclaration, guard: Guard): PiToolDefinition {
  return {
    name,
    label: name,
    description,
    parameters: buildInputSchema(args),
    async execute(callId, given, signal, _onUpdate, ctx) {
      const { runTool } = await guard.whenOpened();
      const { text } = await runTool(name, given, {
        sessionId: ctx.sessionManager.getSessionId() as SessionId,
        messageId: callId,
        agent: AGENT,
        abort: signal ?? new AbortController().signal,
      });
      return { content: [{ type: "text", text }], details: {} };
    },
  };
}

export function unopened(error: unknown): string {
  if (error instanceof TimeoutError) {
    return "Session Runtime is slow to open; until it is open, requests are sent as Pi makes them.";
  }
  const why = error instanceof Error ? error.name : typeof error;
  return `Session Runtime could not be opened (${why}); requests are sent as Pi makes them until you restart Pi.`;
}
