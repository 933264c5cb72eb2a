// Runs a provider on this machine that records calls and answers "OK".
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toFields } from "@session-runtime/opencode/context/fields";

/** Describes a message on the wire by its texts, without cache marks, which move by design. */
export interface WireMessage {
  readonly role: string;
  readonly texts: readonly string[];
}

/** Describes a call to the model as it came over the wire. */
export interface WireCall {
  readonly system: readonly string[];
  readonly messages: readonly WireMessage[];
}

interface StubProvider {
  readonly url: string;
  readonly calls: readonly WireCall[];
  stop(): void;
}

/** Starts a provider on this machine that speaks just enough of Anthropic's API, and answers "OK". */
export async function startStubProvider(): Promise<StubProvider> {
  const calls: WireCall[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      calls.push(readCall(body));
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of ANSWER) {
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const USAGE = { input_tokens: 10, output_tokens: 1 };

const ANSWER = [
  {
    type: "message_start",
    message: {
      id: "msg_stub",
      type: "message",
      role: "assistant",
      model: "stub",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: USAGE,
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "OK" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: USAGE },
  { type: "message_stop" },
];

function readCall(body: string): WireCall {
  const { messages, system } = toFields(JSON.parse(body));
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return {
    system: listTexts(system),
    messages: all.map((message) => {
      const { role, content } = toFields(message);
      return { role: String(role), texts: listTexts(content) };
    }),
  };
}

function listTexts(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) => {
    const { text } = toFields(block);
    return typeof text === "string" ? text : JSON.stringify(block);
  });
}
