// OpenCode 2 as it calls its plugin, for the port's contract: its messages, its notes on them, its events.

import type { V2ContextEvent, V2Message, V2Part } from "../../src/hooks-v2/context.ts";
import { createJobHost } from "../../src/hooks-v2/job-host.ts";
import plugin from "../../src/index.ts";
import type { SessionId } from "../../src/storage/records.ts";
import type {
  Block,
  Call,
  DrivenSession,
  HostDriver,
  ModelAnswer,
  SaidPart,
  ShownMessage,
} from "../host/driver.ts";
import type { Place } from "../host/place.ts";
import { Registry } from "./stand-in-registry.ts";

const MODEL = { id: "opus", providerID: "anthropic" };
const LISTED = {
  ...MODEL,
  cost: [{ input: 5, output: 25, cache: { read: 0.5, write: 6.25 } }],
  limit: { context: 200_000, output: 32_000 },
};

export const openCode2: HostDriver = {
  host: "OpenCode 2",
  standing: "host",
  forks: "renew ids",
  answers: "text",
  model: `${MODEL.providerID}/${MODEL.id}`,
  open: (place) => opened(place, new History("ses_1")),
  ask,
};

let clock = Date.UTC(2026, 10, 21, 12);

/** What the host has of a session: its messages, and by id what it notes of each. */
class History {
  messages: V2Message[] = [];
  readonly notes = new Map<string, Record<string, unknown>>();
  #ids = 0;

  constructor(readonly sessionId: string) {}

  add(message: Omit<V2Message, "id">, note: object): void {
    clock += 1_000;
    this.#ids += 1;
    const id = `msg_${this.sessionId}_${this.#ids}`;
    this.messages.push({ id, ...message });
    this.notes.set(id, { time: { created: clock, completed: clock }, ...note });
  }

  newestAnswer(): string {
    return this.messages.findLast(({ role }) => role === "assistant")?.id ?? "";
  }

  listed(): readonly object[] {
    return [...this.notes].map(([id, note]) => ({ id, ...note }));
  }
}

async function opened(place: Place, history: History): Promise<DrivenSession> {
  const { sessionId } = history;
  const notices: string[] = [];
  const registry = new Registry({
    options: undefined,
    directory: place.project,
    models: [LISTED],
    synthetic: () => undefined,
    generate: async () => "",
    stored: () => history.listed(),
    emitted: (name, data) => {
      if (name === "noticed") notices.push(String((data as { readonly text: string }).text));
    },
  });
  const cleanup = await plugin.setup(registry.context());
  const publish = async (type: string, data: object) => {
    registry.publish({ type, data: { sessionID: sessionId, ...data } });
    // What it comes to is through when nothing is left to be done.
    for (let turn = 0; turn < 20; turn += 1) await Bun.sleep(1);
  };
  return {
    sessionId,
    notices,
    say: (said) => say(history, said),
    async call(): Promise<Call> {
      const messages = structuredClone(history.messages);
      const given = JSON.stringify(messages);
      const event: V2ContextEvent = {
        sessionID: sessionId,
        agent: "build",
        model: MODEL,
        messages,
      };
      await registry.fire("context", event);
      const sent = JSON.stringify(event.messages);
      return { given, sent, system: "", shown: shownIn(event.messages) };
    },
    async bill(usage, cost) {
      const id = history.newestAnswer();
      const cache = { read: usage.cacheReadTokens, write: usage.cacheWriteTokens };
      const { inputTokens: input, outputTokens: output } = usage;
      const tokens = { input, output, reasoning: 0, cache };
      Object.assign(history.notes.get(id) ?? {}, { tokens });
      await publish("session.step.ended", { assistantMessageID: id, cost, tokens });
    },
    async hear(what) {
      const types = {
        busy: "session.execution.started",
        idle: "session.execution.succeeded",
        compacted: "session.compaction.ended",
      };
      await publish(types[what], {});
    },
    async restart() {
      await cleanup?.();
      return opened(place, history);
    },
    async fork() {
      await cleanup?.();
      const copy = new History("ses_2");
      for (const message of history.messages) copyInto(copy, message, history);
      return opened(place, copy);
    },
    close: async () => cleanup?.(),
  };
}

function copyInto(copy: History, { id, ...message }: V2Message, { notes }: History): void {
  if (id === undefined) copy.messages.push(message);
  else copy.add(message, notes.get(id) ?? {});
}

function say(history: History, said: SaidPart): void {
  switch (said.by) {
    case "user":
      history.add({ role: "user", content: [{ type: "text", text: said.text }] }, {});
      return;
    case "model": {
      const hasCalls = said.blocks.some(({ type }) => type === "read");
      const finish = hasCalls ? "tool-calls" : "stop";
      history.add({ role: "assistant", content: said.blocks.map(toPart) }, { finish });
      history.messages.push(...said.blocks.flatMap(toResultMessages));
      return;
    }
    case "provider": {
      const error = { type: "unknown", message: said.refusal };
      history.add({ role: "assistant", content: [] }, { error });
      return;
    }
    case "host": {
      history.messages = [];
      const text = `<conversation-checkpoint>\n<summary>\n${said.summary}\n</summary>\n<recent-context>\nThe newest words.\n</recent-context>\n</conversation-checkpoint>`;
      history.add({ role: "user", content: [{ type: "text", text }] }, { type: "compaction" });
    }
  }
}

function toPart(block: Block): V2Part {
  if (block.type !== "read") return { type: block.type, text: block.text };
  return { type: "tool-call", id: `call_${block.path}`, name: "read", input: { path: block.path } };
}

function toResultMessages(block: Block): readonly V2Message[] {
  if (block.type !== "read") return [];
  const type = block.outcome === "read" ? "text" : "error";
  const result = { type, value: block.result } as const;
  const part = { type: "tool-result", id: `call_${block.path}`, name: "read", result } as const;
  return [{ role: "tool", content: [part] }];
}

/** A result stands where its call is. */
function shownIn(messages: readonly V2Message[]): readonly ShownMessage[] {
  const results = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === "tool-result" ? [[part.id, part] as const] : [])),
    ),
  );
  return messages
    .filter(({ role }) => role === "user" || role === "assistant")
    .map(({ role, content }) => ({
      by: role as ShownMessage["by"],
      parts: content.flatMap((part) => {
        if (part.type === "text" || part.type === "reasoning") return [part.text];
        const result = part.type === "tool-call" ? results.get(part.id) : undefined;
        return result ? [`${result.name}: ${String(result.result.value)}`] : [];
      }),
    }));
}

const JOB = "ses_job" as SessionId;

async function ask(
  question: { readonly system: string; readonly prompt: string; readonly maxOutputTokens: number },
  answer: ModelAnswer,
) {
  const asked = { system: "", prompt: "", maxOutputTokens: question.maxOutputTokens };
  const never = new Promise<never>(() => undefined);
  const generate = {
    async text({ prompt }: { readonly prompt: string }) {
      asked.prompt = prompt;
      if (answer.type === "said") return { text: answer.text };
      if (answer.type === "stopped") return never;
      throw new Error(`The provider answered with HTTP ${answer.status}.`);
    },
  };
  const host = createJobHost(generate, async () => null);
  const reply = host.prompt(JOB, { ...question, model: "anthropic/haiku" });
  if (answer.type === "stopped") await host.abort(JOB);
  return { asked, reply: await reply };
}
