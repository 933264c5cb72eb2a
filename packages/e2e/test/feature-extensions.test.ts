import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FIRST_SCHEMA_VERSION } from "@session-runtime/opencode/storage/schema";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { type CommandOutput, runCli } from "../../cli/test/command-line.ts";
import { eventually } from "../../plugin/test/eventually.ts";
import { MODELS } from "../src/host/models.ts";
import { isolatedEnvironment } from "../src/host/process.ts";
import { call, say } from "../src/provider/reply.ts";
import {
  baseline,
  count,
  expectSteady,
  history,
  OURS,
  one,
  type Talk,
  updates,
  useStage,
} from "./conformance/stage.ts";
import { watching } from "./watching.ts";

// A feature of the tests uses every door, on the real host.
const folder = mkdtempSync(join(tmpdir(), "session-runtime-doors-"));
const clock = join(folder, "clock");
// `prune` leaves alone what is younger than an hour.
writeFileSync(clock, String(-2 * 3_600_000));
const env = {
  SESSION_RUNTIME_TEST: "1",
  SESSION_RUNTIME_TEST_CLOCK: clock,
  SESSION_RUNTIME_TEST_FEATURE: join(
    import.meta.dir,
    "../fixtures/features/every-extension/feature.ts",
  ),
};
const stage = useStage({
  plugin: [[OURS, { jobs: { model: "anthropic/claude-second" } }]],
  env,
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The feature for Node, which reads no TypeScript. */
const forNode = join(folder, "for-node");
beforeAll(() => {
  // A process of its own: within this one the bundler finds files beside a folder of the feature's at times only.
  const wanted = ["build", env.SESSION_RUNTIME_TEST_FEATURE, "--target", "node", "--splitting"];
  const built = spawnSync(process.execPath, [...wanted, "--outdir", forNode], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(built.stderr);
});

/** The command line in the host's home, with the same feature. */
function cli(...words: readonly string[]): Promise<CommandOutput> {
  const { home, project } = stage.host;
  const feature = { SESSION_RUNTIME_TEST_FEATURE: join(forNode, "feature.js") };
  const own = { ...isolatedEnvironment(home), OPENCODE_BIN: hostBinary(), ...env, ...feature };
  return runCli(words, own, project);
}

async function cliJson<Result>(...words: readonly string[]): Promise<Result> {
  const { out, err } = await cli(...words, "--json");
  if (!out.startsWith("{")) throw new Error(`${words.join(" ")} said: ${out}\n${err}`);
  return JSON.parse(out);
}

/** What the model is sent back for one call of the tool. */
async function asked(talk: Talk, input: Readonly<Record<string, string | number>>) {
  stage.provider.script.queueFor(talk.id, call("door_ask", input), say("Done."));
  await talk.say("Ask the door");
  return one(history(talk.last()).at(-1)).text;
}

function offered(talk: Talk) {
  const tools = talk.last().body.tools as readonly { readonly name: string }[];
  return tools.find(({ name }) => name === "door_ask");
}

test("tool: it is offered with its schema, optional arguments are optional, and its answer is on the wire", async () => {
  const talk = await stage.talk();
  const text = await asked(talk, { what: "echo", text: "knock ", times: 2 });
  expect(text).toStartWith(`build in ${talk.client.folder}: knock knock `);
  expect(offered(talk)).toMatchObject({
    description: "Ask the door.",
    input_schema: {
      type: "object",
      properties: {
        what: { type: "string", enum: ["echo", "fail", "wait"], description: "what it does" },
        text: { type: "string" },
        times: { type: "integer", minimum: 1, maximum: 3 },
      },
      required: ["what"],
    },
  });
  expect(await asked(talk, { what: "echo" })).toContain(": nothing");
});

test("tool: arguments that don't fit are answered in words that the model can follow", async () => {
  const talk = await stage.talk();
  expect(await asked(talk, { text: "x" })).toContain("The argument what is missing");
  expect(await asked(talk, { what: "shout" })).toContain('one of "echo", "fail", "wait"');
  expect(await asked(talk, { what: "echo", times: 4 })).toContain("a whole number from 1 to 3");
  expect(await asked(talk, { what: "echo", loud: 1 })).toContain('Unknown argument "loud"');
});

test("I15: a tool that fails says so in a sentence, and the turn goes on", async () => {
  const talk = await stage.talk();
  const text = await asked(talk, { what: "fail" });
  expect(text).toContain("door_ask failed");
  expect(text).not.toContain("stuck");
  expect(await asked(talk, { what: "echo", text: "still here" })).toContain("still here");
});

test("tool: the user's stop reaches it", async () => {
  const talk = await stage.talk();
  stage.provider.script.queueFor(talk.id, call("door_ask", { what: "wait" }));
  const turn = await talk.client.promptAsync(talk.id, "Wait at the door");
  await running(talk);
  await talk.client.abort(talk.id);
  await turn.settled;
  const states = (await talk.client.messages(talk.id))
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === "tool" ? [part.state.status] : []));
  expect(states).toEqual(["error"]);
  expect(await asked(talk, { what: "echo", text: "after" })).toContain("after");
});

async function running(talk: Talk): Promise<void> {
  for (;;) {
    const parts = (await talk.client.messages(talk.id)).flatMap((message) => message.parts);
    if (parts.some((part) => part.type === "tool" && part.state.status === "running")) return;
    await Bun.sleep(50);
  }
}

test("tool: where a permission denies it, it is not offered", async () => {
  const project = stage.host.addProject("denied", {
    "opencode.json": JSON.stringify({ permission: { door_ask: "deny" } }),
  });
  const talk = await stage.talk(stage.host.createClient(project));
  await talk.say("Hello");
  expect(offered(talk)).toBeUndefined();
});

interface Exported {
  readonly schemaVersion: number;
}

/** The feature's rows in an export of the session. */
async function visits(talk: Talk, file: string) {
  const { exitCode, err } = await cli("export", talk.id, "--out", file);
  expect([exitCode, err]).toEqual([0, ""]);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const head: Exported = JSON.parse(one(lines[0]));
  const rows = lines
    .map((line): { table?: string; row?: Record<string, unknown> } => JSON.parse(line))
    .filter(({ table }) => table === "door_visit");
  return { head, texts: rows.map(({ row }) => JSON.parse(String(row?.text))) };
}

function settledJobs(talk: Talk): number {
  const sql = "SELECT count(*) AS jobs FROM job WHERE session_id = ? AND state = 'settled'";
  return Number(
    reading((database) => database.query<{ jobs: number }, [string]>(sql).get(talk.id))?.jobs,
  );
}

function reading<Result>(read: (database: Database) => Result): Result {
  const database = new Database(stage.host.home.database, { readonly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** How many visits the database holds of the session. */
function storedVisits(talk: Talk): number {
  const sql = "SELECT count(*) AS visits FROM door_visit WHERE session_id = ?";
  const find = (database: Database) => database.query<{ visits: number }, [string]>(sql);
  return Number(reading((database) => find(database).get(talk.id))?.visits);
}

interface PrunePlan {
  readonly goes: readonly { readonly sessionId: string; readonly bytes: number }[];
}

test("hooks: what happens is heard, a result can be changed, a compaction can be told more", async () => {
  const talk = await stage.talk();
  expect(await asked(talk, { what: "echo", text: "here" })).toEndWith("here (heard at the door)");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  const [compaction] = stage.provider.listCalls(talk.id, "compaction");
  expect(count(one(compaction), "The door is open.")).toBe(1);
  await command(talk, "door-visits", "");
  expect(await shown(talk)).toEndWith("Heard: touched, saved, busy, billed, idle, compacted.");
});

test("I15: a hook of a feature that fails as the host ends costs nothing", async () => {
  const talk = await stage.talk();
  await talk.say("Hello");
  await stage.host.restart({});
  await talk.say("Still here?");
  expectSteady(talk.main());
});

test("sources: a feature's source is in the Baseline, and what is new of it is announced", async () => {
  const project = stage.host.addProject("sources", {});
  const talk = await stage.talk(stage.host.createClient(project));
  await talk.say("Hello");
  expect(baseline(talk.last())).toContain("Last at the door: nobody.");
  await command(talk, "door-knock", "the milkman");
  await talk.say("Who is it?");
  expect(updates(talk.last())).toEqual(["Now at the door: the milkman."]);
  expectSteady(talk.main());
});

test("policies: what a feature drafts is on the wire, and stays", async () => {
  const talk = await stage.talk();
  await talk.say("Knock knock");
  expect(count(talk.last(), "Who is there?")).toBe(1);
  await talk.say("Nobody");
  expect(count(talk.last(), "Who is there?")).toBe(1);
  expectSteady(talk.main());
  await command(talk, "door-visits", "");
  expect(await shown(talk)).toContain("busy, decided, ");
});

test("jobs: what a model was asked beside the turns is proposed, and taken by the next boundary", async () => {
  const talk = await stage.talk();
  await talk.say("Hello");
  stage.provider.script.respond("job", () => say("it will rain"));
  await command(talk, "door-gossip", "");
  await eventually("the job has settled", () => settledJobs(talk) === 1);
  await talk.say("Any news?");
  expect(count(talk.last(), "Rumour: it will rain")).toBe(1);
  expectSteady(talk.main());
});

test("tables: rows are stored, exported, deleted with the session, imported, sized and pruned", async () => {
  const talk = await stage.talk();
  const long = "x".repeat(100_000);
  await asked(talk, { what: "echo", text: "first" });
  await asked(talk, { what: "echo", text: long });
  const file = join(folder, "session.jsonl");
  const stored = await visits(talk, file);
  expect(stored.texts).toEqual(["first", long]);
  expect(stored.head.schemaVersion).toBe(FIRST_SCHEMA_VERSION);
  await talk.client.deleteSession(talk.id);
  await eventually("the session's visits are gone", () => storedVisits(talk) === 0);
  await cliJson("import", file);
  expect(storedVisits(talk)).toBe(2);
  const { goes } = await cliJson<PrunePlan>("prune", "--max-size", "1KB", "--yes");
  const gone = one(goes.find(({ sessionId }) => sessionId === talk.id));
  expect(gone.bytes).toBeGreaterThan(100_000);
  expect(storedVisits(talk)).toBe(0);
});

/** What the user is shown: the newest text that no model is sent. */
async function shown(talk: Talk): Promise<string> {
  const parts = (await talk.client.messages(talk.id)).flatMap((message) => message.parts);
  const notes = parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : []));
  return one(notes.at(-1));
}

async function command(talk: Talk, name: string, args: string): Promise<void> {
  await talk.client.command(talk.id, name, args).catch((error) => {
    expect(error.message).toContain(`/${name} was answered without a model call`);
  });
}

test("commands: a report and an action are answered without a model call", async () => {
  const talk = await stage.talk();
  await asked(talk, { what: "echo", text: "here" });
  const calls = talk.main().length;
  await command(talk, "door-visits", "");
  expect(await shown(talk)).toBe("Visits: here. Heard: touched, saved, busy, billed, idle.");
  await command(talk, "door-knock", "you");
  expect(await shown(talk)).toBe("Hello, you!");
  expect(talk.main()).toHaveLength(calls);
});

const HOOKS =
  "arriving boundary compacting decided onEvent opened reporting sending sent settled started toolSettled";

test("hooks: each is called; a prompt can be refused", async () => {
  const talk = await stage.talk();
  await asked(talk, { what: "echo", text: "here" });
  await talk.say("Knock knock");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await command(talk, "door-bell", "");
  const leave = await watching(stage.host, talk.client, talk.id);
  const hooks = async () => {
    await command(talk, "door-hooks", "");
    return shown(talk);
  };
  // The host's bus brings a terminal's command back a little later.
  await eventually("each hook was called", async () => (await hooks()) === HOOKS);
  leave();
  const calls = talk.main().length;
  const refused = talk.say("Let me in").then(
    () => "let in",
    (error) => String(error),
  );
  expect(await refused).toContain("The door stays shut.");
  expect(talk.main()).toHaveLength(calls);
});

test("publish, provides, uses: what else runs in the process reaches the feature, and the feature another one", async () => {
  const talk = await stage.talk();
  await talk.say("Hello");
  await command(talk, "door-bell", "");
  expect(await shown(talk)).toBe("Next door: a letter. Queued: 0.");
});

test("isOn: a feature that is off offers nothing", async () => {
  const project = stage.host.addProject("shut", {
    "session-runtime.jsonc": JSON.stringify({ everyExtension: { open: false } }),
  });
  const talk = await stage.talk(stage.host.createClient(project));
  await talk.say("Hello");
  expect(offered(talk)).toBeUndefined();
  expect(baseline(talk.last())).not.toContain("Last at the door");
});

test("witness: what a call of its tool has said is not announced again", async () => {
  const project = stage.host.addProject("witness", {});
  const talk = await stage.talk(stage.host.createClient(project));
  await talk.say("Hello");
  await asked(talk, { what: "echo", text: "I am Ada" });
  await talk.say("Who is it?");
  expect(updates(talk.last())).toEqual([]);
  await command(talk, "door-knock", "the milkman");
  await talk.say("And now?");
  expect(updates(talk.last())).toEqual(["Now at the door: the milkman."]);
  expectSteady(talk.main());
});

test("proposals: what a command proposes is taken by the next boundary, once", async () => {
  const talk = await stage.talk();
  await talk.say("Hello");
  await command(talk, "door-parcel", "a book");
  await talk.say("Anything for me?");
  expect(count(talk.last(), "Parcel: a book")).toBe(1);
  await talk.say("Thank you");
  expect(count(talk.last(), "Parcel: a book")).toBe(1);
  expectSteady(talk.main());
});

test("provides, a limit: what is stated of a model counts, where the catalogue says more", async () => {
  const talk = await stage.talk();
  const feature = async (model: (typeof MODELS)["second" | "anthropic"]) => {
    await talk.say("How much feature?", { model });
    const said = history(talk.last()).flatMap(({ text }) => /^Room for (\d+)\.$/.exec(text) ?? []);
    return Number(said.at(-1));
  };
  expect(await feature(MODELS.anthropic)).toBeGreaterThan(40_000);
  const stated = await feature(MODELS.second);
  expect(stated).toBeGreaterThan(0);
  expect(stated).toBeLessThan(40_000);
});

test("provides, a bound for failures: what a failed call says is the feature's, where no other feature bounds it", async () => {
  const project = stage.host.addProject("failures", {
    "session-runtime.jsonc": JSON.stringify({ toolOutput: { enabled: false } }),
  });
  const talk = await stage.talk(stage.host.createClient(project));
  const filePath = join(project, "no-such-feature.txt");
  stage.provider.script.queueFor(talk.id, call("read", { filePath }), say("Done."));
  await talk.say("Read it");
  expect(one(history(talk.last()).at(-1)).text).toBe("No such feature, says the door.");
});

test("finders: visits are found by a look-up", async () => {
  const talk = await stage.talk();
  await asked(talk, { what: "echo", text: "the xylophonist was here" });
  stage.provider.script.queueFor(
    talk.id,
    call("ctx_search", { query: "xylophonist" }),
    say("Done."),
  );
  await talk.say("Who was it?");
  const found = one(history(talk.last()).at(-1)).text;
  expect(found).toContain("a visit");
  expect(found).toContain("the xylophonist was here");
});

test("provides, the check for other processes: where another process runs the session, an answer is no message of it", async () => {
  const project = stage.host.addProject("elsewhere", {});
  const talk = await stage.talk(stage.host.createClient(project));
  await talk.say("Hello");
  await command(talk, "door-knock", "you");
  expect(await shown(talk)).toBe("Hello, you!");
  await command(talk, "door-knock", "elsewhere");
  expect(await shown(talk)).toBe("Hello, you!");
});

test("settings: a section's values count, and one that doesn't fit is named with file and line", async () => {
  const settings = `{
  "everyExtension": {
    "greeting": "Good day",
    "knocks": 9
  }
}
`;
  const project = stage.host.addProject("settings", { "session-runtime.jsonc": settings });
  const talk = await stage.talk(stage.host.createClient(project));
  await talk.say("Hello");
  await command(talk, "door-knock", "you");
  expect(await shown(talk)).toBe("Good day, you!");
  await command(talk, "ctx-status", "");
  expect((await shown(talk)).replaceAll(/\s+/g, " ")).toContain(
    "session-runtime.jsonc:4: everyExtension.knocks: expected a whole number from 1 to 3, found 9; the default is used",
  );
});

test("status and words: a section in the report and on the command line, and a word of its own", async () => {
  const talk = await stage.talk();
  await asked(talk, { what: "echo", text: "here" });
  await asked(talk, { what: "echo", text: "there" });
  await command(talk, "ctx-status", "");
  expect(await shown(talk)).toMatch(/^Door +2 visits at the door\.$/m);
  expect((await cli("status", talk.id)).out).toMatch(/^Door +2 visits at the door\.$/m);
  expect((await cli("visits", talk.id)).out).toBe("here\nthere\n");
  expect((await cli("visits", talk.id.slice(-12))).out).toBe("here\nthere\n");
  expect((await cli("visits", "nobody")).err).toContain('No session has the id "nobody"');
  expect(await cliJson<object>("visits", talk.id, "--loud")).toEqual({ texts: ["HERE", "THERE"] });
  expect((await cli("--help")).out).toContain("List the visits of a session");
  expect((await cli("visits", "--help")).out).toContain("All that was said at the door.");
});
