// Runs in Pi's Node: the start and the passes of the built extension, by events as Pi gives them; prints its figures.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Handler = (event: object, ctx: object) => Promise<unknown>;
type Message = Readonly<Record<string, unknown>>;

/** What this prints, as JSON. */
export interface PassFigures {
  readonly startMs: number;
  /** Of the first call, which opens the database and all features. */
  readonly firstMs: number;
  readonly passesMs: readonly number[];
}

const MESSAGES = 300;
const WARM_UP = 50;
const PASSES = 300;

const [, , dist = ""] = process.argv;
const root = mkdtempSync(join(tmpdir(), "session-runtime-pi-pass-"));
const project = join(root, "project");
mkdirSync(join(project, ".git"), { recursive: true });
writeFileSync(join(project, "AGENTS.md"), "Use tabs.\n");
Object.assign(process.env, {
  XDG_DATA_HOME: join(root, "data"),
  XDG_CONFIG_HOME: join(root, "config"),
  PI_CODING_AGENT_DIR: join(root, "agent"),
  SESSION_RUNTIME_DB: join(root, "runtime.db"),
});

const model = {
  ...{ provider: "mock", id: "plain-1", contextWindow: 1_000_000, maxTokens: 8_192 },
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
};
const entries: { sourceEntry: { id: string }; messages: Message[] }[] = [];
let timestamp = Date.UTC(2026, 10, 21);

function add(message: Message): void {
  timestamp += 1_000;
  const id = (0x1000_0000 + entries.length).toString(16);
  entries.push({ sourceEntry: { id }, messages: [{ ...message, timestamp }] });
}

function answered(content: readonly object[], stopReason: string): void {
  const usage = { input: 5, output: 50, cacheRead: 40_000, cacheWrite: 500, cost: { total: 0.01 } };
  add({ role: "assistant", content, provider: "mock", model: "plain-1", usage, stopReason });
}

function turn(): void {
  const at = entries.length;
  add({ role: "user", content: `Question ${at}: ${"word ".repeat(20)}` });
  for (let step = 0; step < 4; step += 1) {
    const path = `src/file-${at}-${step}.ts`;
    const id = `call_${at}_${step}`;
    const call = { type: "toolCall", id, name: "read", arguments: { path } };
    answered([{ type: "text", text: "I look." }, call], "toolUse");
    const content = [{ type: "text", text: `line of ${path}\n`.repeat(40) }];
    add({ role: "toolResult", toolCallId: id, toolName: "read", content, isError: false });
  }
  answered([{ type: "text", text: `Answer ${at}. ${"fine ".repeat(30)}` }], "stop");
}

const handlers = new Map<string, Handler>();
const api = {
  on: (name: string, handler: Handler) => void handlers.set(name, handler),
  registerTool: () => undefined,
  registerCommand: () => undefined,
};
const ctx = {
  ...{ cwd: project, hasUI: false, model },
  ui: { notify: () => undefined, setStatus: () => undefined, setWidget: () => undefined },
  modelRegistry: { getAvailable: () => [model] },
  sessionManager: {
    getSessionId: () => "session",
    getHeader: () => ({}),
    buildSessionProjection: () => ({ entries }),
  },
};
const fire = async (name: string, event: object) => handlers.get(name)?.(event, ctx);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Pi gives each call copies of its messages. */
function pass(): Promise<number> {
  const messages = structuredClone(entries.flatMap((entry) => entry.messages));
  return timed(() => fire("context_with_system", { messages }));
}

const startMs = await timed(async () => {
  const edge = readdirSync(dist).find((name) => name.startsWith("edge-")) ?? "";
  const { beginEdge } = await import(join(dist, edge));
  beginEdge(api, { compact: async () => ({}) });
  await fire("session_start", { reason: "startup" });
});
add({ role: "system", content: "", sections: { preamble: "You are pi." }, toolsAdded: [] });
while (entries.length < MESSAGES) turn();
add({ role: "user", content: "Go on." });
const firstMs = await pass();
const passesMs: number[] = [];
for (let at = 0; at < WARM_UP + PASSES; at += 1) {
  passesMs.push(await pass());
  // What follows a send has its turn before the next call.
  await new Promise((resolve) => setTimeout(resolve, 40));
}
await fire("session_shutdown", { reason: "quit" });
rmSync(root, { recursive: true, force: true });
const figures: PassFigures = { startMs, firstMs, passesMs: passesMs.slice(WARM_UP) };
console.log(JSON.stringify(figures));
