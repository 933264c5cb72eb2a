// Implements the port to a host for OpenCode, over its own client and live configuration.
import { homedir } from "node:os";
import type { PluginInput } from "@opencode-ai/plugin";
import type { HostProjectName } from "../project/project.ts";
import type { Host, ListedModel } from "../runtime/host.ts";
import type { SessionMessage } from "../session/history.ts";
import { deriveHostScope } from "../sources/instruction-scope.ts";
import type { SessionId } from "../storage/records.ts";
import type { HostConfig } from "./host-config.ts";

// Lists a session's messages as the host has them, without those that an undo hides.

/** Lists a session's messages. Rejects if the host refuses. */
async function readMessages(
  client: PluginInput["client"],
  sessionId: SessionId,
): Promise<readonly SessionMessage[]> {
  const asked = { path: { id: sessionId }, throwOnError: true } as const;
  const [messages, session] = await Promise.all([
    client.session.messages(asked),
    client.session.get(asked),
  ]);
  return dropUndone(messages.data, session.data.revert);
}

/** The mark at which an undo ended the history; the next prompt deletes what follows. */
interface UndoMark {
  readonly messageID: string;
  /** The first hidden part; if it is missing, the whole message is hidden. */
  readonly partID?: string | undefined;
}

/** Returns the listed messages that an undo leaves. */
export function dropUndone<
  Message extends {
    readonly info: { readonly id: string };
    readonly parts: readonly { readonly id: string }[];
  },
>(messages: readonly Message[], undo: UndoMark | undefined): readonly Message[] {
  const at = messages.findIndex(({ info }) => info.id === undo?.messageID);
  const marked = messages[at];
  if (!undo || !marked) return messages;
  if (undo.partID === undefined) return messages.slice(0, at);
  const end = marked.parts.findIndex(({ id }) => id === undo.partID);
  const parts = end === -1 ? marked.parts : marked.parts.slice(0, end);
  return [...messages.slice(0, at), { ...marked, parts }];
}

/** Holds what OpenCode passes to a plugin. */
export interface OpenCode {
  readonly input: PluginInput;
  readonly hostConfig: HostConfig;
}

export function createOpenCodeHost(
  { input, hostConfig }: OpenCode,
  own: Pick<Host, "asked" | "screen" | "jobHost">,
): Host {
  const { client, project, directory, worktree } = input;
  const listInstructions = () => hostConfig.listInstructions();
  return {
    place: {
      directory,
      worktree,
      project: toProjectKey(project.id, directory),
      worker: directory,
      git: project.vcs === "git" ? "yes" : "no",
    },
    scope: deriveHostScope(
      { directory, worktree, configured: listInstructions },
      process.env,
      homedir(),
    ),
    models: () => listModels(client),
    prunes: () => hostConfig.prune(),
    listed: (sessionId) => readMessages(client, sessionId),
    system: "ours",
    ...own,
    async toast(message, variant) {
      await client.tui.showToast({ body: { title: "Session Runtime", message, variant } });
    },
  };
}

/**
 * Returns the project's key: the host identifies a repository by its first commit, and calls every other
 * folder `global`.
 */
function toProjectKey(projectId: string, directory: string): HostProjectName {
  return (projectId === "global" ? directory : projectId) as HostProjectName;
}

async function listModels(client: PluginInput["client"]): Promise<readonly ListedModel[]> {
  const { data } = await client.config.providers();
  return (data?.providers ?? []).flatMap(({ id: providerId, models }) =>
    Object.entries(models).map(([modelId, model]) => ({ providerId, modelId, model })),
  );
}
