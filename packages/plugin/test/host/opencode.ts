// OpenCode 1 as it calls its plugin: its rows, its system string, its events.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import { HostConfig } from "../../src/hooks/host-config.ts";
import { createJobHost, JobModel } from "../../src/hooks/job-host.ts";
import plugin from "../../src/index.ts";
import { JobSessions } from "../../src/jobs/job-sessions.ts";
import {
  type HostPart,
  hasEnded,
  isReasoning,
  isText,
  readResultText,
} from "../../src/ledger/message.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { type Author, type Row, Rows } from "../model/rows.ts";
import { models } from "../model/world.ts";
import type {
  Block,
  Call,
  DrivenSession,
  HostDriver,
  ModelAnswer,
  SaidPart,
  ShownMessage,
} from "./driver.ts";
import type { Place } from "./place.ts";

type Hook<Name extends keyof Hooks> = NonNullable<Hooks[Name]>;
type HostEvent = Parameters<Hook<"event">>[0]["event"];
type SystemInput = Parameters<Hook<"experimental.chat.system.transform">>[0];
type Messages = Parameters<Hook<"experimental.chat.messages.transform">>[1]["messages"];

const author: Author = { agent: "build", model: "opus" };
const { providerId, modelId, apiId, npm } = models.opus;

const MODEL = {
  ...{ id: modelId, providerID: providerId, api: { id: apiId, npm, url: "" } },
  capabilities: { temperature: true },
  cost: { input: 5, output: 25, cache: { read: 0.5, write: 6.25 } },
  limit: { context: 200_000, output: 32_000 },
};

export const openCode: HostDriver = {
  host: "OpenCode",
  standing: "ours",
  forks: "renew ids",
  answers: "whole",
  model: `${providerId}/${modelId}`,
  open: (place) => opened(place, new Rows("ses_1")),
  ask,
};

async function opened(place: Place, rows: Rows): Promise<DrivenSession> {
  const notices: string[] = [];
  const hooks = await plugin.server(inputFor(place, notices), {});
  await hooks.config?.({});
  const hear = (event: unknown) => hooks.event?.({ event: event as HostEvent });
  const { sessionId } = { sessionId: rows.sessionId };
  return {
    sessionId,
    notices,
    say: (said) => say(rows, said),
    async call(): Promise<Call> {
      const messages = structuredClone(rows.visible()) as unknown as Messages;
      const given = JSON.stringify(messages);
      await hooks["experimental.chat.messages.transform"]?.({}, { messages });
      const system = [systemString(place)];
      const input = { sessionID: sessionId, model: MODEL } as unknown as SystemInput;
      await hooks["experimental.chat.system.transform"]?.(input, { system });
      const sent = JSON.stringify(messages);
      return { given, sent, system: system.join("\n"), shown: shownIn(JSON.parse(sent)) };
    },
    async bill(usage, cost) {
      const answer = rows.all.at(-1);
      const { inputTokens: input, outputTokens: output } = usage;
      const cache = { read: usage.cacheReadTokens, write: usage.cacheWriteTokens };
      const tokens = { input, output, reasoning: 0, cache };
      if (answer) Object.assign(answer.info, { tokens, cost });
      await hear({ type: "message.updated", properties: { info: answer?.info } });
    },
    async hear(what) {
      const properties = { sessionID: sessionId, status: { type: what } };
      const type = what === "compacted" ? "session.compacted" : "session.status";
      await hear({ type, properties });
    },
    async restart() {
      await hooks.dispose?.();
      return opened(place, rows);
    },
    async fork() {
      await hooks.dispose?.();
      const copies = new Rows("ses_2");
      rows.copyInto(copies);
      return opened(place, copies);
    },
    close: async () => hooks.dispose?.(),
  };
}

function inputFor({ project }: Place, notices: string[]): PluginInput {
  const client = {
    app: { log: async () => undefined },
    tui: {
      showToast: async ({ body }: { body: { message: string } }) => void notices.push(body.message),
    },
    config: {
      providers: async () => ({
        data: { providers: [{ id: providerId, models: { [modelId]: MODEL } }] },
      }),
    },
    session: {
      status: async () => ({ data: {} }),
      messages: async () => ({ data: [] }),
      list: async () => ({ data: [] }),
    },
  };
  const place = { directory: project, worktree: project, project: { id: "global", vcs: "git" } };
  return { client, ...place } as unknown as PluginInput;
}

let clock = Date.UTC(2026, 10, 21, 12);

function say(rows: Rows, said: SaidPart): void {
  clock += 1_000;
  switch (said.by) {
    case "user":
      rows.user(author, clock, said.text);
      return;
    case "model": {
      const hasCalls = said.blocks.some(({ type }) => type === "read");
      const row = rows.assistant(author, clock, { finish: hasCalls ? "tool-calls" : "stop" });
      row.parts.push(...said.blocks.map((block) => toPart(rows, row, block)));
      return;
    }
    case "provider": {
      const error = { name: "APIError", data: { message: said.refusal } };
      rows.assistant(author, clock, { error });
      return;
    }
    case "host": {
      rows.compaction(author, clock, null);
      const row = rows.assistant(author, clock, { summary: true, finish: "stop" });
      row.parts.push(rows.text(row, said.summary));
    }
  }
}

function toPart(rows: Rows, row: Row, block: Block): HostPart {
  switch (block.type) {
    case "text":
      return rows.text(row, block.text);
    case "reasoning": {
      const part = {
        ...rows.text(row, block.text),
        type: "reasoning",
        metadata: { signature: "s" },
      };
      return part;
    }
    case "read": {
      const input = { filePath: block.path };
      const part =
        block.outcome === "read"
          ? rows.tool(row, "read", block.result, {})
          : rows.failedTool(row, "read", block.result);
      const state = { ...part.state, input };
      return { ...part, state } as HostPart;
    }
  }
}

function systemString({ project }: Place): string {
  const path = join(project, "AGENTS.md");
  return [
    "You are the build agent.",
    `You are powered by the model named ${apiId}. The exact model ID is ${providerId}/${apiId}`,
    "Here is some useful information about the environment you are running in:",
    "<env>",
    `  Working directory: ${project}`,
    `  Workspace root folder: ${project}`,
    "  Is directory a git repo: yes",
    `  Platform: ${process.platform}`,
    `  Today's date: ${new Date().toDateString()}`,
    "</env>",
    `Instructions from: ${path}\n${readFileSync(path, "utf8")}`,
  ].join("\n");
}

function shownIn(messages: readonly Row[]): readonly ShownMessage[] {
  return messages.map(({ info, parts }) => ({
    by: info.role,
    parts: parts.flatMap((part) => {
      if (isText(part) || isReasoning(part)) return [part.text];
      return hasEnded(part) ? [`${part.tool}: ${readResultText(part)}`] : [];
    }),
  }));
}

const CHILD = "ses_child" as SessionId;

async function ask(
  question: { readonly system: string; readonly prompt: string; readonly maxOutputTokens: number },
  answer: ModelAnswer,
) {
  const sessions = new JobSessions();
  const asked = { system: "", prompt: "", maxOutputTokens: 0 };
  const client = {
    session: {
      prompt: async ({ body }: { body: { parts: readonly { text: string }[] } }) => {
        // The hooks of a job's one call put these two in.
        const { system = "", maxOutputTokens = 0 } = sessions.findChildCall(CHILD) ?? {};
        Object.assign(asked, { system, maxOutputTokens, prompt: body.parts[0]?.text });
        return { data: answered(answer) };
      },
    },
  } as unknown as PluginInput["client"];
  const hostConfig = new HostConfig("/project");
  const host = createJobHost(
    client,
    sessions,
    new JobModel({ client, hostConfig, configured: null }),
  );
  return { reply: await host.prompt(CHILD, { ...question, model: "router/a" }), asked };
}

function answered(answer: ModelAnswer): object {
  const tokens = { input: 4, output: 3, reasoning: 0, cache: { read: 2, write: 1 } };
  switch (answer.type) {
    case "said": {
      const finish = answer.ending === "cut" ? "length" : "stop";
      return { info: { tokens, finish }, parts: [{ type: "text", text: answer.text }] };
    }
    case "refused":
      return {
        info: { tokens, error: { name: "APIError", data: { statusCode: answer.status } } },
        parts: [],
      };
    case "stopped":
      return { info: { tokens, error: { name: "MessageAbortedError" } }, parts: [] };
  }
}
