import { describe, expect, test } from "bun:test";
import { eventually } from "../../plugin/test/eventually.ts";
import { endpoint } from "../../plugin/test/features/search/vector-endpoint-server.ts";
import { call, say } from "../src/provider/reply.ts";
import { history, OURS, one, type Talk, useStage } from "./conformance/stage.ts";
import { exampleSettings } from "./documents.ts";

// Vectors on the real host, by the settings that the documents show.
const shown = exampleSettings("Found by what it means") as { vectors: { model: string } };
const server = await endpoint(shown.vectors.model);
const settings = {
  ...{ ...shown, memory: { enabled: true, budgetTokens: 100 } },
  vectors: { ...shown.vectors, url: server.url },
};
const stage = useStage({ plugin: [[OURS, settings]] });

async function asked(talk: Talk, tool: string, input: Parameters<typeof call>[1]): Promise<string> {
  stage.provider.script.queueFor(talk.id, call(tool, input), say("Thanks."));
  await talk.say("Go on");
  return one(history(talk.last()).at(-1)).text;
}

const FILLERS = [
  "Migrations under db/schema run by hand, two people watch, and nobody else is on the machine.",
  "Snapshots of the browser are taken at 1,280 pixels by the nightly run, never on a laptop.",
  "The queue of webhooks retries for three days, then parks what is left in a bucket of its own.",
];

const sent = () => server.requests.flatMap(({ input }) => input);

describe("vectors on the real host", () => {
  test("I26, Y11: a question in other words finds what another session learnt; without the endpoint words find it as ever", async () => {
    const writer = await stage.talk();
    const fact = "Amounts are integers, one hundred of them to the euro.";
    const write = (text: string) =>
      asked(writer, "ctx_memory", { action: "write", category: "CONSTRAINTS", text });
    expect(await write(fact)).toStartWith("Stored as");
    // Newer ones fill the list, so that the fact is not in the context.
    for (const text of FILLERS) await write(text);
    await writer.say("And that is all, my key is sk-abcdefghijklmnopqrstuvwx");
    await eventually("the fact is sent", () => sent().includes(fact));
    expect(JSON.stringify(server.requests)).not.toContain("sk-abcdefghijklmnopqrstuvwx");

    const question = { query: "currency format: money, cents?" };
    let next = writer;
    // The vector is stored after the endpoint has answered.
    await eventually("the fact is found", async () => {
      next = await stage.talk();
      await next.say("Hello");
      expect(next.last().system).not.toContain(fact);
      return (await asked(next, "ctx_search", question)).includes(`1| ${fact}`);
    });

    server.state.misbehave = () => new Response("", { status: 500 });
    const alone = await asked(next, "ctx_search", question);
    expect(alone).not.toContain(fact);
    expect(await asked(next, "ctx_search", { query: "integers euro" })).toContain(`1| ${fact}`);
  });
});
