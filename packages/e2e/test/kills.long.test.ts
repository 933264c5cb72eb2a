// Kills of the real host at random milliseconds, in the middle of every kind of work, over one long session.
import { afterEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { changingTimeEnvironment, libfaketime } from "../src/host/clock.ts";
import { MODELS } from "../src/host/models.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { after, call, type Reply, say } from "../src/provider/reply.ts";
import { prefixBreaks } from "../src/wire.ts";
import { count, dayAfter, one, type Talk, updates, useStage } from "./conformance/stage.ts";
import { seededRandom } from "./inbox-shots.ts";
import { expectSound } from "./inbox-stage.ts";

const SEED = Number(process.env.SEED ?? 20_261_124);
/** A round takes about 4 s on an idle machine. */
const ROUNDS = Number(process.env.ROUNDS ?? 60);
const MAX_MOMENT_MS = 1200;
const PLUGIN = join(import.meta.dir, "../../plugin");

const stage = useStage({ plugin: [PLUGIN] });
/** What a failure says, so that it can be run again. */
let last = "";
afterEach(() => console.log(`SEED=${SEED} ROUNDS=${ROUNDS}; the last: ${last}`));

function begins(round: string): void {
  last = round;
  if (process.env.VERBOSE) console.log(round);
}

type Work = "turn" | "tools" | "steers" | "compaction" | "undo" | "fork";
const WORKS: readonly Work[] = ["turn", "tools", "tools", "steers", "compaction", "undo", "fork"];

/** Answers take their time; every other one asks for a tool. */
function answering(random: () => number): (record: CallRecord) => Reply {
  const bash = { command: "sleep 0.1; echo done", description: "Waits" };
  const read = { filePath: join(stage.host.project, "notes.txt") };
  const replies = [call("bash", bash), say("Done."), call("read", read), say("Read.")];
  let next = 0;
  return () => {
    next += 1;
    return after(10 + random() * 80, replies[next % replies.length] ?? say("Done."));
  };
}

/** Begins the work and does not wait for its end, which the kill may take away. */
async function begin(work: Work, talk: Talk, round: number): Promise<void> {
  const { client, id } = talk;
  switch (work) {
    case "turn":
    case "tools":
      await client.prompt(id, `Round ${round}: ${work}`);
      return;
    case "steers":
      await client.promptAsync(id, `Round ${round}: first`);
      await client.promptAsync(id, `Round ${round}: second`);
      await client.promptAsync(id, `Round ${round}: third`);
      return;
    case "compaction":
      await client.summarize(id, MODELS.anthropic);
      return;
    case "undo":
      await talk.undo();
      await client.prompt(id, `Round ${round}: another way`);
      return;
    case "fork": {
      const copy = await client.fork(id);
      await client.prompt(copy.id, `Round ${round}: in the copy`);
      return;
    }
  }
}

async function killed(work: Work, talk: Talk, round: number, momentMs: number): Promise<void> {
  // Its request ends with the host, or came to its end before.
  const going = begin(work, talk, round).then(
    () => "ended",
    () => "killed",
  );
  await Bun.sleep(momentMs);
  await stage.host.kill9();
  await going;
}

/** Runs of calls in which each has to extend the one before: a compaction and an undo begin a new one. */
class Runs {
  #from = 0;
  calls = 0;

  constructor(private readonly talk: Talk) {}

  /** Of what has been sent since, and begins anew where what was sent may have been taken back. */
  check(work: Work): void {
    const calls = this.talk.main();
    const run = calls.slice(this.#from);
    if (work === "compaction" || work === "undo") {
      this.#from = Math.max(calls.length - 1, 0);
      return;
    }
    expect(prefixBreaks(run)).toEqual([]);
    expectReadWhole(run);
    this.calls += run.length;
    this.#from = Math.max(calls.length - 1, 0);
  }
}

/** What the provider had stored of a call is read by the next one. */
function expectReadWhole(run: readonly CallRecord[]): void {
  for (const [index, { outcome }] of run.entries()) {
    const former = run[index - 1]?.outcome;
    if (outcome.type !== "answered" || former?.type !== "answered") continue;
    const stored = former.usage.readTokens + former.usage.writeTokens;
    expect(outcome.usage.readTokens).toBeGreaterThanOrEqual(stored);
  }
}

test(`I1, I2, I4: ${ROUNDS} kills at random moments of turns, tools, steers, compactions, undo and forks (seed ${SEED}): no prefix breaks, the cache is read, each update stands once`, async () => {
  const random = seededRandom(SEED);
  stage.provider.script.respond("main", answering(random));
  const talk = await stage.talk();
  await talk.say("Before all");
  const runs = new Runs(talk);
  for (let round = 0; round < ROUNDS; round += 1) {
    const work = one(WORKS[Math.floor(random() * WORKS.length)]);
    const momentMs = Math.floor(random() * MAX_MOMENT_MS);
    begins(`round ${round}, ${work}, killed after ${momentMs} ms`);
    if (random() < 0.4) talk.edit({ "AGENTS.md": `Rule of round ${round}.\n` });
    await killed(work, talk, round, momentMs);
    expectSound(stage);
    await stage.host.start({});
    // After a compaction that did not come to its end the host spends a prompt on the next one.
    if (work === "compaction") await talk.say(`Settles ${round}`);
    await talk.say(`After kill ${round}`);
    expect(count(talk.last(), `After kill ${round}`)).toBe(1);
    const told = updates(talk.last());
    expect(new Set(told).size).toBe(told.length);
    runs.check(work);
  }
  expect(runs.calls).toBeGreaterThan(ROUNDS);
  console.log(
    `${ROUNDS} kills, ${talk.main().length} calls, ${runs.calls} of them held to the call before`,
  );
}, 1_800_000);

const library = libfaketime();
const CLOCK_ROUNDS = 7;
const title = library
  ? `I1, I2, I4: ${CLOCK_ROUNDS} kills under a clock that jumps ahead between turns and back within them (seed ${SEED}): no prefix breaks, each day is told once`
  : "A clock that jumps (skipped: needs libfaketime, apt-get install faketime)";

test.skipIf(!library)(
  title,
  async () => {
    const random = seededRandom(SEED);
    const offsetFile = join(stage.host.home.root, "clock-offset");
    const clock = changingTimeEnvironment(library ?? "", offsetFile);
    /** Days, and minutes of them that keep the day: it is noon where the host is. */
    const offsetText = (days: number, minutes: number) => `+${days * 1440 + minutes}m`;
    let days = 0;
    writeFileSync(offsetFile, offsetText(0, 0));
    await stage.host.restart(clock);
    stage.provider.script.respond("main", () => after(20 + random() * 40, say("Done.")));
    const talk = await stage.talk();
    await talk.say("Before all");
    for (let round = 0; round < CLOCK_ROUNDS; round += 1) {
      days += Math.floor(random() * 3);
      const minutes = round * 4;
      writeFileSync(offsetFile, offsetText(days, minutes));
      const jumps = [minutes + 3, minutes + 1, minutes + 2].map((to) =>
        call("bash", {
          command: `printf %s ${offsetText(days, to)} > ${offsetFile}`,
          description: "Sets the clock",
        }),
      );
      stage.provider.script.queueFor(talk.id, ...jumps, say("It goes right again."));
      const momentMs = Math.floor(random() * MAX_MOMENT_MS);
      begins(`clock, round ${round}, day ${days}, killed after ${momentMs} ms`);
      await killed("turn", talk, round, momentMs);
      writeFileSync(offsetFile, offsetText(days, minutes + 3));
      stage.provider.script.reset();
      stage.provider.script.respond("main", () => after(20 + random() * 40, say("Done.")));
      await stage.host.start(clock);
      await talk.say(`After kill ${round}`);
      expect(count(talk.last(), `After kill ${round}`)).toBe(1);
      expect(prefixBreaks(talk.main())).toEqual([]);
      const told = updates(talk.last());
      expect(new Set(told).size).toBe(told.length);
      if (days > 0) expect(told.at(-1)).toContain(dayAfter(days));
    }
    expectSound(stage);
    await stage.host.restart({});
  },
  600_000,
);
