import { beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { estimateTokens } from "@session-runtime/opencode/ledger/tokens";
import { toIndexPath } from "@session-runtime/opencode/search-index/place";
import { eventually } from "../../plugin/test/eventually.ts";
import { call, say } from "../src/provider/reply.ts";
import { history, OURS, one, type Talk, useStage } from "./conformance/stage.ts";

// Recall on the real host: a model that looks up what another session of the project has seen.
const stage = useStage({
  plugin: [[OURS, { recall: { enabled: true }, memory: { enabled: false } }]],
  config: { agent: { mute: { mode: "primary", permission: { "ctx_*": "deny" } } } },
});

const indexFile = () => toIndexPath(stage.host.home.database);
const LOG = Array.from({ length: 400 }, (_, n) => `${n} ordinary line`).join("\n");

/** What the model is sent back for one call of a tool. */
async function asked(talk: Talk, tool: string, input: Parameters<typeof call>[1]): Promise<string> {
  stage.provider.script.queueFor(talk.id, call(tool, input), say("Thanks."));
  await talk.say("Look it up");
  return one(history(talk.last()).at(-1)).text;
}

/** A session that has read a file with the answer in it. */
async function readTheLog(): Promise<Talk> {
  const talk = await stage.talk();
  talk.edit({ "deploy.log": `${LOG}\nrelease kestrel-7 went to port 5433\n${LOG}` });
  stage.provider.script.queueFor(talk.id, call("read", { filePath: "deploy.log" }), say("Read."));
  await talk.say("Read the deploy log, codename tangerine");
  return talk;
}

const search = (talk: Talk, query: string) => asked(talk, "ctx_search", { query, in: "project" });

async function searchUntil(talk: Talk, query: string, expected: string): Promise<string> {
  let answer = "";
  await eventually(
    () => `the answer holds ${expected}: ${answer}`,
    async () => {
      answer = await search(talk, query);
      return answer.includes(expected);
    },
  );
  return answer;
}

describe("recall on the real host", () => {
  let reader: Talk;
  beforeAll(async () => {
    reader = await readTheLog();
  });

  test("R4: one look-up gives the line that answers, with a ref that shows the record", async () => {
    const talk = await stage.talk();
    const answer = await searchUntil(talk, "which port did kestrel-7 go to?", "went to port 5433");
    expect(answer).toContain("release kestrel-7 went to port 5433");
    expect(answer).toContain(`, in session ${reader.id}`);
    const ref = one(/\[(r:\w{6})\] read deploy\.log/.exec(answer)?.[1]);
    const record = await asked(talk, "ctx_expand", { ref, from: 395, lines: 20 });
    expect(record).toContain("release kestrel-7 went to port 5433");
    expect(record).toMatch(/ctx_expand r:\w{6} with from: 415 shows the rest/);
  });

  test("R5: what stands in the context is not repeated", async () => {
    const answer = await asked(reader, "ctx_search", { query: "tangerine" });
    expect(answer).toStartWith("Nothing found in this session");
    expect(answer).toMatch(/\d more already in your context/);
  });

  test("no query, ref or name fails the turn", async () => {
    const talk = await stage.talk();
    const queries = [
      '"',
      "NOT AND (",
      "*",
      "",
      "端",
      `kestrel ${"x".repeat(100_000)}`,
      "a:b ^c NEAR/2",
    ];
    for (const query of queries) {
      expect(await search(talk, query)).toMatch(/^(?:Nothing found|Quoted from|The query has no)/);
    }
    expect(await asked(talk, "ctx_expand", { ref: "r:zzzzzz" })).toStartWith("There is no ref");
    expect(await asked(talk, "ctx_reduce", { drop: ["read nothing.txt"] })).toContain("Not found");
    expect(await asked(talk, "ctx_search", {})).toContain("The argument query is missing");
  });

  test("R9: ctx_reduce queues what the model lets go", async () => {
    const answer = await asked(reader, "ctx_reduce", { drop: ["read deploy.log"] });
    expect(answer).toMatch(
      /^Noted: 1 result, about \d+ tokens, will go when it pays\.\n- read deploy\.log/,
    );
  });

  test("R10: the tools take at most 450 tokens of a first request, and are not offered where they are denied", async () => {
    const [talk, mute] = [await stage.talk(), await stage.talk()];
    const offered = (one_: Talk) =>
      (one_.last().body.tools as readonly { readonly name: string }[]).filter(({ name }) =>
        name.startsWith("ctx_"),
      );
    await talk.say("Hello");
    expect(offered(talk).map(({ name }) => name)).toEqual([
      "ctx_expand",
      "ctx_reduce",
      "ctx_search",
    ]);
    expect(estimateTokens(JSON.stringify(offered(talk)))).toBeLessThanOrEqual(450);
    await mute.say("Hello", { agent: "mute" });
    expect(offered(mute)).toEqual([]);
  });

  test("an index that is deleted while the host runs is begun again, and holds what is sent next", async () => {
    expect(existsSync(indexFile())).toBe(true);
    rmSync(indexFile());
    await reader.say("Go on");
    await searchUntil(await stage.talk(), "kestrel-7", "went to port 5433");
  });

  test("an index that is damaged while the host runs is begun again, and holds what is sent next", async () => {
    for (const suffix of ["-wal", "-shm"]) rmSync(indexFile() + suffix, { force: true });
    rmSync(indexFile());
    writeFileSync(indexFile(), "this is not a database, whatever its name says. ".repeat(200));
    await reader.say("Go on");
    await searchUntil(await stage.talk(), "kestrel-7", "went to port 5433");
  });

  test("a link in the index's place is not followed: one notice says so, and what it leads to keeps its mode", async () => {
    const target = join(dirname(indexFile()), "mine.txt");
    writeFileSync(target, "mine\n");
    chmodSync(target, 0o644);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(indexFile() + suffix, { force: true });
    symlinkSync(target, indexFile());
    await reader.say("Go on");
    const log = join(dirname(indexFile()), "runtime.log");
    const notices = () => readFileSync(log, "utf8").split("recall_place_taken").length - 1;
    await eventually(
      () => "the notice is in the log",
      async () => notices() > 0,
    );
    await reader.say("Go on");
    expect(notices()).toBe(1);
    expect(statSync(target).mode & 0o777).toBe(0o644);
    expect(readFileSync(target, "utf8")).toBe("mine\n");
    rmSync(indexFile());
    await reader.say("Go on");
    await searchUntil(await stage.talk(), "kestrel-7", "went to port 5433");
  });
});
