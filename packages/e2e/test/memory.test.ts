import { describe, expect, test } from "bun:test";
import { createSqliteMemoryStore } from "@session-runtime/opencode/features/memory/sqlite-store";
import type { Ref } from "@session-runtime/opencode/ledger/ref";
import { estimateTokens } from "@session-runtime/opencode/ledger/tokens";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import { schema } from "../../plugin/test/schema.ts";
import { MODELS } from "../src/host/models.ts";
import { call, say } from "../src/provider/reply.ts";
import { history, OURS, one, type Talk, useStage } from "./conformance/stage.ts";

// Memories and notes on the real host: written by one session, known to the next, changed while one runs.
const stage = useStage({
  plugin: [[OURS, { memory: { enabled: true }, recall: { enabled: true } }]],
});

/** What the model is sent back for one call of a tool. */
async function asked(talk: Talk, tool: string, input: Parameters<typeof call>[1]): Promise<string> {
  stage.provider.script.queueFor(talk.id, call(tool, input), say("Thanks."));
  await talk.say("Go on");
  return one(history(talk.last()).at(-1)).text;
}

const write = (talk: Talk, text: string) =>
  asked(talk, "ctx_memory", { action: "write", category: "CONSTRAINTS", text });

const updates = (talk: Talk) =>
  history(talk.last())
    .map(({ text }) => text)
    .join("\n")
    .match(/<system-update>[\s\S]*?<\/system-update>/g) ?? [];

function there<Value>(value: Value | null): Value {
  if (value === null) throw new Error("It is not there.");
  return value;
}

const refIn = (text: string) => one(/[mn]:\w{6}/.exec(text)?.[0]);

/** As a command line would, while the host runs. */
async function elsewhere<Result>(
  work: (store: ReturnType<typeof createSqliteMemoryStore>) => Promise<Result>,
) {
  const database = await openRuntimeDatabase({ schema, path: stage.host.home.database });
  try {
    return await work(database.database.store(createSqliteMemoryStore));
  } finally {
    database.database.close();
  }
}

describe("memory on the real host", () => {
  test("Y3, Y4: a memory is in the next session's first request byte for byte; its own session is not told it again", async () => {
    const writer = await stage.talk();
    const text = "Prices are cents: `price_cents`, never a float — see docs/prices.md §2.";
    const answer = await write(writer, text);
    expect(answer).toMatch(/^Stored as m:\w{6}\.$/);
    await writer.say("And now?");
    expect(updates(writer)).toEqual([]);
    expect(writer.last().system).not.toContain(text);

    const next = await stage.talk();
    await next.say("Hello");
    const ref = refIn(answer);
    expect(next.last().system).toContain(`CONSTRAINTS\n- [${ref}] ${text}\n`);
    expect(updates(next)).toEqual([]);
  });

  test("Y3: an edit from elsewhere is told a running session once; what is archived is gone from the next one", async () => {
    const running = await stage.talk();
    const [kept, dropped] = [
      await write(running, "The cart holds 50 items."),
      await write(running, "Old fact of the cart."),
    ];
    const project = await elsewhere(async (store) => {
      const known = there(await store.knownAt(running.client.folder));
      const find = async (answer: string) => there(await store.find(known, refIn(answer) as Ref));
      const by = { by: "user", sessionId: null, segment: null, nowMs: Date.now() } as const;
      const changes = [
        { kind: "edit", id: (await find(kept)).id, wording: { text: "The cart holds 80 items." } },
        { kind: "archive", id: (await find(dropped)).id },
      ] as const;
      await store.apply(known, changes, by);
      return known;
    });
    expect(project).toStartWith("commit:");
    await running.say("Again");
    await running.say("And again");
    expect(updates(running)).toHaveLength(1);
    expect(updates(running)[0]).toContain("The cart holds 80 items.");
    expect(updates(running)[0]).toContain(`No longer listed: ${refIn(dropped)}`);
    const next = await stage.talk();
    await next.say("Hello");
    expect(next.last().system).toContain("The cart holds 80 items.");
    expect(next.last().system).not.toContain("Old fact of the cart.");
  });

  test("Y6: a note stays in view after a compaction, until it is done", async () => {
    const talk = await stage.talk();
    const ref = refIn(await asked(talk, "ctx_note", { text: "Run the migration." }));
    await talk.say("More");
    expect(updates(talk)).toEqual([]);
    await talk.client.summarize(talk.id, MODELS.anthropic);
    await talk.say("After the compaction");
    expect(talk.last().system).toContain(`- [${ref}] Run the migration.`);
    expect(await asked(talk, "ctx_note", { done: ref })).toBe(`Done: ${ref}.`);
    await talk.say("More");
    expect(updates(talk)).toEqual([]);
    const other = await stage.talk();
    await other.say("Hello");
    expect(other.last().system).not.toContain("Run the migration.");
  });

  test("Y4: after an undo of its own write, a session is told what it has stored", async () => {
    const talk = await stage.talk();
    await talk.say("Hello");
    const answer = await write(talk, "Refunds are negative prices.");
    expect(updates(talk)).toEqual([]);
    await talk.undo();
    await talk.say("Something else");
    await talk.say("And more");
    expect(updates(talk)).toHaveLength(1);
    expect(updates(talk)[0]).toContain(`[${refIn(answer)}] Refunds are negative prices.`);
  });

  test("Y7: people read, correct and note by commands, without a call to the model", async () => {
    const talk = await stage.talk();
    await talk.say("Hello");
    const calls = talk.main().length;
    const notes = async () =>
      (await talk.client.messages(talk.id))
        .flatMap(({ parts }) => parts)
        .flatMap((part) => (part.type === "text" && part.ignored === true ? [part.text] : []));
    const run = async (name: string, args: string) => {
      await talk.client.command(talk.id, name, args).catch(() => undefined);
      return (await notes()).at(-1) ?? "";
    };
    const stored = await run("ctx-memory", "add naming Tables are singular.");
    const number = one(/^Stored as memory (\d+), under NAMING\.$/.exec(stored)?.[1]);
    expect(await run("ctx-memory", `edit ${number} Tables have singular names.`)).toBe(
      `Updated memory ${number}.`,
    );
    expect(await run("ctx-memory", "")).toContain(`${number}  Tables have singular names. (70)`);
    const note = refIn(await run("ctx-note", "Rename the tables."));
    expect(talk.main()).toHaveLength(calls);
    await talk.say("Go on");
    expect(updates(talk)).toHaveLength(1);
    expect(updates(talk)[0]).toContain("NAMING [");
    expect(updates(talk)[0]).toContain(`[${note}] Rename the tables.`);
  });

  test("Y5: a secret is refused in words, and is nowhere", async () => {
    const talk = await stage.talk();
    const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    expect(await write(talk, `The token is ${secret}`)).toContain("Say where the secret is kept");
    const next = await stage.talk();
    await next.say("Hello");
    expect(next.last().system).not.toContain(secret);
  });

  test("Y5: all our tools take at most 450 tokens of a first request", async () => {
    const talk = await stage.talk();
    await talk.say("Hello");
    const tools = talk.last().body.tools as readonly { readonly name: string }[];
    const ours = tools.filter(({ name }) => name.startsWith("ctx_"));
    expect(ours.map(({ name }) => name)).toEqual([
      ...["ctx_expand", "ctx_memory", "ctx_note", "ctx_reduce", "ctx_search"],
    ]);
    const tokens = estimateTokens(JSON.stringify(ours));
    console.log(`the tools take ${tokens} tokens: ${JSON.stringify(ours)}`);
    expect(tokens).toBeLessThanOrEqual(450);
  });
});
