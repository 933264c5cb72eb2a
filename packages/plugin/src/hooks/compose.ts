// Composes what OpenCode's hooks delegate to: the instance, and the parts that only OpenCode has.
import { ModelOptions } from "../config/model-options.ts";
import type { ResolvedConfig } from "../config/resolve.ts";
import { ShellEnvironment } from "../config/shell-environment.ts";
import { JobSessions } from "../jobs/job-sessions.ts";
import { reportRefusedVariables } from "../runtime/channels.ts";
import type { Host } from "../runtime/host.ts";
import type { Instance } from "../runtime/instance.ts";
import { readPathEnvironment } from "../storage/location.ts";
import { TerminalUi } from "../tui-server/terminal-ui.ts";
import { createHostApi } from "./host-api.ts";
import { createJobHost, JobModel } from "./job-host.ts";
import { createOpenCodeHost, type OpenCode } from "./opencode-host.ts";

/** Holds what the edge to OpenCode keeps for itself, with the port that it provides. */
interface OpenCodeParts extends OpenCode {
  readonly host: Host;
  readonly screen: TerminalUi;
  readonly jobSessions: JobSessions;
  readonly jobModel: JobModel;
}

/** Holds everything that the hooks of one plugin instance delegate to. */
export interface ComposedPlugin extends Instance, Omit<OpenCodeParts, "host"> {
  readonly modelOptions: ModelOptions;
  readonly shellEnvironment: ShellEnvironment;
  readonly stopChild: (childId: string) => Promise<void>;
}

export function createOpenCodeParts(openCode: OpenCode, { config }: ResolvedConfig): OpenCodeParts {
  const { hostConfig } = openCode;
  const { client } = openCode.input;
  const asked = createHostApi(client, hostConfig);
  const screen = new TerminalUi({ publish: asked.publish, surroundings: readPathEnvironment() });
  const jobSessions = new JobSessions();
  const jobModel = new JobModel({ client, hostConfig, configured: config.jobs.model });
  const own = { asked, screen, jobHost: createJobHost(client, jobSessions, jobModel) };
  return { ...openCode, screen, jobSessions, jobModel, host: createOpenCodeHost(openCode, own) };
}

export function composePlugin(
  instance: Instance,
  { host: _, ...openCode }: OpenCodeParts,
): ComposedPlugin {
  const { config, notices } = instance;
  const { client, directory } = openCode.input;
  const shellEnvironment = new ShellEnvironment(config.environment, directory);
  reportRefusedVariables(shellEnvironment, notices);
  return {
    ...instance,
    ...openCode,
    shellEnvironment,
    modelOptions: new ModelOptions(config),
    stopChild: async (childId) => {
      await client.session.abort({ path: { id: childId } });
    },
  };
}
