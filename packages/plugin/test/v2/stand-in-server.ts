// The stand-in as a server of its own, behind the HTTP API that the driver of a real host calls: it shows that the
// driver, its relays and its provider work together. It says nothing of a real host.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { V2Message, V2Part } from "../../src/v2/context.ts";
import type { Answer, Sent, V2Plugin } from "./host.ts";
import { StandIn } from "./stand-in.ts";

const config = JSON.parse(readFileSync("opencode.json", "utf8"));
const { settings, models } = config.providers.mock;

async function pluginIn(folder: string): Promise<V2Plugin> {
  const module = join(folder, "server.mjs");
  return (await import(existsSync(module) ? module : join(folder, "server.ts"))).default;
}

const host = new StandIn({
  plugins: await Promise.all(config.plugins.map(pluginIn)),
  windowTokens: models.opus.limit.context,
  runTool: (name) => ({ content: `There is no ${name} here.` }),
  model: (sent) => ask(sent, { "x-kind": sent.kind, "x-session": sent.sessionId }),
  generate: async (prompt) => {
    const messages: readonly V2Message[] = [
      { role: "user", content: [{ type: "text", text: prompt }] },
    ];
    return (await ask({ sessionId: "", kind: "primary", messages, tools: [] }, {})).text;
  },
});
const running = new Map<string, Promise<void>>();

async function ask(sent: Sent, headers: Record<string, string>): Promise<Answer> {
  const messages = sent.messages.map(({ role, content }) => ({
    role: role === "assistant" ? role : "user",
    content: content.map((part) => block(part, role)),
  }));
  const body = JSON.stringify({ messages, tools: sent.tools.map((name) => ({ name })) });
  const response = await fetch(`${settings.baseURL}/messages`, { method: "POST", headers, body });
  const lines = [...(await response.text()).matchAll(/^data: (.*)$/gm)];
  const events = lines.map(([, json]) => JSON.parse(json ?? ""));
  const texts = events.flatMap(({ delta }) => delta?.text ?? []);
  const calls = events
    .filter(({ content_block }) => content_block?.type === "tool_use")
    .map(({ content_block: { id, name }, index }) => {
      const given = events.find((one) => one.index === index && one.delta?.partial_json);
      return { id, name, input: JSON.parse(given.delta.partial_json) };
    });
  return calls.length > 0 ? { text: texts.join(""), calls } : { text: texts.join("") };
}

function block(part: V2Part, role: V2Message["role"]): object {
  switch (part.type) {
    case "text":
      return {
        type: "text",
        text: role === "system" ? `<system-update>${part.text}</system-update>` : part.text,
      };
    case "tool-call":
      return { type: "tool_use", id: part.id, name: part.name, input: part.input };
    case "tool-result": {
      const { type, value } = part.result;
      const told = { type: "tool_result", tool_use_id: part.id, content: String(value) };
      return type === "error" ? { ...told, is_error: true } : told;
    }
    default:
      return { type: "thinking", thinking: "text" in part ? part.text : "" };
  }
}

interface Body {
  readonly id: string;
  readonly text: string;
  readonly command: string;
  readonly arguments: string;
  readonly prompt: { readonly text: string } & string;
}

/** A turn that failed leaves such a mark. */
function endingOf(sessionId: string): readonly object[] {
  return host.failed.includes(sessionId) ? [{ type: "idle", outcome: "failed" }] : [];
}

let instructions = "";

function instructIfChanged(sessionId: string): void {
  const text = existsSync("AGENTS.md") ? readFileSync("AGENTS.md", "utf8") : "";
  if (text !== instructions) host.instruct(sessionId, text);
  instructions = text;
}

async function answer(request: Request): Promise<unknown> {
  const [, , group, id = "", what = ""] = new URL(request.url).pathname.split("/");
  if (group === "model") return { data: host.registry.port.models };
  if (what === "message") return { data: [...host.stored(id), ...endingOf(id)] };
  const body = (await request.json()) as Body;
  if (group === "experimental") return { text: await host.registry.port.generate(body.prompt) };
  switch (what) {
    case "prompt":
      instructIfChanged(id);
      running.set(id, host.prompt(id, body.prompt.text));
      return {};
    case "wait":
      await running.get(id);
      return {};
    case "compact":
      await host.compact(id, 2);
      return {};
    case "command":
      await host.command(id, body.command, body.arguments);
      return {};
    case "synthetic":
      host.registry.port.synthetic(id, body.text);
      return {};
    default:
      return { data: { id: body.id } };
  }
}

const expected = `Basic ${btoa(`opencode:${process.env.OPENCODE_SERVER_PASSWORD}`)}`;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 60,
  async fetch(request) {
    if (request.headers.get("authorization") !== expected) return new Response("", { status: 401 });
    return Response.json(await answer(request));
  },
});
process.on("SIGTERM", () => void host.close().then(() => process.exit(0)));
console.log(`server listening on ${server.url.origin}`);
