// An HTTP server that can tear down connections.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A request with all its bytes. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: Uint8Array;
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal;
}

export interface ServedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How the connection is left: in order, or torn down after the body has gone out. */
  readonly ending: "closed" | "reset";
}

/** All of these events, and an end in order. */
export function eventStream(
  events: readonly { readonly event?: string | undefined; readonly data: unknown }[],
): ServedResponse {
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    body: events
      .map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      .join(""),
    ending: "closed",
  };
}

export interface HttpServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** On node:http, not Bun.serve: only this lets a test tear down a connection in mid-stream. */
export async function serveHttp(
  handle: (received: ReceivedRequest) => Promise<ServedResponse>,
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    receive(request, response)
      .then(handle)
      .then((served) => send(served, response))
      .catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No TCP address");
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ReceivedRequest> {
  const abort = new AbortController();
  response.on("close", () => response.writableEnded || abort.abort());
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    path: new URL(request.url ?? "/", "http://localhost").pathname,
    headers: Object.fromEntries(headers),
    raw: Buffer.concat(chunks),
    signal: abort.signal,
  };
}

function send(served: ServedResponse, response: ServerResponse): void {
  response.writeHead(served.status, served.headers);
  if (served.ending === "closed") response.end(served.body);
  else response.write(served.body, () => setTimeout(() => response.socket?.destroy(), FLUSH_MS));
}

/** What was said must have reached the caller before the connection goes. */
const FLUSH_MS = 100;
