// A real OpenCode 2 in the stand-in's place: its server at a path, a provider of ours, and relays for plugins.
// Never run on one: no 2.x could be installed. Its calls are those of the source of 2.0.26 as read, and it was run on
// the stand-in behind the same calls (stand-in-server.ts).
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ours from "../../src/index.ts";
import type { HostSettings, SentRequest, V2Host, V2Plugin } from "./host.ts";
import { anthropicAnswer, parseSent } from "./provider-wire.ts";
import { RelayedHost, relayModule } from "./relay.ts";

const MODEL = { id: "opus", providerID: "mock" };
const PASSWORD = "of-this-test";
/** The folder with the root `server.ts` that a local path is loaded by. */
const OUR_FOLDER = join(dirname(fileURLToPath(import.meta.url)), "../..");

interface RunningHost {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export class RealHost implements V2Host {
  readonly sent: SentRequest[] = [];
  readonly failed: string[] = [];
  readonly refused: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "session-runtime-host-2-"));
  readonly #created = new Set<string>();
  readonly #relays = new Map<string, RelayedHost>();
  readonly #server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (of) => this.#serve(of) });
  #running: Promise<RunningHost>;

  constructor(
    private readonly path: string,
    private readonly settings: HostSettings,
  ) {
    this.#running = this.#start(settings.plugins);
  }

  async prompt(sessionId: string, text: string): Promise<void> {
    await this.#create(sessionId);
    await this.#ask(`/api/session/${sessionId}/prompt`, { text });
    await this.#ask(`/api/experimental/session/${sessionId}/wait`, {});
    const hasFailed = /"outcome":"failed"/.test(await this.history(sessionId));
    if (hasFailed && !this.failed.includes(sessionId)) this.failed.push(sessionId);
  }

  async command(sessionId: string, command: string, text = ""): Promise<void> {
    await this.#create(sessionId);
    await this.#ask(`/api/session/${sessionId}/command`, { name: command, text });
  }

  async compact(sessionId: string): Promise<void> {
    await this.#ask(`/api/session/${sessionId}/compact`, {});
    await this.#ask(`/api/experimental/session/${sessionId}/wait`, {});
  }

  instruct(_sessionId: string, text: string): void {
    writeFileSync(join(this.#folder, "AGENTS.md"), text);
  }

  async history(sessionId: string): Promise<string> {
    return JSON.stringify(await this.#get(`/api/session/${sessionId}/message`));
  }

  async reload(plugins: readonly V2Plugin[]): Promise<void> {
    await (await this.#running).stop();
    this.#running = this.#start(plugins);
    await this.#running;
  }

  async close(): Promise<void> {
    await (await this.#running).stop();
    this.#server.stop(true);
  }

  async #create(sessionId: string): Promise<void> {
    if (this.#created.has(sessionId)) return;
    this.#created.add(sessionId);
    const location = { directory: this.#folder };
    await this.#ask("/api/session", { id: sessionId, model: MODEL, location });
  }

  async #get(path: string): Promise<unknown> {
    const { url } = await this.#running;
    return unwrapped(await (await fetch(url + path, { headers: headers() })).json());
  }

  async #ask(path: string, body: object): Promise<unknown> {
    const { url } = await this.#running;
    const init = { method: "POST", headers: headers(), body: JSON.stringify(body) };
    const response = await fetch(url + path, init);
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : unwrapped(await response.json());
  }

  async #start(plugins: readonly V2Plugin[]): Promise<RunningHost> {
    const ourUrl = this.#server.url.origin;
    this.#relays.clear();
    // Its requests say of which session they are, and what for.
    const { runTool } = this.settings;
    const marks: V2Plugin = {
      id: "marks",
      setup: (ctx) => marking(ctx as MarkingContext, runTool),
    };
    const packages = [...plugins, marks].map((plugin, at) => {
      if (plugin === ours) return OUR_FOLDER;
      const id = plugin.setup ? `${plugin.id}-${at}` : "refused";
      if (!plugin.setup) this.refused.push(plugin.id);
      const folder = join(this.#folder, "plugins-of-the-test", id);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "server.mjs"), relayModule(id, ourUrl));
      const calls = {
        synthetic: (input: object) => this.#synthetic(input),
        generate: (question: object) => this.#ask("/api/experimental/generate", question),
        models: () => this.#get("/api/model"),
      };
      this.#relays.set(id, new RelayedHost(plugin, calls));
      return folder;
    });
    const limit = { context: this.settings.windowTokens ?? 200_000, output: 32_000 };
    const cost = { input: 5, output: 25, cache: { read: 0.5, write: 6.25 } };
    const provider = {
      package: "@ai-sdk/anthropic",
      settings: { baseURL: `${ourUrl}/v1`, apiKey: "none" },
      models: { [MODEL.id]: { limit, cost } },
    };
    const config = { providers: { mock: provider }, plugins: packages, update: "disable" };
    writeFileSync(join(this.#folder, "opencode.json"), JSON.stringify(config));
    return startServer(this.path, this.#folder);
  }

  async #synthetic(input: object): Promise<void> {
    const { sessionID, ...rest } = input as { readonly sessionID: string };
    await this.#ask(`/api/session/${sessionID}/synthetic`, rest);
  }

  async #serve(request: Request): Promise<Response> {
    const [, kind, id = "", path = ""] = new URL(request.url).pathname.split("/");
    const body = (await request.json()) as Record<string, unknown>;
    if (kind === "relay") return this.#relay(id, path, body);
    const sent = parseSent(body, request.headers);
    if (sent === null) return anthropicAnswer({ text: await this.#beside(body, request.headers) });
    this.sent.push(sent);
    return anthropicAnswer(await this.settings.model(sent));
  }

  /** What no check is about: a title, or a question beside the sessions, which no hook has marked. */
  async #beside(body: Record<string, unknown>, headers: Headers): Promise<string> {
    const { generate } = this.settings;
    if (!generate || headers.has("x-kind")) return "A title.";
    const asked = parseSent(body, new Headers({ "x-kind": "primary" }));
    const [part] = asked?.messages.at(-1)?.content ?? [];
    return generate(part?.type === "text" ? part.text : "");
  }

  async #relay(id: string, path: string, body: Record<string, unknown>): Promise<Response> {
    try {
      return Response.json({ value: (await this.#relays.get(id)?.answer(path, body)) ?? {} });
    } catch (error) {
      return Response.json({ error: error instanceof Error ? error.message : "failed" });
    }
  }
}

/** The provider is to know whose request it gets; and the tools that the model calls are the test's. */
async function marking(
  { session, tool }: MarkingContext,
  runTool: HostSettings["runTool"],
): Promise<void> {
  tool.transform((editor) => {
    for (const name of ["read", "bash"]) {
      const execute = async (input: object) => runTool(name, input);
      const about = { description: name, input: { type: "object" }, options: { codemode: false } };
      editor.add({ name, ...about, execute });
    }
  });
  await session.hook("model.request", (event) => {
    event.headers = { ...event.headers, "x-session": event.sessionID, "x-kind": event.kind };
  });
}

interface MarkingContext {
  readonly session: { hook(name: string, hook: (event: MarkedContext) => void): Promise<unknown> };
  readonly tool: { transform(edit: (editor: { add(tool: object): void }) => void): unknown };
}

interface MarkedContext {
  readonly sessionID: string;
  readonly kind: string;
  headers: Record<string, string>;
}

/** The host's answers are wrapped; its own client, as its `ctx` does, takes out what is the only field. */
function unwrapped(answer: unknown): unknown {
  const isWrapped = typeof answer === "object" && answer !== null && "data" in answer;
  return isWrapped && Object.keys(answer).length === 1 ? answer.data : answer;
}

function headers(): Record<string, string> {
  const credentials = Buffer.from(`opencode:${PASSWORD}`).toString("base64");
  return { authorization: `Basic ${credentials}`, "content-type": "application/json" };
}

/** It says where it listens; its folders are the test's own. */
async function startServer(path: string, folder: string): Promise<RunningHost> {
  const home = {
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CACHE_HOME: join(folder, "cache"),
  };
  const child = Bun.spawn([path, "serve", "--port", "0"], {
    cwd: folder,
    env: { ...process.env, ...home, OPENCODE_SERVER_PASSWORD: PASSWORD },
    stdout: "pipe",
    stderr: "inherit",
  });
  let said = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += chunk;
    const url = /listening on (http:\/\/\S+)/.exec(said)?.[1];
    if (url) return { url, stop: () => stopped(child) };
  }
  throw new Error(`The host at HOST_V2 ended before it listened: ${said}`);
}

async function stopped(child: Bun.Subprocess): Promise<void> {
  child.kill();
  await child.exited;
}
