// The stand-in as a server of its own, behind the HTTP API that the driver of a real host calls: it shows that the
// driver, its relays and its provider work together. It says nothing of a real host.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { V2Message, V2Part } from "../../src/hooks-v2/context.ts";
import type { Answer, SentRequest, V2Plugin } from "./host.ts";
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

async function ask(sent: SentRequest, headers: Record<string, string>): Promise<Answer> {
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

type Body = Readonly<Record<string, unknown>>;

/** What a body may have; its text is required where the protocol of 2.0.26 requires one. */
const BODIES: Readonly<
  Record<string, { readonly needs: readonly string[]; readonly takes: readonly string[] }>
> = {
  session: { needs: [], takes: ["id", "agent", "model", "location"] },
  prompt: { needs: ["text"], takes: ["id", "files", "agents", "metadata", "delivery", "resume"] },
  command: { needs: ["name"], takes: ["id", "text", "files", "agents", "delivery", "resume"] },
  synthetic: { needs: ["text"], takes: ["description", "metadata", "delivery", "resume"] },
  generate: { needs: ["prompt"], takes: ["model"] },
  wait: { needs: [], takes: [] },
  compact: { needs: [], takes: [] },
};

/** As the host answers what its protocol does not know. */
class RefusedError extends Error {
  constructor(
    readonly status: 400 | 404,
    what: string,
  ) {
    super(what);
  }
}

function checked(what: string, body: Body): void {
  const form = BODIES[what];
  if (!form) throw new RefusedError(404, `There is no ${what}.`);
  const missing = form.needs.filter((name) => typeof body[name] !== "string");
  const unknown = Object.keys(body).filter(
    (name) => ![...form.needs, ...form.takes].includes(name),
  );
  if (missing.length > 0) throw new RefusedError(400, `${what} needs ${missing.join(", ")}.`);
  if (unknown.length > 0) throw new RefusedError(400, `${what} takes no ${unknown.join(", ")}.`);
}

/** A turn that failed leaves such a mark. */
function listEndMarks(sessionId: string): readonly object[] {
  return host.failed.includes(sessionId) ? [{ type: "idle", outcome: "failed" }] : [];
}

let instructions = "";

function instructIfChanged(sessionId: string): void {
  const text = existsSync("AGENTS.md") ? readFileSync("AGENTS.md", "utf8") : "";
  if (text !== instructions) host.instruct(sessionId, text);
  instructions = text;
}

async function answer(request: Request): Promise<unknown> {
  const path = new URL(request.url).pathname.split("/").slice(2);
  const [group, id = "", what = "session"] = path[0] === "experimental" ? path.slice(1) : path;
  // With a second field it is not unwrapped.
  if (group === "model") {
    return { location: { directory: process.cwd() }, data: host.registry.port.models };
  }
  if (what === "message") return { data: [...host.stored(id), ...listEndMarks(id)] };
  const asked = group === "generate" ? group : what;
  const body = (await request.json()) as Body;
  checked(asked, body);
  if ((asked === "wait" || asked === "generate") !== (path[0] === "experimental")) {
    throw new RefusedError(404, `${asked} is not there.`);
  }
  const text = String(body.text ?? "");
  switch (asked) {
    case "generate":
      return { data: { text: await host.registry.port.generate(String(body.prompt)) } };
    case "prompt":
      instructIfChanged(id);
      running.set(id, host.prompt(id, text));
      return { data: {} };
    case "wait":
      await running.get(id);
      return { data: {} };
    case "compact":
      await host.compact(id, 2);
      return { data: {} };
    case "command":
      await host.command(id, String(body.name), text);
      return { data: {} };
    case "synthetic":
      host.registry.port.synthetic(id, text);
      return { data: {} };
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
    try {
      return Response.json(await answer(request));
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return Response.json({ error: error.message }, { status: error.status });
    }
  },
});
process.on("SIGTERM", () => void host.close().then(() => process.exit(0)));
console.log(`server listening on ${server.url.origin}`);
