// Names in the host's terms: its hooks, our slash commands, the hidden agent of jobs.
import type { Hooks } from "@opencode-ai/plugin";
import type { CommandDeclaration } from "../feature-api/command.ts";
import type { HostConfigInput } from "./host-config.ts";

/**
 * Builds the text that the model would get if the host ever ran the command itself; it also marks a command as
 * ours.
 */
function renderCommandTemplate(name: string): string {
  return `Session Runtime answers /${name} itself.`;
}

/** Adds our commands to the host's config; a user's own command of the same name is kept. */
export function registerCommands(
  config: HostConfigInput,
  declared: readonly CommandDeclaration[],
): void {
  const registered = config.command ?? {};
  for (const { name, description } of declared) {
    registered[name] ??= { template: renderCommandTemplate(name), description };
  }
  config.command = registered;
}

/** Says whether the host's config holds the command as we registered it, and not one of the user's own. */
export function isOwnCommand(config: HostConfigInput, name: string): boolean {
  return config.command?.[name]?.template === renderCommandTemplate(name);
}

// The only list of the host's hooks that the plugin implements, by name.

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

/** The hooks that the plugin implements, all of them required. */
export type OurHooks = Required<Pick<Hooks, (typeof hookNames)[number]>>;

// The agent of jobs: hidden, without tools, in the host's config from its start.

export const JOB_AGENT = "session-runtime-job";

/**
 * Registers an agent like the host's own title agent: no user sees or chooses it, and no other agent calls
 * it. It has no step limit, because at the last step the host adds text of its own to the request; our hooks
 * refuse a second call.
 */
export function registerJobAgent(config: HostConfigInput): void {
  config.agent = {
    ...config.agent,
    [JOB_AGENT]: {
      mode: "primary",
      hidden: true,
      description: "Session Runtime: background jobs",
      prompt: "You answer one question.",
      // This is the form that the host's parsed config has; its first SDK types only some of the names.
      permission: { "*": "deny" } as object,
    },
  };
}
