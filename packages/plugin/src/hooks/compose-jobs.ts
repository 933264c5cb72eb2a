// Composes what jobs need of OpenCode: child sessions, which a job's question goes to, and the model that answers.
import type { PluginInput } from "@opencode-ai/plugin";
import type { Room } from "../features/feature.ts";
import { JobSessions } from "../jobs/job-sessions.ts";
import type { JobRunner } from "../jobs/runner.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { ComposedHouse } from "./compose-house.ts";
import type { HostConfig } from "./host-config.ts";
import { jobHost } from "./job-host.ts";
import { JobModel } from "./job-model.ts";
import { jobRunner } from "./job-runner.ts";

interface JobParts {
  readonly runtime: SessionRuntime;
  readonly rooms: readonly Room[];
  readonly client: PluginInput["client"];
  readonly hostConfig: HostConfig;
}

export interface ComposedJobs {
  readonly jobRunner: JobRunner;
  readonly jobSessions: JobSessions;
  readonly jobModel: JobModel;
  readonly stopChild: (childId: string) => Promise<void>;
}

export function composeJobs(
  house: ComposedHouse,
  { runtime, rooms, client, hostConfig }: JobParts,
): ComposedJobs {
  const jobSessions = new JobSessions();
  const jobModel = new JobModel({ client, hostConfig, configured: house.config.jobs.model });
  const host = jobHost(client, jobSessions, jobModel);
  return {
    jobRunner: jobRunner(house, { runtime, rooms, host }),
    jobSessions,
    jobModel,
    stopChild: async (childId) => {
      await client.session.abort({ path: { id: childId } });
    },
  };
}
