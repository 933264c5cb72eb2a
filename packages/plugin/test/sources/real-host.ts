import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { ECONOMY } from "../../../e2e/src/host/economy.ts";
import type { Place, Prompt } from "./host-layouts.ts";

/** The real host over a mock of the Messages API that keeps the system strings it is sent. */
export interface RealHost {
  readonly place: Place;
  readonly env: Readonly<Record<string, string>>;
  /** What the host itself says of a folder. */
  readPaths(directory: string): Promise<{ directory: string; worktree: string }>;
  /** The system string of one prompt in a new session. */
  readSystem(directory: string, prompt: Prompt): Promise<string>;
  stop(): Promise<void>;
}

export async function startRealHost(extra: Readonly<Record<string, string>>): Promise<RealHost> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-sources-")));
  const home = join(root, "home");
  const config = join(home, ".config", "opencode");
  mkdirSync(config, { recursive: true });
  const systems: string[] = [];
  const mock = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => answer(request, systems),
  });
  const url = `http://127.0.0.1:${mock.port}`;
  const place: Place = { root, home, config, url };
  writeFileSync(join(home, "host.json"), JSON.stringify(hostConfig(url)));
  const env = {
    ...ECONOMY.env,
    PATH: process.env.PATH ?? "",
    HOME: home,
    OPENCODE_TEST_HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_STATE_HOME: join(home, ".local/state"),
    OPENCODE_CONFIG: join(home, "host.json"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    ...(process.env.TZ === undefined ? {} : { TZ: process.env.TZ }),
    ...extra,
  };
  const child = Bun.spawn([hostBinary(), "serve", "--port", "0", "--hostname", "127.0.0.1"], {
    cwd: home,
    env,
    stdout: "pipe",
    stderr: "ignore",
  });
  const base = await listeningUrl(child.stdout);
  const call = async (path: string, directory: string, body: object | null): Promise<unknown> => {
    const response = await fetch(`${base}${path}?directory=${encodeURIComponent(directory)}`, {
      method: body === null ? "GET" : "POST",
      headers: { "content-type": "application/json" },
      body: body === null ? null : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    place,
    env,
    async readPaths(directory) {
      const paths = await call("/path", directory, null);
      return { directory: text(paths, "directory"), worktree: text(paths, "worktree") };
    },
    async readSystem(directory, prompt) {
      systems.length = 0;
      const id = text(await call("/session", directory, { title: "named" }), "id");
      await call(`/session/${id}/message`, directory, {
        model: { providerID: "mock", modelID: "claude-mock" },
        parts: [{ type: "text", text: "hello" }],
        ...(prompt.system === null ? {} : { system: prompt.system }),
        ...(prompt.format === "text" ? {} : { format: structured }),
      });
      const main = systems.find((system) => system.includes("You are powered by the model named"));
      if (main === undefined) throw new Error("the host made no call of its main loop");
      return main;
    },
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
      await mock.stop(true);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const structured = {
  type: "json_schema",
  schema: { type: "object", properties: { answer: { type: "string" } } },
  retryCount: 0,
};

function hostConfig(url: string): object {
  return {
    share: "disabled",
    snapshot: false,
    lsp: false,
    formatter: false,
    provider: {
      mock: {
        npm: "@ai-sdk/anthropic",
        options: { apiKey: "mock", baseURL: `${url}/v1` },
        models: { "claude-mock": { name: "Mock", limit: { context: 200_000, output: 4_000 } } },
      },
    },
  };
}

async function answer(request: Request, systems: string[]): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/rules") return new Response("\uFEFFrules of the team\n");
  if (pathname !== "/v1/messages") return new Response("no such page", { status: 404 });
  systems.push(systemText(await request.json()));
  const events = [
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "claude-mock",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(body.join(""), { headers: { "content-type": "text/event-stream" } });
}

const messagesRequest = z.object({
  system: z.array(z.object({ text: z.string() })).default([]),
});

function systemText(body: unknown): string {
  const { system } = messagesRequest.parse(body);
  return system.map((block) => block.text).join("\n");
}

async function listeningUrl(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let printed = "";
  for await (const chunk of stdout) {
    printed += new TextDecoder().decode(chunk);
    const url = /listening on (http:\S+)/.exec(printed)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`the host did not start: ${printed}`);
}

function text(value: unknown, name: string): string {
  if (typeof value !== "object" || value === null) throw new Error("no object");
  const found: unknown = Reflect.get(value, name);
  if (typeof found !== "string") throw new Error(`no ${name} in ${JSON.stringify(value)}`);
  return found;
}
