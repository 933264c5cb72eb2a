// One open instance on OpenCode 2: the kernel and the rooms, over a house that asks the host for little.
import type { ResolvedConfig } from "../config/resolve.ts";
import { offCommands } from "../features/declared-commands.ts";
import type { Feature } from "../features/feature.ts";
import { openRooms } from "../features/open-rooms.ts";
import { statusSections } from "../features/status-sections.ts";
import { answer, reportDeps, type SaidCommand } from "../hooks/answer.ts";
import { ModelCatalogue } from "../hooks/catalogue.ts";
import { type ComposedHouse, composeHouse } from "../hooks/compose-house.ts";
import { composeRuntime } from "../hooks/compose-runtime.ts";
import { jobRunner } from "../hooks/job-runner.ts";
import { type Dispatch, roomDispatch } from "../hooks/room-dispatch.ts";
import { toolTokens } from "../hooks/tool-tokens.ts";
import { guardedTools, type RunTool } from "../hooks/tools.ts";
import type { JobHost } from "../jobs/job-host.ts";
import type { JobRunner } from "../jobs/runner.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { Notice } from "../log/notices.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import { type PanelStatus, readPanel } from "../status/panel.ts";
import { statusOf } from "../status/report.ts";
import type { SessionId } from "../storage/records.ts";
import { projectCall, projectCompaction } from "./call.ts";
import type { V2Context, V2ContextEvent, V2Message, V2Output, V2ToolEvent } from "./context.ts";
import type { Heard } from "./heard.ts";
import { type Histories, v2Host } from "./host.ts";
import { jobHost } from "./job-host.ts";
import { V2Models } from "./models.ts";
import { boundedOutput } from "./output.ts";
import type { V2Screen } from "./screen.ts";
import { StoredReader } from "./stored.ts";
import { WireCheck } from "./wire-check.ts";

export interface Instance {
  readonly runTool: RunTool;
  readonly failures: FailureReporter;
  /** Null: the request stays as the host made it. */
  readonly projected: (event: V2ContextEvent) => Promise<readonly V2Message[] | null>;
  readonly compacting: (event: V2ContextEvent) => Promise<readonly V2Message[] | null>;
  readonly settled: (event: V2ToolEvent) => Promise<V2Output | null>;
  readonly heard: (heard: Heard) => Promise<null>;
  readonly command: (said: SaidCommand) => Promise<null>;
  /** The body of a request of the session's own loop, as it goes out. */
  readonly sawRequest: (sessionId: SessionId, body: string) => void;
  readonly panel: (sessionId: SessionId) => Promise<PanelStatus>;
  readonly close: () => Promise<void>;
}

interface InstanceInput {
  readonly ctx: Pick<V2Context, "session" | "model" | "generate">;
  readonly directory: string;
  readonly configured: ResolvedConfig;
  /** All features: the database has one schema. */
  readonly listed: readonly Feature[];
  /** Those that are opened. */
  readonly features: readonly Feature[];
  readonly screen: V2Screen;
}

const requestDiffers: Notice = {
  code: "request_differs",
  severity: "warning",
  message:
    "A request went out without all that Session Runtime had decided for it: another plugin or OpenCode changes messages after it. What changes after it was sent is billed again.",
  remedy:
    "/ctx-status counts such requests. If they go on, put Session Runtime last in the plugin list.",
};

/** What each session's newest call went to. */
type NewestModels = Map<SessionId, V2ContextEvent["model"]>;

export async function openInstance(input: InstanceInput): Promise<Instance> {
  const { ctx, directory, configured, listed, features, screen } = input;
  const histories: Histories = new Map();
  const newest: NewestModels = new Map();
  const models = new V2Models(ctx.model);
  const { toast } = screen;
  const edge = v2Host({ session: ctx.session, models, directory, histories, toast });
  const house = composeHouse({ edge, configured, listed });
  const { database, failures, log, nextCalls } = house;
  const rooms = await openRooms(features, house);
  const runtime = composeRuntime(house, {
    catalogue: new ModelCatalogue(edge.models),
    rooms,
    toolTokens: toolTokens(features),
    system: "host",
  });
  const historyOf = (sessionId: SessionId) => histories.get(sessionId) ?? [];
  nextCalls.lookWith(async (sessionId) => {
    await database.ensure();
    return runtime.nextCall(sessionId, historyOf(sessionId));
  });
  const dispatch = roomDispatch(rooms, failures);
  const stored = new StoredReader(ctx.session);
  const call = { runtime, dispatch, models, stored };
  const runner = ctx.generate
    ? jobRunner(house, {
        runtime,
        rooms,
        host: jobHost(ctx.generate, modelOf(house, models, newest)),
      })
    : null;
  house.jobs.watchProposals((sessionId) => runtime.takeUpProposals(sessionId));
  const tools = rooms.flatMap((room) => room.tools ?? []);
  const commands = rooms.flatMap((room) => room.commands ?? []);
  const wire = new WireCheck(() => house.notices.notice(requestDiffers));
  const sections = [...(await statusSections(listed)), wire.section];
  const answering = { house, runtime, commands, sections, historyOf };
  return {
    failures,
    runTool: guardedTools(tools, failures),
    async projected(event) {
      await database.ensure();
      newest.set(event.sessionID as SessionId, event.model);
      const projected = await projectCall(call, event);
      if (!projected) return null;
      histories.set(event.sessionID as SessionId, projected.host);
      const { messages } = projected;
      wire.decided(event.sessionID as SessionId, messages, event.messages);
      const isSame = messages.every((message, at) => message === event.messages[at]);
      return isSame && messages.length === event.messages.length ? null : messages;
    },
    async compacting(event) {
      await database.ensure();
      return projectCompaction(call, event);
    },
    settled: (event) => boundedOutput(event, dispatch),
    async heard(heard) {
      // The host may publish what happens in other folders, too; what is deleted is so for all.
      if (heard.kind !== "deleted" && !newest.has(heard.sessionId)) return null;
      await database.ensure();
      if (heard.kind === "billed") {
        const nowMs = house.now();
        const time = { created: nowMs, completed: nowMs };
        stored.note(heard.sessionId, heard.messageId, { time, ...heard.noted });
      }
      await hear({ runtime, dispatch, newest, runner }, heard);
      if (heard.kind === "deleted") histories.delete(heard.sessionId);
      await screen.changed(heard.sessionId);
      return null;
    },
    async command(said) {
      const text = await answer(answering, said);
      log.info("v2.command", { command: said.name, answer: text });
      await screen.answered(said.sessionId, said.name, text);
      return null;
    },
    sawRequest: (sessionId, body) => wire.saw(sessionId, body),
    async panel(sessionId) {
      await database.ensure();
      const toasts = configured.config.notices.toast ? "shown" : "silent";
      const off = [...offCommands(listed, features)];
      return readPanel(statusOf(reportDeps(answering, sessionId)), { toasts, notice: null, off });
    },
    async close() {
      await runner?.close();
      runtime.turns.flush();
      await dispatch("closed");
      database.close();
      await log.flush();
    },
  };
}

/** The model of jobs: the one of the settings, or a small neighbour of what the session works with. */
function modelOf(house: ComposedHouse, models: V2Models, newest: NewestModels): JobHost["model"] {
  return async (sessionId) => {
    const { model } = house.config.jobs;
    if (model !== null) return model;
    const used = (sessionId && newest.get(sessionId)) ?? [...newest.values()].at(-1);
    return used ? models.small(used.providerID) : null;
  };
}

interface HearDeps {
  readonly runtime: SessionRuntime;
  readonly dispatch: Dispatch;
  readonly newest: NewestModels;
  readonly runner: JobRunner | null;
}

async function hear({ runtime, dispatch, newest, runner }: HearDeps, heard: Heard): Promise<void> {
  const { sessionId } = heard;
  switch (heard.kind) {
    case "busy":
    case "idle":
      runtime.sawStatus(sessionId, heard.kind);
      break;
    case "deleted":
      runtime.removeSession(sessionId);
      newest.delete(sessionId);
      break;
    case "billed": {
      const used = newest.get(sessionId);
      const { messageId, usage, paidUsd } = heard;
      const model = `${used?.providerID}/${used?.id}`;
      if (used) runtime.turns.settle({ sessionId, messageId, model, usage, paidUsd });
      break;
    }
    case "refused":
      runner?.pause(0);
      break;
    case "compacted":
      break;
  }
  await dispatch("heard", heard);
  if (heard.kind !== "idle") return;
  await dispatch("settled", sessionId);
  runner?.wake();
}
