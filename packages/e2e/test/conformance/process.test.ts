import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { eventually } from "../../../plugin/test/eventually.ts";
import { makeClient } from "../../src/client/client.ts";
import { changingTimeEnvironment, fakeTimeEnvironment, libfaketime } from "../../src/host/clock.ts";
import { writeFiles } from "../../src/host/home.ts";
import { isolatedEnvironment, spawnHost } from "../../src/host/process.ts";
import { call, held, makeGate, say } from "../../src/provider/reply.ts";
import { longTest } from "../long.ts";
import { readNotices } from "./notices.ts";
import {
  baseline,
  count,
  dayAfter,
  expectSteady,
  OURS,
  PATIENT,
  updates,
  useStage,
} from "./stage.ts";

const INVALID = {
  cache: { ttlMs: "soon" },
  epoch: { onModelSwitch: "maybe" },
  nonsense: 1,
  ...PATIENT,
};

const stage = useStage({ plugin: [[OURS, INVALID]] });

const notes = () => call("read", { filePath: join(stage.host.project, "notes.txt") });

test("I15: each invalid leaf of the config is named once, and the plugin works", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  expect(updates(talk.last())).toHaveLength(1);
  const log = join(dirname(stage.host.home.database), "runtime.log");
  const messages = readNotices(log).map(({ message }) => String(message));
  for (const key of ["cache.ttlMs", "epoch.onModelSwitch", "nonsense"]) {
    expect(messages.filter((message) => message.includes(key))).toHaveLength(1);
  }
  expect(messages).toHaveLength(3);
});

test("I2, I3: kill -9 while a call with an update is under way loses nothing", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  stage.provider.script.queueFor(talk.id, held(makeGate(), say("Never said.")));
  await talk.client.promptAsync(talk.id, "Two");
  await stage.provider.arrival(({ session }) => session === talk.id && talk.main().length === 2);
  await stage.host.kill9();
  await stage.host.start({});
  await talk.say("Three");
  await talk.say("Four");
  expectSteady(talk.main());
  expect(updates(talk.last())).toHaveLength(1);
});

const library = libfaketime();
const needs = library === undefined ? " (skipped: libfaketime is not installed)" : "";

const clockTest = library === undefined ? test.skip : longTest;

clockTest(
  `I2, I4: a host whose clock is a day ahead tells the new day once, and to a new session by its Baseline${needs}`,
  async () => {
    const talk = await stage.talk();
    await talk.say("One");
    const tomorrow = dayAfter(1);
    expect(baseline(talk.last())).toContain(`Today's date: ${dayAfter(0)}`);
    await stage.host.restart(fakeTimeEnvironment(library ?? "", "+1d"));
    await talk.say("Two");
    await talk.say("Three");
    expectSteady(talk.main());
    expect(updates(talk.last())).toHaveLength(1);
    expect(updates(talk.last())[0]).toContain(tomorrow);
    const other = await stage.talk();
    await other.say("One");
    expect(baseline(other.last())).toContain(`Today's date: ${tomorrow}`);
    expect(updates(other.last())).toEqual([]);
    await stage.host.restart({});
  },
);

test.skipIf(!library)(
  library
    ? "A clock that is set back and forth while the host runs: each call's figures are recorded"
    : "A clock that is set back and forth (needs libfaketime: apt-get install faketime)",
  async () => {
    const offset = join(stage.host.home.root, "clock-offset");
    writeFileSync(offset, "+0");
    await stage.host.restart(changingTimeEnvironment(library ?? "", offset));
    const talk = await stage.talk();
    const setClock = (jump: string) =>
      call("bash", { command: `printf %s ${jump} > ${offset}`, description: "Sets the clock" });
    stage.provider.script.queueFor(
      talk.id,
      ...["+60", "+30", "+120"].map(setClock),
      say("It goes right again."),
    );
    // Within a turn, and not before its prompt: the host leaves a prompt older than an answer alone.
    await talk.say("Set the clock");
    await talk.say("And on");
    expect(talk.main()).toHaveLength(5);
    // Rows are written after the answer.
    const reported = () => figures(talk.id).filter((one) => one === "reported");
    await eventually("all are there", () => reported().length === talk.main().length);
    expect(figures(talk.id)).toEqual(talk.main().map(() => "reported"));
    await stage.host.restart({});
  },
);

/** Of each stored turn, whether the provider's figures are. */
function figures(sessionId: string): readonly string[] {
  const database = new Database(stage.host.home.database, { readonly: true });
  const sql = "SELECT iif(input_tokens IS NULL, 'missing', 'reported') AS figures FROM turn";
  const rows = database
    .query<{ figures: string }, [string]>(`${sql} WHERE session_id = ? ORDER BY seq`)
    .all(sessionId);
  database.close();
  return rows.map((row) => row.figures);
}

test("I2: kill -9 while a tool runs loses nothing", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  const marker = join(stage.host.home.root, "running");
  const command = `touch ${marker}; sleep 60`;
  stage.provider.script.queueFor(talk.id, notes(), call("bash", { command, description: "x" }));
  await talk.client.promptAsync(talk.id, "Two");
  while (!existsSync(marker)) await Bun.sleep(10);
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await stage.host.kill9();
  await stage.host.start({});
  await talk.say("Three");
  await talk.say("Four");
  expectSteady(talk.main());
  expect(updates(talk.last())).toHaveLength(1);
});

test("I2: kill -9 in the first call of a session: it begins once more, and is steady", async () => {
  const talk = await stage.talk();
  stage.provider.script.queueFor(talk.id, held(makeGate(), say("Never said.")));
  await talk.client.promptAsync(talk.id, "One");
  await stage.provider.arrival(({ session }) => session === talk.id && talk.main().length === 1);
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await stage.host.kill9();
  await stage.host.start({});
  await talk.say("Two");
  await talk.say("Three");
  expectSteady(talk.main());
  expect(updates(talk.last())).toHaveLength(1);
});

test("K2: two host processes on one session and one database keep one prefix", async () => {
  const { host } = stage;
  const second = await spawnHost({
    command: [hostBinary()],
    cwd: host.project,
    env: isolatedEnvironment(host.home),
    log: () => undefined,
  });
  try {
    const talk = await stage.talk();
    const there = makeClient(() => second.url, host.project);
    for (const round of [1, 2, 3]) {
      await talk.say(`Here ${round}`);
      talk.edit({ "AGENTS.md": `Edit ${round}.\n` });
      await there.prompt(talk.id, `There ${round}`);
    }
    await talk.say("Here at last");
    expectSteady(talk.main());
    expect(talk.main()).toHaveLength(7);
    expect(updates(talk.last())).toHaveLength(3);
  } finally {
    await second.kill();
  }
});

// Last: it leaves the host as it is.
test("D6: the opt-out stops project discovery, not the global file", async () => {
  const global = join(stage.host.home.config, "opencode");
  writeFiles(global, { "AGENTS.md": "Of the user.\n" });
  await stage.host.restart({ OPENCODE_DISABLE_PROJECT_CONFIG: "1" });
  const talk = await stage.talk();
  await talk.say("One");
  expect(baseline(talk.last())).toContain("Of the user.");
  expect(baseline(talk.last())).not.toContain("Answer in short sentences.");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  writeFiles(global, { "AGENTS.md": "Of the user, anew.\n" });
  await talk.say("Two");
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toContain("Of the user, anew.");
  expect(count(talk.last(), "Be kind.")).toBe(0);
  expectSteady(talk.main());
});
