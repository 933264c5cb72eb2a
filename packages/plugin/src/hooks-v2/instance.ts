// One open instance on OpenCode 2: what its hooks delegate to, over a host that offers little.
import type { Config } from "../config/schema.ts";
import type { JobHost } from "../jobs/child-port.ts";
import type { Notice } from "../log/notices.ts";
import {
  type CommandInvocation,
  createReportDeps,
  handleEvent,
  type RuntimeEvent,
  runCommand,
} from "../runtime/host-calls.ts";
import { type Instance, openInstance } from "../runtime/instance.ts";
import type { StartupConfig } from "../runtime/startup-config.ts";
import { type PanelStatus, readPanel } from "../status/panel.ts";
import { loadStatus } from "../status/report.ts";
import type { SessionId } from "../storage/records.ts";
import { projectCall, projectCompaction } from "./call.ts";
import type { V2Context, V2ContextEvent, V2Message, V2Output, V2ToolEvent } from "./context.ts";
import { createV2Host, type Histories, type V2HostEvent } from "./host.ts";
import { createJobHost } from "./job-host.ts";
import { V2Models } from "./models.ts";
import { boundOutput } from "./output.ts";
import type { V2Screen } from "./screen.ts";
import { StoredReader } from "./stored.ts";
import { WireCheck } from "./wire-check.ts";

export interface V2Instance extends Pick<Instance, "runTool" | "failures" | "close"> {
  /** Returns null if the request stays as the host made it. */
  readonly projected: (event: V2ContextEvent) => Promise<readonly V2Message[] | null>;
  readonly compacting: (event: V2ContextEvent) => Promise<readonly V2Message[] | null>;
  readonly settled: (event: V2ToolEvent) => Promise<V2Output | null>;
  readonly onEvent: (heard: V2HostEvent) => Promise<null>;
  readonly command: (said: CommandInvocation) => Promise<null>;
  /** Receives the body of a request from the session's own loop, as it is sent. */
  readonly sawRequest: (sessionId: SessionId, body: string) => void;
  readonly panel: (sessionId: SessionId) => Promise<PanelStatus>;
}

interface InstanceInput {
  readonly ctx: Pick<V2Context, "session" | "model" | "generate">;
  readonly directory: string;
  readonly startup: StartupConfig;
  readonly screen: V2Screen;
}

const requestDiffers: Notice = {
  code: "request_differs",
  severity: "warning",
  ends: "by over",
  message:
    "A request went out without a part of what Session Runtime had put into it: another plugin or OpenCode changes messages after it. Text that changes after it was sent is billed again.",
  remedy:
    "/ctx-status counts such requests. If there are more, put Session Runtime last in the plugin list.",
};

/** Maps each session to the model of its newest call. */
type NewestModels = Map<SessionId, V2ContextEvent["model"]>;

export async function openV2({
  ctx,
  directory,
  startup,
  screen,
}: InstanceInput): Promise<V2Instance> {
  const histories: Histories = new Map();
  const newest: NewestModels = new Map();
  const models = new V2Models(ctx.model);
  const { config } = startup.configured;
  const host = createV2Host({
    session: ctx.session,
    models,
    directory,
    histories,
    toast: screen.toast,
    jobHost: createJobs(ctx.generate, createJobModel(config, models, newest)),
  });
  const opened = await openInstance(host, startup);
  const { runtime, dispatch, database, log, withheldTools } = opened;
  const stored = new StoredReader(ctx.session);
  const call = { runtime, dispatch, models, stored, withheldTools };
  const wire = new WireCheck({
    differed: () => opened.notices.notice(requestDiffers),
    asDecided: () => opened.notices.over(requestDiffers.code),
  });
  const instance = { ...opened, sections: [...opened.sections, wire.section] };
  return {
    failures: opened.failures,
    runTool: opened.runTool,
    close: opened.close,
    async projected(event) {
      await database.ensure();
      newest.set(event.sessionID as SessionId, event.model);
      const projected = await projectCall(call, event);
      if (!projected) return null;
      histories.set(event.sessionID as SessionId, projected.host);
      const { messages } = projected;
      wire.recordDecision(event.sessionID as SessionId, messages, event.messages);
      const isSame = messages.every((message, at) => message === event.messages[at]);
      return isSame && messages.length === event.messages.length ? null : messages;
    },
    async compacting(event) {
      await database.ensure();
      return projectCompaction(call, event);
    },
    settled: (event) => boundOutput(event, dispatch),
    async onEvent(heard) {
      // The host may publish events of other folders too; a deletion concerns all of them.
      if (heard.kind !== "deleted" && !newest.has(heard.sessionId)) return null;
      await database.ensure();
      if (heard.kind === "billed") {
        const nowMs = instance.now();
        const time = { created: nowMs, completed: nowMs };
        stored.note(heard.sessionId, heard.messageId, { time, ...heard.noted });
      }
      await handleEvent(instance, addModel(heard, newest));
      if (heard.kind === "deleted") {
        newest.delete(heard.sessionId);
        histories.delete(heard.sessionId);
      }
      await screen.changed(heard.sessionId);
      return null;
    },
    async command(called) {
      const { sessionId } = called;
      const name = instance.commandNames.resolve(called.name);
      const text = await runCommand(instance, { ...called, name });
      log.info("v2.command", { command: name, answer: text });
      await screen.answered(sessionId, name, text);
      return null;
    },
    sawRequest: (sessionId, body) => wire.checkBody(sessionId, body),
    async panel(sessionId) {
      await database.ensure();
      const toasts = config.notices.toast ? "shown" : "silent";
      const off = [...instance.offCommands];
      const status = loadStatus(await createReportDeps(instance, sessionId));
      return readPanel(status, { toasts, notice: null, off });
    },
  };
}

/** Builds the host for jobs; null if OpenCode makes no calls outside its sessions. */
function createJobs(generate: V2Context["generate"], model: JobHost["model"]): JobHost | null {
  return typeof generate?.text === "function" ? createJobHost(generate, model) : null;
}

/** Chooses the model for jobs: the configured one, or a small one of the session's provider. */
function createJobModel(config: Config, models: V2Models, newest: NewestModels): JobHost["model"] {
  return async (sessionId) => {
    const { model } = config.jobs;
    if (model !== null) return model;
    const used = (sessionId && newest.get(sessionId)) ?? [...newest.values()].at(-1);
    return used ? models.findSmall(used.providerID) : null;
  };
}

/** Adds the model to a call's figures, for which the host names only the answer. */
function addModel(heard: V2HostEvent, newest: NewestModels): RuntimeEvent {
  const model = newest.get(heard.sessionId);
  switch (heard.kind) {
    case "billed":
      return { ...heard, model: `${model?.providerID}/${model?.id}` };
    case "refused":
      return {
        ...heard,
        model: model ? { providerId: model.providerID, modelId: model.id } : null,
      };
    default:
      return heard;
  }
}
