import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Host, STOCK, startHost } from "../src/host/host.ts";
import type { JsonObject } from "../src/json.ts";
import { OURS, one } from "./conformance/stage.ts";

setDefaultTimeout(600_000);

const ENCRYPTED = "e".repeat(120_000);

type Event = JsonObject & { readonly type: string };

function block(index: number, content_block: JsonObject, delta: JsonObject | null): Event[] {
  return [
    { type: "content_block_start", index, content_block },
    ...(delta === null ? [] : [{ type: "content_block_delta", index, delta }]),
    { type: "content_block_stop", index },
  ];
}

/** As Anthropic's own search answers: call and result are both blocks of the provider's. */
const SEARCH = [
  ...block(
    0,
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
    { type: "input_json_delta", partial_json: '{"query":"x"}' },
  ),
  ...block(
    1,
    {
      type: "web_search_tool_result",
      tool_use_id: "srvtoolu_1",
      content: [
        {
          type: "web_search_result",
          url: "https://a.example",
          title: "A",
          encrypted_content: ENCRYPTED,
          page_age: null,
        },
      ],
    },
    null,
  ),
];

function answer(searches: boolean): string {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "a", type: "message", role: "assistant", model: "m", content: [], usage };
  const events: readonly Event[] = [
    { type: "message_start", message },
    ...(searches ? SEARCH : []),
    ...block(2, { type: "text", text: "" }, { type: "text_delta", text: "Done." }),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  return events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
}

/** The call's state in history, after a provider has executed it. */
async function search(host: Host) {
  const { id } = await host.client.createSession();
  await host.client.prompt(id, "Search now");
  const parts = (await host.client.messages(id)).flatMap((message) => message.parts);
  const { state } = one(parts.filter((part) => part.type === "tool")[0]);
  if (state.status !== "completed") throw new Error(JSON.stringify(state));
  return { output: state.output, metadata: state.metadata };
}

test("F14: provider-executed results are untouched, larger than the limit as they are", async () => {
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const body: JsonObject = JSON.parse(await request.text());
      // The title call has no tools.
      const searches = Array.isArray(body.tools) && body.tools.length > 0;
      return new Response(answer(searches), { headers: { "content-type": "text/event-stream" } });
    },
  });
  const results = [];
  for (const plugin of [[], [OURS]]) {
    const host = await startHost({ ...STOCK, plugin, providerUrl: server.url.origin });
    try {
      results.push(await search(host));
      expect(existsSync(join(host.home.data, "opencode/tool-output"))).toBe(false);
    } finally {
      await host.stop();
    }
  }
  await server.stop(true);
  expect(one(results[1])).toEqual(one(results[0]));
  expect(JSON.parse(one(results[1]).output)[0].encryptedContent).toBe(ENCRYPTED);
});
