// Implements the port to a host for OpenCode, over its own client and its live configuration.
import { homedir } from "node:os";
import type { PluginInput } from "@opencode-ai/plugin";
import type { HostProject } from "../project/project.ts";
import type { Host, ListedModel } from "../runtime/host.ts";
import { hostScope } from "../sources/instruction-scope.ts";
import type { HostConfig } from "./host-config.ts";
import { listedMessages } from "./listed-messages.ts";

/** Holds what OpenCode passes to a plugin. */
export interface OpenCode {
  readonly input: PluginInput;
  readonly hostConfig: HostConfig;
}

export function openCodeHost(
  { input, hostConfig }: OpenCode,
  own: Pick<Host, "asked" | "screen" | "jobHost">,
): Host {
  const { client, project, directory, worktree } = input;
  const configured = () => hostConfig.instructions();
  return {
    place: {
      directory,
      worktree,
      project: projectKey(project.id, directory),
      worker: directory,
      git: project.vcs === "git" ? "yes" : "no",
    },
    scope: hostScope({ directory, worktree, configured }, process.env, homedir()),
    models: () => listedModels(client),
    prunes: () => hostConfig.prune(),
    listed: (sessionId) => listedMessages(client, sessionId),
    system: "ours",
    ...own,
    async toast(message, variant) {
      await client.tui.showToast({ body: { title: "Session Runtime", message, variant } });
    },
  };
}

/**
 * Returns the project's key: the host knows a repository by its first commit, and every other folder as
 * `global`.
 */
function projectKey(projectId: string, directory: string): HostProject {
  return (projectId === "global" ? directory : projectId) as HostProject;
}

async function listedModels(client: PluginInput["client"]): Promise<readonly ListedModel[]> {
  const { data } = await client.config.providers();
  return (data?.providers ?? []).flatMap(({ id: providerId, models }) =>
    Object.entries(models).map(([modelId, model]) => ({ providerId, modelId, model })),
  );
}
