// The host's hooks that are answered, by name: the one list of them.
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

/** All of them, each there. */
export type OurHooks = Required<Pick<Hooks, (typeof hookNames)[number]>>;
