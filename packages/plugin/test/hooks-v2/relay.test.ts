// The relay, which puts a check's plugin into another process: here the other side is the stand-in, loaded over HTTP.
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { V2Plugin } from "./host.ts";
import { anthropicAnswer, parseSent } from "./provider-wire.ts";
import { RelayedHost, relayModule } from "./relay.ts";
import { readingModel, standIn, texts } from "./stage.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** As `RealHost` serves it, and as a real host would load it. */
async function relayed(plugin: V2Plugin): Promise<V2Plugin> {
  const unused = async () => undefined;
  const relay = new RelayedHost(plugin, { synthetic: unused, generate: unused, models: unused });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const path = new URL(request.url).pathname.split("/").at(-1) ?? "";
      try {
        const body = (await request.json()) as Record<string, unknown>;
        return Response.json({ value: (await relay.answer(path, body)) ?? {} });
      } catch (error) {
        return Response.json({ error: error instanceof Error ? error.message : "failed" });
      }
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-relay-"));
  ends.push(
    () => server.stop(true),
    () => rmSync(folder, { recursive: true }),
  );
  writeFileSync(join(folder, "server.mjs"), relayModule("probe", server.url.origin));
  return (await import(join(folder, "server.mjs"))).default;
}

interface Ctx {
  readonly session: { hook(name: string, run: (event: never) => unknown): Promise<unknown> };
  readonly tool: Ctx["session"] & {
    transform(edit: (editor: { add(tool: object): void }) => void): unknown;
  };
}

test("V2: a plugin's hooks and tools work over it, and what one throws arrives as a failure", async () => {
  let breaks = false;
  const bodies: string[] = [];
  const probe = await relayed({
    id: "probe",
    async setup(given) {
      const { session, tool } = given as Ctx;
      await session.hook("context", (event: { messages: unknown[] }) => {
        if (breaks) throw new Error("broken");
        event.messages = [
          { role: "user", content: [{ type: "text", text: "Relayed." }] },
          ...event.messages,
        ];
      });
      await session.hook("http.request", async ({ request }: { readonly request: Request }) => {
        bodies.push(await request.clone().text());
      });
      const execute = async () => ({ content: "From over there." });
      tool.transform((editor) => editor.add({ name: "read", description: "", input: {}, execute }));
    },
  });
  const host = standIn([probe], readingModel(1));
  await host.prompt("ses_1", "Read.");
  expect(host.sent[0]?.tools).toEqual(["read"]);
  expect(texts(host.sent[0])).toContain("Relayed.");
  expect(texts(host.sent[1])).toContain("From over there.");
  expect(bodies.every((body) => body.includes("Relayed."))).toBe(true);
  expect(bodies).toHaveLength(2);
  breaks = true;
  await host.prompt("ses_1", "Read.");
  expect(host.failed).toEqual(["ses_1"]);
  await host.close();
});

test("what a provider of the real host is sent is read as the stand-in's: results and updates are messages of their own", () => {
  const headers = new Headers({ "x-kind": "primary", "x-session": "ses_1" });
  const called = { type: "tool_use", id: "a", name: "read", input: {} };
  const result = { type: "tool_result", tool_use_id: "a", content: "Text." };
  const sent = parseSent(
    {
      tools: [{ name: "read" }],
      messages: [
        { role: "user", content: "Hello." },
        { role: "assistant", content: [{ type: "text", text: "I read." }, called] },
        {
          role: "user",
          content: [result, { type: "text", text: "<system-update>Tabs.</system-update>" }],
        },
      ],
    },
    headers,
  );
  const roles = sent?.messages.map(({ role }) => role);
  expect(roles).toEqual(["user", "assistant", "tool", "system"]);
  expect([sent?.tools, sent?.sessionId]).toEqual([["read"], "ses_1"]);
  expect(parseSent({}, new Headers({ "x-kind": "title" }))).toBeNull();
});

test("an answer to the real host is a stream as Anthropic's API has it", async () => {
  const calls = [{ id: "a", name: "read", input: { filePath: "/f" } }];
  const stream = await anthropicAnswer({ text: "I read.", calls }).text();
  const data = [...stream.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ""));
  expect(data.map(({ type }) => type).slice(0, 2)).toEqual([
    "message_start",
    "content_block_start",
  ]);
  expect(data.at(-1)).toEqual({ type: "message_stop" });
  const partial = data.find(({ delta }) => delta?.type === "input_json_delta");
  expect(JSON.parse(partial.delta.partial_json)).toEqual({ filePath: "/f" });
});
