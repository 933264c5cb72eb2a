import type { Hooks } from "@opencode-ai/plugin";
import type { SessionId } from "../storage/records.ts";
import type { ComposedPlugin } from "./compose.ts";
import { hearEvent } from "./events.ts";
import { guard } from "./guard.ts";
import { transformMessages } from "./messages-transform.ts";
import { transformSystem } from "./system-transform.ts";

/** The host's hooks, each a guard around one call of the runtime. */
export function createHooks(plugin: ComposedPlugin): Hooks {
  const { runtime, database, catalogue, hostConfig, failures } = plugin;
  const guarded = (where: string, work: () => void | Promise<void>) => guard(failures, where, work);
  return {
    config: async (config) => hostConfig.take(config),
    event: ({ event }) => guarded("event", () => hearEvent(runtime, event)),
    "tool.definition": async ({ toolID }, { description }) => runtime.sawTool(toolID, description),
    "experimental.chat.messages.transform": (_input, { messages }) =>
      guarded("messages.transform", async () => {
        await database.ensure();
        await transformMessages(runtime, messages);
      }),
    "experimental.chat.system.transform": (input, { system }) =>
      guarded("system.transform", () => {
        catalogue.learn(input.model.providerID, input.model.id, input.model.api.id);
        transformSystem(runtime, input, system);
      }),
    "experimental.session.compacting": ({ sessionID }) =>
      guarded("session.compacting", async () => {
        await database.ensure();
        runtime.markCompacting(sessionID as SessionId);
      }),
    "tool.execute.after": (input, output) =>
      guarded("tool.execute.after", () => {
        if (input.tool !== "read" || typeof output.output !== "string") return;
        output.output = runtime.settleRead(
          input.sessionID as SessionId,
          output.output,
          output.metadata,
        );
      }),
    dispose: () =>
      guarded("dispose", async () => {
        runtime.flush();
        database.close();
        await plugin.log.flush();
      }),
  };
}
