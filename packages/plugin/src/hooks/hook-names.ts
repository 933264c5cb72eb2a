// The only list of the host's hooks that the plugin implements, by name.
import type { Hooks } from "@opencode-ai/plugin";

export const hookNames = [
  "config",
  "event",
  "chat.message",
  "command.execute.before",
  "tool.definition",
  "experimental.chat.messages.transform",
  "experimental.chat.system.transform",
  "chat.params",
  "shell.env",
  "experimental.session.compacting",
  "tool.execute.after",
  "dispose",
] as const satisfies readonly (keyof Hooks)[];

/** Requires each of these hooks. */
export type OurHooks = Required<Pick<Hooks, (typeof hookNames)[number]>>;
