// The listener on loopback, and who may use it: token, Host, Origin, method.
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ChannelContent } from "../feature-api/screen.ts";
import { parseQuestion, type Question } from "./protocol.ts";
import type { ChangeStreams } from "./streams.ts";

// Decides who may use the channel: token, Host, Origin, method.

/** The facts by which a request is accepted or refused. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

interface GateSettings {
  readonly port: number;
  readonly token: string;
}

type GateDecision =
  | { readonly kind: "let in"; readonly question: Question }
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

/**
 * Decides who may ask. The token keeps other users of the machine out. It keeps web pages out too, and so
 * do their own headers: a page that reaches loopback by a name of its own sends that name as Host, and any
 * page sends an Origin or says how it fetches.
 */
function judgeRequest(request: Request, settings: GateSettings): GateDecision {
  const { headers, method, path } = request;
  if (headers.host !== `127.0.0.1:${settings.port}`) return createRefusal(403, "another Host");
  if (headers.origin !== undefined) return createRefusal(403, "an Origin");
  if (headers["sec-fetch-site"] !== undefined) return createRefusal(403, "a web page");
  if (!isToken(headers.authorization, settings.token)) return createRefusal(401, "no valid token");
  if (method !== "GET") return createRefusal(405, "a method other than GET");
  if (hasBody(headers)) return createRefusal(413, "a body");
  const question = parseQuestion(path);
  return question ? { kind: "let in", question } : createRefusal(404, "no such path");
}

function createRefusal(status: number, reason: string): GateDecision {
  return { kind: "refused", status, reason };
}

/** Checks the token; takes the same time for every wrong token of the right length. */
function isToken(given: Request["headers"][string], token: string): boolean {
  if (typeof given !== "string") return false;
  const wanted = Buffer.from(`Bearer ${token}`);
  const said = Buffer.from(given);
  return said.length === wanted.length && timingSafeEqual(said, wanted);
}

function hasBody(headers: Request["headers"]): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

interface ListenerDeps {
  readonly token: string;
  readonly content: ChannelContent;
  readonly streams: ChangeStreams;
  readonly failed: (error: unknown) => void;
  readonly worked: () => void;
}

/**
 * The most connections, streams among them; Bun does not keep to this limit, but drops silent connections.
 */
const MAX_CONNECTIONS = 32;
/** The most questions that are answered at a time. */
const MAX_QUESTIONS = 8;
const MAX_HEADER_BYTES = 8_192;
const HEADERS_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 10_000;

/** Listens on loopback, at a port that the system chooses. The listener keeps no process alive. */
export async function listen(deps: ListenerDeps): Promise<{ server: Server; port: number }> {
  const gate = { port: 0, token: deps.token };
  let open = 0;
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    if (open >= MAX_QUESTIONS) return sendRefusal(response, 503, "too many requests at once");
    open += 1;
    respond(deps, gate, request, response)
      .then(() => deps.worked())
      .catch((error) => {
        deps.failed(error);
        if (!response.headersSent) sendRefusal(response, 500, "could not be answered, see the log");
        else response.destroy();
      })
      .finally(() => {
        open -= 1;
      });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = IDLE_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  server.unref();
  gate.port = requirePort(server);
  return { server, port: gate.port };
}

function requirePort(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null)
    throw new Error("could not bind a local port");
  return address.port;
}

async function respond(
  { content, streams }: ListenerDeps,
  gate: GateSettings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "", url = "", headers } = request;
  const verdict = judgeRequest({ method, path: url, headers }, gate);
  if (verdict.kind === "refused") return sendRefusal(response, verdict.status, verdict.reason);
  const { question } = verdict;
  switch (question.kind) {
    case "status":
      return sendAnswer(response, await content.status(question.sessionId));
    case "report": {
      const report = await content.report(question);
      if (report) return sendAnswer(response, report);
      return sendRefusal(response, 404, "no such report here: its feature may be off");
    }
    case "queue":
      return sendAnswer(response, await content.queue(question.sessionId));
    case "changes":
      if (streams.add(question.sessionId, response) === "full") {
        return sendRefusal(response, 503, "too many terminal UIs are connected");
      }
      return content.opened(question.sessionId);
  }
}

function sendAnswer(response: ServerResponse, value: object): void {
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(JSON.stringify(value));
}

/** Refuses a request and reads nothing more of it. */
function sendRefusal(response: ServerResponse, status: number, reason: string): void {
  const allow = status === 405 ? { allow: "GET" } : {};
  response.writeHead(status, { "content-type": "text/plain", connection: "close", ...allow });
  response.end(`${reason}\n`);
}
