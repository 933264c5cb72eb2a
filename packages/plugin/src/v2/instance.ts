// One open instance on OpenCode 2: the kernel and the rooms, over a house that asks the host for little.
import { homedir } from "node:os";
import type { ResolvedConfig } from "../config/resolve.ts";
import { wrapUpdate } from "../context/lowering.ts";
import type { Feature } from "../features/feature.ts";
import { openRooms } from "../features/open-rooms.ts";
import { ModelCatalogue } from "../hooks/catalogue.ts";
import { composeHouse } from "../hooks/compose-house.ts";
import { composeRuntime } from "../hooks/compose-runtime.ts";
import { roomDispatch } from "../hooks/room-dispatch.ts";
import { toolTokens } from "../hooks/tool-tokens.ts";
import { guardedTools, type RunTool } from "../hooks/tools.ts";
import { absent } from "../host/absent.ts";
import type { Host } from "../host/host.ts";
import type { FailureReporter } from "../log/fault.ts";
import { hostDefaultLimits } from "../rooms/tool-output/limits.ts";
import type { SessionMessage } from "../session/history.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import { hostScope } from "../sources/instruction-scope.ts";
import type { SessionId } from "../storage/records.ts";
import type { V2ContextEvent, V2Message, V2Output, V2ToolEvent } from "./context.ts";
import { boundedOutput } from "./output.ts";
import { groupsOf } from "./rows.ts";
import { sentMessages } from "./send.ts";

export interface Instance {
  readonly runTool: RunTool;
  readonly failures: FailureReporter;
  /** Null: the request stays as the host made it. */
  readonly projected: (event: V2ContextEvent) => Promise<readonly V2Message[] | null>;
  readonly compacting: (event: V2ContextEvent) => Promise<readonly V2Message[] | null>;
  readonly fold: (sessionId: string) => Promise<null>;
  readonly settled: (event: V2ToolEvent) => Promise<V2Output | null>;
  readonly close: () => Promise<void>;
}

interface InstanceInput {
  readonly directory: string;
  readonly configured: ResolvedConfig;
  /** All features: the database has one schema. */
  readonly listed: readonly Feature[];
  /** Those that are opened. */
  readonly features: readonly Feature[];
}

/** As each session's newest request had them. */
type Histories = Map<string, readonly SessionMessage[]>;

export async function openInstance(input: InstanceInput): Promise<Instance> {
  const { directory, configured, listed, features } = input;
  const histories: Histories = new Map();
  const house = composeHouse({ edge: v2Host(directory, histories), configured, listed });
  const { database, failures, jobs, nextCalls } = house;
  const rooms = await openRooms(features, house);
  const runtime = composeRuntime(house, {
    catalogue: new ModelCatalogue(house.edge.models),
    rooms,
    toolTokens: toolTokens(features),
    system: "host",
  });
  nextCalls.lookWith(async (sessionId) => {
    await database.ensure();
    return runtime.nextCall(sessionId, histories.get(sessionId) ?? []);
  });
  jobs.watchProposals((sessionId) => runtime.takeUpProposals(sessionId));
  const dispatch = roomDispatch(rooms, failures);
  const tools = rooms.flatMap((room) => room.tools ?? []);
  return {
    failures,
    runTool: guardedTools(tools, failures),
    async projected(event) {
      await database.ensure();
      const projected = await project(runtime, histories, event);
      if (!projected) return null;
      const { sessionId, host, sent } = projected;
      await dispatch("sent", { sessionId, host, sent });
      return sent === host && projected.messages.length === event.messages.length
        ? null
        : projected.messages;
    },
    async compacting(event) {
      await database.ensure();
      const sessionId = event.sessionID as SessionId;
      const groups = groupsOf(event);
      if (!groups) return null;
      runtime.markCompacting(sessionId);
      const sent = await runtime.project(groups.map(({ row }) => row));
      const output = { context: [] as string[] };
      await dispatch("compacting", sessionId, output);
      const briefs = output.context.map(
        (text): V2Message => ({ role: "user", content: [{ type: "text", text }] }),
      );
      return [...sentMessages(groups, sent), ...briefs];
    },
    async fold(sessionId) {
      const commands = rooms.flatMap((room) => room.commands ?? []);
      const command = commands.find(({ name }) => name === "ctx-fold");
      if (command?.kind !== "action") return null;
      const call = {
        sessionId: sessionId as SessionId,
        args: "",
        files: [],
        process: "stays",
      } as const;
      house.log.info("v2.fold", { answer: (await command.act(call)).text });
      return null;
    },
    settled: (event) => boundedOutput(event, dispatch),
    async close() {
      runtime.turns.flush();
      await dispatch("closed");
      database.close();
    },
  };
}

/** Null: nothing of it is on record, or the request is built in a way that was never read. */
async function project(runtime: SessionRuntime, histories: Histories, event: V2ContextEvent) {
  const groups = groupsOf(event);
  if (!groups) return null;
  const sessionId = event.sessionID as SessionId;
  const host = groups.map(({ row }) => row);
  histories.set(sessionId, host);
  const sent = await runtime.project(host);
  const { id: modelId, providerID: providerId } = event.model;
  const model = { providerId, modelId, apiId: modelId, npm: "" };
  const baseline = runtime.sendUnderHostsSystem({ sessionId, model });
  if (baseline === null) return null;
  const messages = [...baselineMessage(baseline), ...sentMessages(groups, sent)];
  return { sessionId, host, sent, messages };
}

/** What our own sources say is the first message of each request of the epoch: the system prompt is the host's. */
function baselineMessage(baseline: string): readonly V2Message[] {
  if (baseline === "") return [];
  return [{ role: "user", content: [{ type: "text", text: wrapUpdate(baseline) }] }];
}

/** What the host doesn't offer rejects, as rooms expect. */
function v2Host(directory: string, histories: Histories): Host {
  const worktree = directory;
  return {
    place: { directory, worktree, project: directory, jobs: directory, git: "no" },
    scope: hostScope({ directory, worktree, configured: () => [] }, process.env, homedir()),
    models: async () => [],
    prunes: () => "off",
    asked: {
      ...absent,
      messages: async (id, { count }) => (histories.get(id) ?? []).slice(-count),
      outputLimits: () => hostDefaultLimits,
    },
    // The terminal UI's part shows notices; the log has them in any case.
    toast: async () => undefined,
  };
}
