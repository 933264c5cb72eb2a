// Five mock providers on one port, with one prompt cache.
// Folder: Mock providers with a prompt cache.

import { makePromptCache, REALISTIC } from "../billing/cache.ts";
import { estimateTokens } from "../block.ts";
import type { JsonObject } from "../json.ts";
import { alternationProblem } from "./alternation.ts";
import { anthropic } from "./anthropic.ts";
import { chat, openrouter } from "./chat.ts";
import type { Answer, Dialect, SseEvent } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { type ReceivedRequest, type ServedResponse, serveHttp } from "./http.ts";
import { classifyCall, joinSystem, splitPreamble } from "./kind.ts";
import { composeThought, reasoningProblem } from "./reasoning.ts";
import type { CallKind, CallRecord } from "./record.ts";
import type { Reply } from "./reply.ts";
import { responses } from "./responses.ts";
import { makeScript, type Script } from "./script.ts";

const DIALECTS: readonly Dialect[] = [anthropic, openrouter, chat, responses, gemini];

export interface MockProvider {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  /** Every request, in the order of arrival. */
  readonly requests: readonly CallRecord[];
  /** All requests except those of background jobs, which may arrive between any two calls of a session. */
  readonly calls: readonly CallRecord[];
  readonly script: Script;
  listCalls(session: string, kind: CallKind): readonly CallRecord[];
  /** Resolves when a request satisfies the condition; at once if one already has. */
  arrival(condition: (call: CallRecord) => boolean): Promise<CallRecord>;
  stop(): Promise<void>;
}

/** Five providers on one port, with one account's prompt cache. `clock` gives epoch ms. */
export async function startProvider(clock: () => number = Date.now): Promise<MockProvider> {
  const requests: CallRecord[] = [];
  const script = makeScript();
  const waiters = new Set<(call: CallRecord) => void>();
  const respond = makeResponder(script, clock);
  const server = await serveHttp(async (received) => {
    const dialect = DIALECTS.find((candidate) => candidate.handles(received.path));
    if (!dialect) return json(404, { error: `No provider answers ${received.path}` }, {});
    const record = toCallRecord(received, dialect, { index: requests.length, at: clock() });
    requests.push(record);
    for (const waiter of waiters) waiter(record);
    return respond(record, dialect, received.signal);
  });
  return {
    url: server.url,
    requests,
    get calls() {
      return requests.filter(({ kind }) => kind !== "job");
    },
    script,
    listCalls: (session, kind) =>
      requests.filter((call) => call.session === session && call.kind === kind),
    arrival(condition) {
      const past = requests.find(condition);
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
    stop: server.stop,
  };
}

function toCallRecord(
  { path, headers, raw }: ReceivedRequest,
  dialect: Dialect,
  arrival: { readonly index: number; readonly at: number },
): CallRecord {
  const body: JsonObject = JSON.parse(new TextDecoder().decode(raw));
  const blocks = dialect.blocks(body);
  const system = joinSystem(blocks);
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
    kind: classifyCall(blocks),
    system,
    preamble: splitPreamble(system),
    outcome: { type: "pending" },
  };
}

type Responder = (
  record: CallRecord,
  dialect: Dialect,
  signal: AbortSignal,
) => Promise<ServedResponse>;

/** Validates, waits, bills and speaks; notes in the record what became of it. */
function makeResponder(script: Script, clock: () => number): Responder {
  const cache = makePromptCache({ ...REALISTIC, clock });
  const answered = new Map<string, number>();
  const thinks = ({ kind }: CallRecord) => script.thinking === "aloud" && kind === "main";
  const speak = (record: CallRecord, reply: SpokenReply): Answer => {
    const turn = answered.get(record.session) ?? turnsIn(record);
    if (record.kind === "main") answered.set(record.session, turn + 1);
    const reasoning = thinks(record) ? composeThought(turn) : "";
    return { ...buildAnswer(record, reply, turn, cache.bill(record)), reasoning };
  };
  return async (record, dialect, signal) => {
    // The host itself asks for a title with two messages of the user.
    const isStrict =
      dialect.name === "chat" && script.turns === "alternating" && record.kind === "main";
    const reason =
      dialect.rejection(record.body, script.instructions) ??
      (isStrict ? alternationProblem(record.body) : undefined) ??
      (thinks(record) ? reasoningProblem(dialect.name, record.body) : undefined);
    if (reason !== undefined) {
      record.outcome = { type: "rejected", reason };
      return json(400, dialect.failure(400, reason), {});
    }
    const reply = await settle(script.next(record), signal);
    if (reply === "aborted") {
      record.outcome = { type: "aborted" };
      return json(499, {}, {});
    }
    if (reply.type === "failure") {
      const { status, retryAfterMs } = reply;
      record.outcome = { type: "failed", status };
      const headers = { "retry-after-ms": String(retryAfterMs) };
      return json(status, dialect.failure(status, `Scripted failure ${status}`), headers);
    }
    if (reply.type === "refusal") {
      record.outcome = { type: "failed", status: 400 };
      return json(400, dialect.failure(400, reply.message), {});
    }
    const answer = speak(record, reply);
    const outcome = reply.type === "broken" ? "broken" : "answered";
    record.outcome = { type: outcome, usage: answer.usage };
    return stream(dialect.events(answer), reply);
  };
}

/** How many turns the request's history has answers of: a fork begins with its parent's, ids and all. */
function turnsIn({ blocks }: CallRecord): number {
  const callIdMatches = blocks.flatMap(({ bytes }) => [...bytes.matchAll(/"call_(\d+)_\d+"/g)]);
  return Math.max(0, ...callIdMatches.map(([, turn]) => Number(turn) + 1));
}

/** Ids come from the session's own count of turns, so that a run's bytes can be compared. */
function buildAnswer(
  { kind, model }: CallRecord,
  reply: SpokenReply,
  turn: number,
  input: Omit<Answer["usage"], "outputTokens">,
): Omit<Answer, "reasoning"> {
  const scripted = reply.type === "answer" ? reply.calls : [];
  const outputTokens = estimateTokens(reply.text + JSON.stringify(scripted));
  return {
    id: `answer_${kind}_${turn}`,
    model,
    text: reply.text,
    calls: scripted.map((call, index) => ({ ...call, id: `call_${turn}_${index}` })),
    usage: { ...input, outputTokens },
  };
}

type SpokenReply = Extract<Reply, { type: "answer" | "broken" }>;
type FinalReply = SpokenReply | Extract<Reply, { type: "failure" | "refusal" }>;

/** Waits as the reply says, until the host hangs up. */
async function settle(reply: Reply, signal: AbortSignal): Promise<FinalReply | "aborted"> {
  if (reply.type !== "delayed" && reply.type !== "held") return reply;
  const aborted = new Promise<"aborted">((resolve) =>
    signal.addEventListener("abort", () => resolve("aborted"), { once: true }),
  );
  const ready = reply.type === "held" ? reply.gate.opened : Bun.sleep(reply.delayMs);
  const first = await Promise.race([ready, aborted]);
  return first === "aborted" ? "aborted" : settle(reply.reply, signal);
}

function json(
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>>,
): ServedResponse {
  return {
    status,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
    ending: "closed",
  };
}

/** All events; of a broken reply the first half of them. */
function stream(events: readonly SseEvent[], reply: SpokenReply): ServedResponse {
  const lines = events.map(({ event, data }) => {
    const payload = data === "[DONE]" ? data : JSON.stringify(data);
    return `${event ? `event: ${event}\n` : ""}data: ${payload}\n\n`;
  });
  const broken = reply.type === "broken";
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    body: (broken ? lines.slice(0, Math.floor(lines.length / 2)) : lines).join(""),
    ending: broken ? reply.ending : "closed",
  };
}
