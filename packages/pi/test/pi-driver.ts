// Pi as it calls its extension: its entries, its system message with sections, its events.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import type {
  Block,
  Call,
  DrivenSession,
  HostDriver,
  ModelAnswer,
  Question,
  SaidPart,
  ShownMessage,
} from "../../plugin/test/host/driver.ts";
import type { Place } from "../../plugin/test/host/place.ts";
import { joinText } from "../src/content.ts";
import { beginEdge } from "../src/edge.ts";
import { jobHost } from "../src/job-host.ts";
import type {
  PiApi,
  PiAssistant,
  PiContext,
  PiEntry,
  PiMessage,
  PiModel,
  PiModels,
  PiSystem,
  PiUsage,
} from "../src/pi.ts";

const MODEL: PiModel = {
  ...{ provider: "mock", id: "plain-1", contextWindow: 200_000, maxTokens: 8_192 },
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
};

export const pi: HostDriver = {
  host: "Pi",
  standing: "ours",
  forks: "keep ids",
  answers: "whole",
  model: `${MODEL.provider}/${MODEL.id}`,
  open: (place) => opened(new Session(place, "session-1", null, [])),
  ask,
};

const UNUSED: PiUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };

/** As its file holds it: each entry is one message here. */
class Session {
  readonly file: string;

  constructor(
    readonly place: Place,
    readonly id: string,
    readonly parent: string | null,
    readonly entries: PiEntry[],
  ) {
    const folder = join(place.root, "agent/sessions");
    mkdirSync(folder, { recursive: true });
    this.file = join(folder, `${id}.jsonl`);
    writeFileSync(this.file, `${JSON.stringify({ type: "session", id })}\n`);
  }

  add(message: PiMessage): void {
    const id = (0x1000_0000 + this.entries.length).toString(16);
    this.entries.push({ sourceEntry: { id }, messages: [message] });
  }

  replaceLast(change: (message: PiMessage) => PiMessage): string {
    const last = this.entries.pop();
    const [message] = last?.messages ?? [];
    if (!last || !message) throw new Error("nothing was said");
    this.entries.push({ ...last, messages: [change(message)] });
    return last.sourceEntry.id;
  }
}

type Handler = (event: unknown, ctx: PiContext) => Promise<unknown>;

async function opened(session: Session): Promise<DrivenSession> {
  const notices: string[] = [];
  const handlers = new Map<string, Handler[]>();
  const api = {
    on: (name: string, handler: Handler) =>
      void handlers.set(name, [...(handlers.get(name) ?? []), handler]),
    registerTool: () => undefined,
    registerCommand: () => undefined,
  } as unknown as PiApi;
  const ctx = createContext(session, notices);
  const fire = async (name: string, event: object) => {
    let answer: unknown;
    for (const handler of handlers.get(name) ?? []) answer = await handler(event, ctx);
    return answer as { readonly messages?: readonly PiMessage[] } | undefined;
  };
  beginEdge(api, { compact: async () => ({}) as never });
  await fire("session_start", { reason: "startup" });
  if (session.entries.length === 0) session.add(systemMessage());
  const end = () => fire("session_shutdown", { reason: "quit" });
  return {
    sessionId: session.id,
    notices,
    say: (said) => say(session, said),
    async call(): Promise<Call> {
      const messages = session.entries.flatMap((entry) => entry.messages);
      const given = JSON.stringify(messages.slice(1));
      const answer = await fire("context_with_system", { messages });
      // Pi sends the very list that it gave: whatever happens, it is as it was.
      if (JSON.stringify(messages.slice(1)) !== given) throw new Error("Pi's list was changed");
      const [system, ...sent] = JSON.parse(
        JSON.stringify(answer?.messages ?? messages),
      ) as PiMessage[];
      return {
        given,
        sent: JSON.stringify(sent),
        system: JSON.stringify(system),
        shown: shownIn(sent),
      };
    },
    async bill({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }, paidUsd) {
      const usage = {
        ...{ input: inputTokens, output: outputTokens, cost: { total: paidUsd } },
        ...{ cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens },
      };
      let billed: PiMessage | null = null;
      const messageEntryId = session.replaceLast((message) => {
        billed = { ...message, usage } as PiAssistant;
        return billed;
      });
      await fire("turn_end", { message: billed, messageEntryId });
    },
    async hear(what) {
      const names = { busy: "agent_start", idle: "agent_settled", compacted: "session_compact" };
      await fire(names[what], {});
    },
    async restart() {
      await end();
      return opened(session);
    },
    async fork() {
      await end();
      const { place, file, entries } = session;
      return opened(new Session(place, "session-2", file, [...entries]));
    },
    close: async () => void (await end()),
  };
}

function createContext({ place, id, parent, entries }: Session, notices: string[]): PiContext {
  return {
    cwd: place.project,
    getSystemPrompt: () => renderedPrompt(entries),
    hasUI: true,
    model: MODEL,
    ui: {
      notify: (text: string) => void notices.push(text),
      setStatus: () => undefined,
      setWidget: () => undefined,
    },
    modelRegistry: { getAvailable: () => [MODEL] },
    sessionManager: {
      getSessionId: () => id,
      getHeader: () => (parent === null ? {} : { parentSession: parent }),
      buildSessionProjection: () => ({ entries }),
    },
  } as unknown as PiContext;
}

/** All of it stands in the first message. */
function renderedPrompt(entries: readonly PiEntry[]): string {
  const first = entries.flatMap(({ messages }) => messages).find(({ role }) => role === "system");
  return Object.values((first as PiSystem | undefined)?.sections ?? {}).join("\n\n");
}

let clock = Date.UTC(2026, 10, 21, 12);

function systemMessage(): PiSystem {
  clock += 1;
  const sections = {
    preamble: "You are pi.",
    project_context: "As Pi read it at its start.",
    cwd: "Current directory: /project",
  };
  return { role: "system", content: "", sections, toolsAdded: [], timestamp: clock };
}

function say(session: Session, said: SaidPart): void {
  clock += 1_000;
  const timestamp = clock;
  switch (said.by) {
    case "user":
      session.add({ role: "user", content: said.text, timestamp });
      return;
    case "model": {
      const content = said.blocks.map(toContentBlock);
      const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
      session.add(toAssistantMessage({ content, stopReason }));
      for (const [at, block] of said.blocks.entries()) {
        if (block.type !== "read") continue;
        session.add({
          ...{ role: "toolResult", toolCallId: callId(block, at), toolName: "read", timestamp },
          content: [{ type: "text", text: block.result }],
          isError: block.outcome === "failed",
        });
      }
      return;
    }
    case "provider":
      session.add(
        toAssistantMessage({ content: [], stopReason: "error", errorMessage: said.refusal }),
      );
      return;
    case "host":
      session.entries.splice(1);
      session.add({ role: "compactionSummary", summary: said.summary, timestamp });
  }
}

function toAssistantMessage(
  said: Pick<PiAssistant, "content" | "stopReason"> & { readonly errorMessage?: string },
): PiAssistant {
  const { provider, id: model } = MODEL;
  return { role: "assistant", ...said, provider, model, usage: UNUSED, timestamp: clock };
}

function toContentBlock(block: Block, at: number): PiAssistant["content"][number] {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "reasoning":
      return { type: "thinking", thinking: block.text, thinkingSignature: "s" };
    case "read":
      return {
        ...{ type: "toolCall", id: callId(block, at), name: "read" },
        arguments: { path: block.path },
      };
  }
}

const callId = ({ path }: Block & { readonly type: "read" }, at: number) => `call_${at}_${path}`;

function shownIn(messages: readonly PiMessage[]): readonly ShownMessage[] {
  const shown: { by: ShownMessage["by"]; parts: string[] }[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "user":
        shown.push({ by: "user", parts: listTexts(message.content) });
        break;
      case "assistant":
        shown.push({ by: "assistant", parts: message.content.flatMap(listBlockTexts) });
        break;
      case "toolResult":
        shown.at(-1)?.parts.push(`${message.toolName}: ${joinText(message.content)}`);
        break;
      default:
        break;
    }
  }
  return shown;
}

function listTexts(content: (PiMessage & { readonly role: "user" })["content"]): string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

function listBlockTexts(block: PiAssistant["content"][number]): readonly string[] {
  switch (block.type) {
    case "text":
      return [block.text];
    case "thinking":
      return [block.thinking];
    case "toolCall":
      return [];
  }
}

async function ask({ system, prompt, maxOutputTokens }: Question, answer: ModelAnswer) {
  const asked = { system: "", prompt: "", maxOutputTokens: 0 };
  const models = {
    find: () => MODEL,
    complete: async (
      _model: PiModel,
      { messages }: { readonly messages: readonly { readonly content: string }[] },
      { maxTokens }: { readonly maxTokens: number },
    ) => {
      const [first, second] = messages;
      Object.assign(asked, { system: first?.content, prompt: second?.content });
      Object.assign(asked, { maxOutputTokens: maxTokens });
      return {
        ...toAssistantMessage(ended(answer)),
        usage: { ...UNUSED, input: 4, output: 3, cacheRead: 2, cacheWrite: 1 },
      };
    },
  } as unknown as PiModels;
  const host = jobHost({ models: () => models, configured: null, current: () => MODEL });
  const call = { system, prompt, maxOutputTokens, model: "mock/plain-1" };
  return { reply: await host.prompt("child" as SessionId, call), asked };
}

function ended(answer: ModelAnswer): Parameters<typeof toAssistantMessage>[0] {
  switch (answer.type) {
    case "said": {
      const stopReason = answer.ending === "cut" ? "length" : "stop";
      return { content: [{ type: "text", text: answer.text }], stopReason };
    }
    case "refused":
      return { content: [], stopReason: "error", errorMessage: `${answer.status} from provider` };
    case "stopped":
      return { content: [], stopReason: "aborted" };
  }
}
