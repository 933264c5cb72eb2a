// Opens the runtime with a session of Pi's, and hands its events on under one guard each.
import { homedir } from "node:os";
import type { compact } from "@earendil-works/pi-coding-agent";
import { loadConfig } from "../../plugin/src/config/load.ts";
import { declaredCommands } from "../../plugin/src/features/declared-commands.ts";
import type { Feature } from "../../plugin/src/features/feature.ts";
import { settingsSections } from "../../plugin/src/features/settings-sections.ts";
import type { ToolDeclaration } from "../../plugin/src/features/tool.ts";
import { inputSchema } from "../../plugin/src/features/tool-schema.ts";
import { turnedOn } from "../../plugin/src/features/turned-on.ts";
import type { SaidCommand } from "../../plugin/src/hooks/answer.ts";
import { loadFeatures } from "../../plugin/src/rooms.ts";
import { within } from "../../plugin/src/sources/within.ts";
import type { SessionId } from "../../plugin/src/storage/records.ts";
import { summarized } from "./compaction.ts";
import { sessionIn } from "./inherit.ts";
import type { Instance } from "./instance.ts";
import { worktreeOf } from "./instructions.ts";
import type { PiApi, PiContext, PiToolDefinition } from "./pi.ts";
import { AGENT } from "./rows.ts";

/**
 * Rooms that Pi has no place for: its prompts have no ids that could be chosen (inbox, augment), its
 * screen and its requests are its own (terminal UI, lowering), and it bounds its tools' output itself.
 * Upkeep is OpenCode's, whose runner knows the project's schedules.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "inbox",
  "augment",
  "upkeep",
  "terminal-ui",
  "lowering",
  "tool-output",
]);

/** A slow handler delays the request. */
const HANDLER_MS = 5_000;

interface Begun {
  readonly opened: () => Promise<Instance>;
  /** Says, the first time, that it can't be opened. */
  readonly refused: (where: string) => void;
}

/** What is used of Pi's own package, which only the module that Pi's loader makes over can import. */
export interface PiPackage {
  readonly compact: typeof compact;
}

export function beginEdge(pi: PiApi, { compact }: PiPackage): void {
  let begun: Begun | null = null;
  pi.on("session_start", async (_event, ctx) => {
    begun = await within(HANDLER_MS, begin(pi, ctx), () => null);
  });
  const guarded = async <T>(
    where: string,
    ctx: PiContext,
    work: (instance: Instance) => Promise<T>,
  ): Promise<T | null> => (begun ? guard(begun, { where, ctx }, work) : null);
  pi.on("context_with_system", async ({ messages }, ctx) => {
    const sent = await guarded("context", ctx, (open) => open.projected(messages, ctx));
    return sent ? { messages: sent } : undefined;
  });
  pi.on("turn_end", async ({ message, messageEntryId }, ctx) => {
    if (message.role !== "assistant" || messageEntryId === undefined) return;
    const { provider, model, usage } = message;
    if (usage.input + usage.output + usage.cacheRead + usage.cacheWrite === 0) return;
    const answer = { entryId: messageEntryId, provider, model, usage };
    await guarded("turn_end", ctx, (open) => open.answered(answer));
  });
  pi.on("agent_start", async (_event, ctx) => {
    await guarded("agent_start", ctx, (open) => open.busy());
  });
  pi.on("agent_settled", async (_event, ctx) => {
    await guarded("agent_settled", ctx, (open) => open.settled(ctx));
  });
  pi.on("session_before_compact", async (event, ctx) => {
    const brief = await guarded("compaction", ctx, (open) => open.briefed(event.preparation, ctx));
    if (!brief || !begun) return undefined;
    // The summary takes a model's time: no limit but the user's own.
    const compaction = await attempt(begun, { where: "compaction", ctx }, () =>
      summarized(brief, { ...event, compact }, ctx),
    );
    return compaction ? { compaction } : undefined;
  });
  pi.on("session_compact", async (_event, ctx) => {
    await guarded("session_compact", ctx, (open) => open.compacted());
  });
  pi.on("session_shutdown", async (_event, ctx) => {
    await guarded("session_shutdown", ctx, (open) => open.close());
    begun = null;
  });
}

/** Null where the settings turn the runtime off. */
async function begin(pi: PiApi, ctx: PiContext): Promise<Begun | null> {
  const listed = await loadFeatures(process.env);
  const { cwd: directory } = ctx;
  const configured = await loadConfig(settingsSections(listed), {
    directory,
    worktree: worktreeOf(directory).worktree,
    options: undefined,
    env: process.env,
    home: homedir(),
  });
  if (!configured.config.enabled) return null;
  const features = turnedOn(listed, configured.config, LEFT_OUT);
  const parentFile = ctx.sessionManager.getHeader()?.parentSession;
  const input = {
    directory,
    sessionId: ctx.sessionManager.getSessionId() as SessionId,
    parent: parentFile === undefined ? null : sessionIn(parentFile),
    configured,
    listed,
    features,
    models: ctx.modelRegistry,
    notify: (text: string, kind: "info" | "warning" | "error") => ctx.ui.notify(text, kind),
  };
  let opening: Promise<Instance> | null = null;
  const begun: Begun = {
    opened: () => {
      opening ??= import("./instance.ts").then(({ openInstance }) => openInstance(input));
      return opening;
    },
    refused: noticeOnce(input.notify),
  };
  register(pi, features, begun);
  return begun;
}

function register(pi: PiApi, features: readonly Feature[], begun: Begun): void {
  for (const tool of features.flatMap(({ tools }) => tools ?? [])) {
    pi.registerTool(piTool(tool, begun));
  }
  const declared = declaredCommands(features);
  const run = async (said: Pick<SaidCommand, "name" | "args">, ctx: PiContext) => {
    const answer = await guard(begun, { where: `/${said.name}`, ctx }, (open) =>
      open.command(said, ctx),
    );
    const text = answer ?? `/${said.name} could not be answered; the log says why.`;
    if (ctx.hasUI) ctx.ui.notify(text, "info");
    else console.log(text);
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
      await guard(begun, { where: "/ctx-panel", ctx }, (open) => open.togglePanel(ctx));
    },
  });
}

function piTool({ name, description, args }: ToolDeclaration, { opened }: Begun): PiToolDefinition {
  return {
    name,
    label: name,
    description,
    parameters: inputSchema(args),
    async execute(callId, given, signal, _onUpdate, ctx) {
      const { runTool } = await opened();
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

interface Place {
  readonly where: string;
  readonly ctx: PiContext;
}

/** Null: the work failed or took too long; Pi goes on with what it has. */
function guard<T>(
  begun: Begun,
  place: Place,
  work: (instance: Instance) => Promise<T>,
): Promise<T | null> {
  return attempt(begun, place, async (open) => {
    const made = await within(HANDLER_MS, work(open), () => "late" as const);
    if (made !== "late") return made;
    throw new Error(`no answer within ${HANDLER_MS} ms`);
  });
}

/** Null: the work failed. */
async function attempt<T>(
  begun: Begun,
  { where }: Place,
  work: (instance: Instance) => Promise<T>,
): Promise<T | null> {
  let instance: Instance | null = null;
  try {
    instance = await begun.opened();
    return await work(instance);
  } catch (error) {
    if (instance) instance.failures.failed(where, error);
    else begun.refused(where);
    return null;
  }
}

/** Without an instance there is no log yet: a notice of Pi's is all that is left, and one is enough. */
export function noticeOnce(notify: PiContext["ui"]["notify"]): (where: string) => void {
  let isSaid = false;
  return (where) => {
    if (isSaid) return;
    isSaid = true;
    notify(
      `Session Runtime could not be opened in ${where}; requests go as Pi makes them until Pi starts again.`,
      "warning",
    );
  };
}
