// The host's hooks, each a guard around one call of the runtime.
// Folder: The host's hooks, translated into calls of the runtime. Beside them, only tui/
// and the entries import the host's packages.
import type { OpenCommand } from "../feature-api/command.ts";
import { createDisabledCommands, OPENCODE_SETTINGS } from "../feature-api/declared-commands.ts";
import type { Feature } from "../feature-api/feature.ts";
import type { SentCall } from "../feature-api/feature-hooks.ts";
import type { ChannelContent } from "../feature-api/screen.ts";
import { AFTER_SEND_DELAY_MS } from "../runtime/compose-runtime.ts";
import type { DispatchHook } from "../runtime/dispatch-hooks.ts";
import { guard, guardSync } from "../runtime/guard.ts";
import { createRewritersNotice } from "../status/notices.ts";
import { buildStatusReport } from "../status/report.ts";
import { findRewriters, listPluginsBefore } from "../status/rewriters.ts";
import { WireWatch } from "../status/wire-watch.ts";
import type { SessionId } from "../storage/records.ts";
import { CommandRunner, ErrorForHost, isOneShot } from "./command.ts";
import type { ComposedPlugin } from "./compose.ts";
import { handleEvent, readSessionEvent } from "./events.ts";
import { toArrivingPrompt, toSendingCall } from "./feature-inputs.ts";
import { markTyped } from "./host-api.ts";
import type { OurHooks } from "./host-names.ts";
import { McpServers } from "./mcp-servers.ts";
import { applyModelOptions } from "./model-options.ts";
import { createChannelContent, Reports } from "./reports.ts";
import { defineTool } from "./tools.ts";
import { recordPrice, removeWithheld, transformMessages, transformSystem } from "./transforms.ts";

/** Holds what the hooks share. */
interface HookParts {
  readonly plugin: ComposedPlugin;
  /** Calls the features' hooks, unless the instance stays idle. */
  readonly dispatch: DispatchHook;
  readonly guarded: (where: string, work: () => void | Promise<void>) => Promise<void>;
  readonly commands: CommandRunner;
  /** The content for terminal UIs. */
  readonly content: ChannelContent;
}

/** Builds the host's hooks, each a guard around one call of the runtime. */
export function createHooks(plugin: ComposedPlugin, features: readonly Feature[]): OurHooks {
  const parts = createParts(plugin);
  return {
    ...createLifecycleHooks(parts),
    ...createSessionHooks(parts),
    ...createCallHooks(parts),
    ...createToolHooks(parts, features),
  };
}

/**
 * Builds the shared parts. Two instances on one directory would each rewrite what the other sends, so the
 * second stays idle.
 */
function createParts(plugin: ComposedPlugin): HookParts {
  const { hostConfig, failures, provided, screen } = plugin;
  const dispatch: DispatchHook = async (name, ...given) => {
    if (hostConfig.role === "active") await plugin.dispatch(name, ...given);
  };
  const reports = new Reports(plugin, (sessionId) => dispatch("reporting", sessionId));
  const openCommands = listOpenCommands(plugin);
  const commands = new CommandRunner(plugin, reports, screen, openCommands);
  return {
    plugin,
    dispatch,
    guarded: (where, work) =>
      hostConfig.role === "active" ? guard(failures, where, work) : Promise.resolve(),
    commands,
    content: createChannelContent(provided, reports, {
      commands: openCommands,
      findAnswer: (command, sessionId) => commands.findAnswer(command, sessionId),
      opened: (sessionId) => void dispatch("opened", sessionId),
    }),
  };
}

function createLifecycleHooks({ plugin, dispatch, commands }: HookParts) {
  const { hostConfig, failures, notices, screen } = plugin;
  return {
    config: async (config) => {
      await guard(failures, "config", () => {
        commands.takeConfig(config);
        const rewriters = findRewriters(hostConfig.listPlugins());
        if (rewriters.length > 0) notices.notice(createRewritersNotice(rewriters));
      });
      await dispatch("started");
    },
    dispose: () =>
      guard(failures, "dispose", async () => {
        screen.close();
        await plugin.close();
      }),
  } satisfies Partial<OurHooks>;
}

function createSessionHooks({ plugin, dispatch, guarded, commands, content }: HookParts) {
  const { runtime, database, hostConfig, failures, screen } = plugin;
  const servers = new McpServers({
    client: plugin.input.client,
    hostConfig,
    changed: (server) => runtime.turns.recordServerChange(server),
    gone: () => void dispatch("serverGone"),
  });
  return {
    event: async ({ event }) => {
      const happening = readSessionEvent(event);
      await guarded("event", () => handleEvent(runtime, event, happening));
      if (happening) {
        await dispatch("onEvent", happening);
        await guarded("terminal-ui", () => screen.changed(happening.sessionId));
      }
      if (happening?.kind === "idle") {
        // A report is written while nothing is running, and before the queue continues.
        await guarded("command", () => commands.onSettled(happening.sessionId));
        await dispatch("settled", happening.sessionId);
        await guarded("terminal-ui", () => screen.changed(happening.sessionId));
      }
      if (event.type === "tui.command.execute") {
        const { command } = event.properties;
        await guarded("terminal-ui.greeting", () =>
          screen.onGreeted(command, { content, failures }),
        );
      }
      // The check of the servers comes last because it asks the host: events are not awaited, so a later one
      // could overtake it.
      await guarded("servers", () => servers.onEvent(event));
    },
    "command.execute.before": async ({ command, sessionID, arguments: args }, { parts }) => {
      // Commands run without a guard, because a command of ours ends with the very error that it throws.
      await commands.run(command, {
        sessionId: sessionID as SessionId,
        args,
        files: parts.filter(({ type }) => type === "file").map((part) => ({ ...part })),
        process: isOneShot(process.argv) ? "ends" : "stays",
      });
      await guarded("command.execute.before", () => markTyped(parts, args));
    },
    "chat.message": async (input, output) => {
      let refusal: string | null = null;
      await dispatch("arriving", toArrivingPrompt(input, output), (why) => {
        refusal = why;
      });
      if (refusal !== null) throw new ErrorForHost(refusal);
    },
    "experimental.session.compacting": ({ sessionID }, output) =>
      guarded("session.compacting", async () => {
        await database.ensure();
        runtime.beginCompaction(sessionID as SessionId);
        await dispatch("compacting", sessionID as SessionId, output);
      }),
  } satisfies Partial<OurHooks>;
}

function createCallHooks({ plugin, dispatch, guarded }: HookParts) {
  const { runtime, database, catalogue, hostConfig, failures, notices } = plugin;
  const dispatchSent = (history: SentCall) =>
    void setTimeout(() => void dispatch("sent", history), AFTER_SEND_DELAY_MS).unref();
  const watch = new WireWatch({
    callState: (id) => runtime.readCallState(id),
    notices,
    otherPlugins: () => listPluginsBefore(hostConfig.listPlugins()),
  });
  return {
    "experimental.chat.messages.transform": (_input, { messages }) =>
      guarded("messages.transform", async () => {
        await database.ensure();
        const sessionId = messages[0]?.info.sessionID as SessionId | undefined;
        if (sessionId !== undefined && !runtime.isCompacting(sessionId)) {
          await dispatch("boundary", { sessionId, history: messages });
        }
        await transformMessages(runtime, messages, dispatchSent);
      }),
    "experimental.chat.system.transform": async (input, { system }) => {
      if (hostConfig.role !== "active") return;
      guardSync(failures, "system.transform", () => {
        catalogue.learn(input.model.providerID, input.model.id, input.model);
        const given = [...system];
        transformSystem(runtime, input, system);
        if (input.sessionID !== undefined) {
          watch.recordSystem(input.sessionID as SessionId, given, system);
        }
        // The price comes last: if it can't be read, the call must still get its Baseline.
        recordPrice(runtime, input.model);
      });
    },
    "chat.params": async (input, output) => {
      await guarded("chat.params", () =>
        watch.checkCall(input.sessionID as SessionId, input.agent),
      );
      await guarded("chat.params", () => removeWithheld(plugin.withheldTools, input));
      await guarded("chat.params", () =>
        applyModelOptions(plugin.modelOptions, notices, input, output),
      );
      const call = toSendingCall(runtime, input);
      if (call) await dispatch("sending", call);
    },
  } satisfies Partial<OurHooks>;
}

function createToolHooks({ plugin, dispatch, guarded }: HookParts, features: readonly Feature[]) {
  const { runtime, hostConfig, failures, shellEnvironment } = plugin;
  return {
    "tool.definition": async ({ toolID }, output) =>
      guardSync(failures, "tool.definition", () => {
        defineTool(features, toolID, output);
        runtime.turns.recordTool(toolID, output.description);
      }),
    "shell.env": ({ cwd }, { env }) =>
      guarded(
        "shell.env",
        async () => void Object.assign(env, await shellEnvironment.resolveOverlay(cwd)),
      ),
    "tool.execute.after": async (input, output) => {
      await guarded("tool.execute.after", () => {
        if (input.tool !== "read" || typeof output.output !== "string") return;
        output.output = runtime.stripKnownInstructions(
          input.sessionID as SessionId,
          output.output,
          output.metadata,
        );
      });
      // A failed subtask ends here without a result.
      if (hostConfig.role !== "active" || typeof output !== "object" || output === null) return;
      await dispatch("toolSettled", { tool: input.tool, callId: input.callID }, output);
    },
  } satisfies Partial<OurHooks>;
}

function listOpenCommands({ commands, offCommands }: ComposedPlugin): readonly OpenCommand[] {
  return [
    { kind: "report", name: "ctx-status", dialog: () => "ctx-status", report: buildStatusReport },
    ...commands(),
    ...createDisabledCommands(offCommands, OPENCODE_SETTINGS),
  ];
}
