// Keeps job sessions out of all our other hooks, and lets each make its one call.
import type { Hooks } from "@opencode-ai/plugin";
import { guardSync } from "../runtime/guard.ts";
import type { ComposedPlugin } from "./compose.ts";
import type { OurHooks } from "./host-names.ts";

type HostEvent = Parameters<NonNullable<Hooks["event"]>>[0]["event"];

type JobDeps = Pick<
  ComposedPlugin,
  "runner" | "jobSessions" | "jobModel" | "runtime" | "failures" | "hostConfig" | "stopChild"
>;

/** The longest time that a refused call waits for its session to be stopped. */
const MAX_HOLD_MS = 10_000;

/** The delay before jobs start, because the host itself is not ready at the config hook. */
const START_DELAY_MS = 1_500;

/** Wraps all other hooks so that they ignore job sessions. */
export function skipJobSessions(hooks: OurHooks, plugin: JobDeps): OurHooks {
  const { runner, jobSessions, jobModel, runtime, failures, hostConfig } = plugin;
  const isJobSession = (sessionId: string | undefined) => jobSessions.has(sessionId);
  const observeEvent = (event: HostEvent) => {
    if (hostConfig.role === "active")
      guardSync(failures, "jobs.event", () => handleEvent(plugin, event));
  };
  const skipForJobs =
    <Input extends { readonly sessionID?: string | undefined }, Output>(
      hook: (input: Input, output: Output) => Promise<void>,
    ) =>
    async (input: Input, output: Output) => {
      if (!isJobSession(input.sessionID)) await hook(input, output);
    };
  /** Stops a job's session if the host wants a second call in it, and holds that call until it ends. */
  const refuseCall = async (sessionId: string) => {
    jobSessions.recordFurtherCall(sessionId);
    await plugin.stopChild(sessionId);
    await new Promise((resolve) => setTimeout(resolve, MAX_HOLD_MS).unref());
    throw new Error("A job's session makes one call");
  };
  return {
    ...hooks,
    config: async (config) => {
      await hooks.config(config);
      // Jobs left by an earlier process are resumed, and nothing waits for them.
      if (hostConfig.role === "active") setTimeout(() => runner?.wake(), START_DELAY_MS).unref();
    },
    event: async (input) => {
      observeEvent(input.event);
      if (!isJobSession(findEventSession(input.event))) await hooks.event(input);
    },
    "chat.message": skipForJobs(hooks["chat.message"]),
    "command.execute.before": skipForJobs(hooks["command.execute.before"]),
    "experimental.chat.messages.transform": async (input, output) => {
      const sessionId = output.messages[0]?.info.sessionID;
      if (sessionId === undefined || !isJobSession(sessionId)) {
        await hooks["experimental.chat.messages.transform"](input, output);
        return;
      }
      // The host has described the tools for this call, which belong to no session.
      runtime.turns.discardTools();
      if (jobSessions.isClaimed(sessionId)) await refuseCall(sessionId);
    },
    "experimental.chat.system.transform": async (input, output) => {
      const { sessionID } = input;
      if (sessionID === undefined || !isJobSession(sessionID)) {
        if (sessionID !== undefined) jobModel.recordProvider(sessionID, input.model.providerID);
        await hooks["experimental.chat.system.transform"](input, output);
        return;
      }
      const call = jobSessions.claimCall(sessionID);
      if (call === null) return refuseCall(sessionID);
      output.system.splice(0, output.system.length, call.system);
    },
    "chat.params": async (input, output) => {
      if (!isJobSession(input.sessionID)) {
        await hooks["chat.params"](input, output);
        return;
      }
      const maxOutputTokens = jobSessions.findChildCall(input.sessionID)?.maxOutputTokens;
      if (maxOutputTokens !== undefined) Object.assign(output, { maxOutputTokens });
    },
    "shell.env": skipForJobs(hooks["shell.env"]),
    "experimental.session.compacting": async (input, output) => {
      if (isJobSession(input.sessionID)) await refuseCall(input.sessionID);
      else await hooks["experimental.session.compacting"](input, output);
    },
    "tool.execute.after": skipForJobs(hooks["tool.execute.after"]),
  };
}

function handleEvent(
  { runner, jobSessions, stopChild, failures }: JobDeps,
  event: HostEvent,
): void {
  switch (event.type) {
    case "session.created":
    case "session.updated":
    case "session.deleted":
      jobSessions.recordSession(event.properties.info.id, event.properties.info.title);
      break;
    case "session.status": {
      const { sessionID, status } = event.properties;
      if (status.type === "idle" && !jobSessions.has(sessionID)) runner?.wake();
      if (status.type !== "retry") break;
      if (!jobSessions.has(sessionID)) {
        runner?.pause(Math.max(status.next - Date.now(), 0));
        break;
      }
      // The runner pauses depending on how the attempt ends. An attempt whose job was deleted says nothing
      // about the provider.
      jobSessions.recordRetry(sessionID, status.message);
      stopChild(sessionID).then(
        () => failures.worked("jobs.stop"),
        (error) => failures.failed("jobs.stop", error),
      );
      break;
    }
    default:
      break;
  }
}

/** Returns the session that an event is about. */
function findEventSession(event: HostEvent): string | undefined {
  // The first SDK lacks types for most of the host's events.
  const { sessionID, info, part } = event.properties as EventProperties;
  return sessionID ?? info?.sessionID ?? part?.sessionID ?? info?.id;
}

interface EventProperties {
  readonly sessionID?: string;
  readonly info?: { readonly id?: string; readonly sessionID?: string };
  readonly part?: { readonly sessionID?: string };
}
