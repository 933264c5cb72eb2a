// An endpoint for embeddings whose vectors say which of a few ideas a text is about.
import { afterAll } from "bun:test";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface EndpointRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly input: readonly string[];
}

/** What it answers in place of vectors; null: as ever. */
export type Misbehave = (request: EndpointRequest) => Response | "silence" | null;

/** Words of one idea; a text without any of them has a direction of its own. */
const IDEAS = [
  ["price", "cents", "money", "cost", "integers"],
  ["deploy", "release", "ship", "friday"],
  ["heron", "bird", "wings"],
];

export function vectorFor(text: string): number[] {
  const lower = text.toLowerCase();
  const counts = IDEAS.map((words) => words.filter((word) => lower.includes(word)).length);
  const hash = [...lower].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 97, 7);
  // Never all 0: such a text is like no other, and would not be found.
  const bits = hash % 16 || 15;
  return [...counts.map((count) => count * 10), ...[0, 1, 2, 3].map((at) => (bits >> at) % 2)];
}

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers.splice(0)) close();
});

export async function endpoint(model = "ideas-1") {
  const requests: EndpointRequest[] = [];
  const state: { misbehave: Misbehave; model: string } = { misbehave: () => null, model };
  const server = createServer(async (incoming, answer) => {
    const request = await read(incoming);
    requests.push(request);
    const wrong = state.misbehave(request);
    if (wrong === "silence") return;
    const sent = wrong ?? Response.json(answerTo(request, state.model));
    answer.writeHead(sent.status, Object.fromEntries(sent.headers));
    answer.end(Buffer.from(await sent.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests, state };
}

async function read(incoming: IncomingMessage): Promise<EndpointRequest> {
  let body = "";
  for await (const chunk of incoming) body += String(chunk);
  const { model, input } = JSON.parse(body);
  const { authorization } = incoming.headers;
  return { path: incoming.url ?? "", authorization, model, input };
}

export function answerTo({ input }: Pick<EndpointRequest, "input">, model: string) {
  const data = input.map((text, index) => ({
    object: "embedding",
    index,
    embedding: vectorFor(text),
  }));
  return { object: "list", model, data };
}
