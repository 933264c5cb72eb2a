import { makePromptCache, REALISTIC } from "../billing/cache.ts";
import { estimateTokens } from "../block.ts";
import type { JsonObject } from "../json.ts";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import type { Answer, Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { kindOf, systemOf } from "./kind.ts";
import type { CallKind, CallRecord } from "./record.ts";
import type { Reply } from "./reply.ts";
import { responses } from "./responses.ts";
import { makeScript, type Script } from "./script.ts";
import { brokenStream, wholeStream } from "./sse.ts";

const DIALECTS: readonly Dialect[] = [anthropic, chat, responses, gemini];

export interface MockProvider {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  /** Every request, in the order of arrival. */
  readonly calls: readonly CallRecord[];
  readonly script: Script;
  callsOf(session: string, kind: CallKind): readonly CallRecord[];
  /** Resolves when a request that satisfies the condition has arrived, be it in the past. */
  arrival(condition: (call: CallRecord) => boolean): Promise<CallRecord>;
  stop(): Promise<void>;
}

/** Four providers on one port, with one account's prompt cache. `clock` gives epoch ms. */
export function startProvider(clock: () => number = Date.now): MockProvider {
  const calls: CallRecord[] = [];
  const script = makeScript();
  const cache = makePromptCache({ ...REALISTIC, clock });
  const waiters = new Set<(call: CallRecord) => void>();
  const answered = new Map<string, number>();

  async function serve(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    const dialect = DIALECTS.find((candidate) => candidate.handles(path));
    if (!dialect) return new Response(`No provider answers ${path}`, { status: 404 });
    const record = await recordOf(request, path, dialect, { index: calls.length, at: clock() });
    calls.push(record);
    for (const waiter of waiters) waiter(record);
    return answer(record, dialect, request.signal);
  }

  async function answer(record: CallRecord, dialect: Dialect, signal: AbortSignal) {
    const reason = dialect.rejection(record.body);
    if (reason !== undefined) {
      record.outcome = { type: "rejected", reason };
      return failure(dialect, 400, reason, 0);
    }
    const reply = await settle(script.next(record), signal);
    if (reply === "aborted") {
      record.outcome = { type: "aborted" };
      return new Response(null, { status: 499 });
    }
    if (reply.type === "failure") {
      record.outcome = { type: "failed", status: reply.status };
      return failure(dialect, reply.status, `Scripted failure ${reply.status}`, reply.retryAfterMs);
    }
    const spoken = answerOf(record, reply);
    record.outcome = {
      type: reply.type === "broken" ? "broken" : "answered",
      usage: spoken.usage,
    };
    return reply.type === "broken"
      ? brokenStream(dialect.events(spoken), reply.ending)
      : wholeStream(dialect.events(spoken));
  }

  function answerOf(record: CallRecord, reply: Spoken): Answer {
    const turn = answered.get(record.session) ?? 0;
    if (record.kind === "main") answered.set(record.session, turn + 1);
    const scripted = reply.type === "answer" ? reply.calls : [];
    const outputTokens = estimateTokens(reply.text + JSON.stringify(scripted));
    return {
      id: `answer_${record.kind}_${turn}`,
      model: record.model,
      text: reply.text,
      calls: scripted.map((call, index) => ({ ...call, id: `call_${turn}_${index}` })),
      usage: { ...cache.bill(record), outputTokens },
    };
  }

  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: serve });
  return {
    url: `http://127.0.0.1:${server.port}`,
    calls,
    script,
    callsOf: (session, kind) =>
      calls.filter((call) => call.session === session && call.kind === kind),
    arrival(condition) {
      const past = calls.find(condition);
      if (past) return Promise.resolve(past);
      return new Promise((resolve) => {
        const waiter = (call: CallRecord) => {
          if (!condition(call)) return;
          waiters.delete(waiter);
          resolve(call);
        };
        waiters.add(waiter);
      });
    },
    stop: () => server.stop(true),
  };
}

async function recordOf(
  request: Request,
  path: string,
  dialect: Dialect,
  arrival: { readonly index: number; readonly at: number },
): Promise<CallRecord> {
  const raw = new Uint8Array(await request.arrayBuffer());
  const body: JsonObject = JSON.parse(new TextDecoder().decode(raw));
  const headers = Object.fromEntries(request.headers);
  const blocks = dialect.blocks(body);
  return {
    ...arrival,
    dialect: dialect.name,
    caching: dialect.caching,
    path,
    headers,
    raw,
    body,
    session: headers["x-session-affinity"] ?? headers["x-session-id"] ?? "",
    model: dialect.model(path, body),
    blocks,
    kind: kindOf(blocks),
    system: systemOf(blocks),
    outcome: { type: "pending" },
  };
}

type Spoken = Extract<Reply, { type: "answer" | "broken" }>;
type Settled = Spoken | Extract<Reply, { type: "failure" }>;

/** Waits as the reply says, until the host hangs up. */
async function settle(reply: Reply, signal: AbortSignal): Promise<Settled | "aborted"> {
  if (reply.type !== "delayed" && reply.type !== "held") return reply;
  const aborted = new Promise<"aborted">((resolve) =>
    signal.addEventListener("abort", () => resolve("aborted"), { once: true }),
  );
  const ready = reply.type === "held" ? reply.gate.opened : Bun.sleep(reply.delayMs);
  const first = await Promise.race([ready, aborted]);
  return first === "aborted" ? "aborted" : settle(reply.reply, signal);
}

function failure(dialect: Dialect, status: number, message: string, retryAfterMs: number) {
  const headers = { "retry-after-ms": String(retryAfterMs) };
  return Response.json(dialect.failure(status, message), { status, headers });
}
