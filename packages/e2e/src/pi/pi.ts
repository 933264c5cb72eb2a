// The real Pi in a throwaway home, driven over its RPC mode.
// Folder: The real Pi in a throwaway home.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPi } from "../../../../scripts/pi-install.mjs";
import { type Files, writeFiles } from "../host/home.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { type MockProvider, startProvider } from "../provider/server.ts";

/** Models by what they take in mid-conversation. */
export const PI_MODELS = {
  plain: "plain-1",
  capable: "claude-opus-4-8",
  small: "small-1",
  thinking: "thinking-1",
} as const;
/** One model by each of the other providers' ways, as Pi's command line names them. */
export const PI_DIALECTS = {
  "openai-completions": { model: "chat/gpt-chat", path: "/v1" },
  "openai-responses": { model: "responses/gpt-responses", path: "/v1" },
  "google-generative-ai": { model: "gemini/gemini-mock", path: "/v1beta" },
} as const;
export type PiModel = (typeof PI_MODELS)[keyof typeof PI_MODELS];

const WINDOW_TOKENS: Readonly<Record<PiModel, number>> = {
  "plain-1": 200_000,
  "claude-opus-4-8": 200_000,
  "small-1": 60_000,
  "thinking-1": 200_000,
};

export interface PiSettings {
  /** Paths of extensions. */
  readonly extensions: readonly string[];
  readonly files: Files;
  /** A project that is there already; null: one of its own. */
  readonly project: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** Of a provider that is there already; null: the home's own. */
  readonly providerUrl: string | null;
  /** Merged over the harness's own settings.json. */
  readonly settings: JsonObject;
}

export interface PiHome {
  readonly root: string;
  readonly agent: string;
  readonly project: string;
  /** The runtime's own. */
  readonly database: string;
  readonly provider: MockProvider;
  /** Starts Pi; `words` are further words of its command line. */
  start(words?: readonly string[], model?: PiModel): PiProcess;
  close(): Promise<void>;
}

export async function openPi(given: Partial<PiSettings>): Promise<PiHome> {
  const settings = {
    ...{ extensions: [], files: {}, project: null, env: {}, providerUrl: null, settings: {} },
    ...given,
  };
  const installed = installPi();
  const provider = await startProvider();
  const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-e2e-pi-")));
  const agent = join(root, "agent");
  const project = settings.project ?? join(root, "project");
  writeFiles(agent, {
    "models.json": JSON.stringify(modelsAt(settings.providerUrl ?? provider.url)),
    "settings.json": JSON.stringify({
      defaultProjectTrust: "always",
      quietStartup: true,
      retry: { baseDelayMs: 50 },
      ...settings.settings,
    }),
  });
  mkdirSync(project, { recursive: true });
  writeFiles(project, settings.files);
  const running = new Set<PiProcess>();
  return {
    ...{ root, agent, project, provider, database: databaseIn(root) },
    start(words = [], model = PI_MODELS.plain) {
      const extensions = settings.extensions.flatMap((path) => ["-e", path]);
      const started = spawnPi(
        [installed.program, ...RPC, ...extensions, "--model", `mock/${model}`, ...words],
        {
          node: installed.node,
          cwd: project,
          env: { ...environment(root, agent), ...settings.env },
        },
      );
      running.add(started);
      return started;
    },
    async close() {
      for (const process of running) await process.kill9();
      await provider.stop();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Why Pi can't be had here; null: it can. */
export const missingPi: string | null = whyMissing();

function whyMissing(): string | null {
  try {
    installPi();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const RPC = ["--mode", "rpc", "--offline", "--no-mcp", "--approve"];

function environment(root: string, agent: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: root,
    TMPDIR: tmpdir(),
    LANG: "C.UTF-8",
    TZ: "UTC",
    PI_CODING_AGENT_DIR: agent,
    PI_OFFLINE: "1",
    XDG_DATA_HOME: join(root, "data"),
    XDG_CONFIG_HOME: join(root, "config"),
    SESSION_RUNTIME_DB: databaseIn(root),
  };
}

function databaseIn(root: string): string {
  return join(root, "session-runtime/runtime.db");
}

const COST = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

function modelsAt(url: string): JsonObject {
  const models = Object.entries(WINDOW_TOKENS).map(([id, contextWindow]) => {
    const takes = id === PI_MODELS.capable;
    return {
      ...{ id, contextWindow, maxTokens: 8_192 },
      reasoning: id === PI_MODELS.thinking,
      cost: COST,
      compat: {
        supportsMidConvoSystemMessages: takes,
        supportsMidConvoToolChanges: false,
        supportsMessageThreads: false,
      },
    };
  });
  const mock = { baseUrl: url, api: "anthropic-messages", apiKey: "test-key", models };
  const others = Object.entries(PI_DIALECTS).map(([api, { model, path }]) => {
    const [provider = "", id = ""] = model.split("/");
    const own = { id, contextWindow: 200_000, maxTokens: 8_192, reasoning: false, cost: COST };
    return [provider, { baseUrl: `${url}${path}`, api, apiKey: "test-key", models: [own] }];
  });
  return { providers: { mock, ...Object.fromEntries(others) } };
}

type Event = JsonObject & { readonly type?: unknown };

export interface PiProcess {
  /** Every message from Pi that is not a response to a command, in order of arrival. */
  readonly events: readonly Event[];
  /** Sends a command and gives its answer's data. */
  ask(command: JsonObject): Promise<JsonObject>;
  /** Sends a prompt and waits until the work is over. */
  say(message: string): Promise<void>;
  /** The next event, from now on, that satisfies the condition. */
  next(isWanted: (event: Event) => boolean): Promise<Event>;
  /** What the user chooses in a dialog of an extension's; null: turns away. */
  choose(dialog: Event, value: string | null): void;
  /** An orderly end. */
  end(): Promise<void>;
  kill9(): Promise<void>;
  /** What it wrote to its error output. */
  errors(): string;
}

const ANSWER_MS = 60_000;
/** A turn may have hundreds of calls. */
const TURN_MS = 600_000;

function spawnPi(
  words: readonly string[],
  place: { readonly node: string; readonly cwd: string; readonly env: Record<string, string> },
): PiProcess {
  const { node, cwd, env } = place;
  const child = Bun.spawn([node, ...words], {
    cwd,
    env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const events: Event[] = [];
  const waiters = new Set<(event: Event) => void>();
  const asked = new Map<string, (answer: JsonObject) => void>();
  let errors = "";
  let lastId = 0;
  const hear = (line: string) => {
    const said: Json = JSON.parse(line);
    if (!isObject(said)) return;
    const answer = typeof said.id === "string" ? asked.get(said.id) : undefined;
    if (said.type === "response" && answer) return answer(said);
    events.push(said);
    for (const waiter of [...waiters]) waiter(said);
  };
  void eachLine(child.stdout, hear);
  void eachLine(child.stderr, (line) => {
    errors += `${line}\n`;
  });
  const waitForEvent = (limitMs: number, isWanted: (event: Event) => boolean): Promise<Event> => {
    const heard = new Promise<Event>((resolve) => {
      const waiter = (event: Event) => {
        if (!isWanted(event)) return;
        waiters.delete(waiter);
        resolve(event);
      };
      waiters.add(waiter);
    });
    return inTime(heard, { what: "event", limitMs, errors: () => errors });
  };
  const process: PiProcess = {
    events,
    ask(command) {
      lastId += 1;
      const id = `c${lastId}`;
      const answered = new Promise<JsonObject>((resolve) => asked.set(id, resolve));
      child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
      child.stdin.flush();
      const what = `answer to ${String(command.type)}`;
      return inTime(answered, { what, limitMs: ANSWER_MS, errors: () => errors });
    },
    next: (isWanted) => waitForEvent(ANSWER_MS, isWanted),
    async say(message) {
      const settled = waitForEvent(TURN_MS, ({ type }) => type === "agent_settled");
      // Where Pi is killed first, `ask` says so, and nobody waits for this one.
      settled.catch(() => undefined);
      const answer = await process.ask({ type: "prompt", message });
      const data = isObject(answer.data) ? answer.data : {};
      if (answer.success === false)
        throw new Error(`Pi refused a prompt: ${JSON.stringify(answer)}`);
      if (data.disposition === "handled") return;
      await settled;
    },
    choose({ id = "" }, value) {
      const answer = value === null ? { cancelled: true } : { value };
      child.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id, ...answer })}\n`);
      child.stdin.flush();
    },
    async end() {
      child.stdin.end();
      await child.exited;
    },
    async kill9() {
      child.kill("SIGKILL");
      await child.exited;
    },
    errors: () => errors,
  };
  return process;
}

/** At LF alone: a prompt may hold other line separators. */
async function eachLine(stream: ReadableStream<Uint8Array>, hear: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") hear(line);
  }
}

interface WaitOptions {
  readonly what: string;
  readonly limitMs: number;
  readonly errors: () => string;
}

async function inTime<T>(work: Promise<T>, { what, limitMs, errors }: WaitOptions): Promise<T> {
  const late = Symbol("late");
  const first = await Promise.race([work, Bun.sleep(limitMs).then(() => late)]);
  if (first === late) throw new Error(`Pi gave no ${what} in ${limitMs} ms.\n${errors()}`);
  return first as T;
}
