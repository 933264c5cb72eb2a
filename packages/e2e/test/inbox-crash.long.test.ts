// Kills at any moment of the inbox. Each run has those at chosen moments (inbox-kill.test.ts), and kills at every
// call of storage and host without a host (features/inbox).
import { expect, test } from "bun:test";
import { join } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import type { Bench } from "../src/open.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { after, call, type Reply, say } from "../src/provider/reply.ts";
import { seededRandom } from "./inbox-shots.ts";
import { allAnswered, expectSound, inputs, run, useInboxHost, userTexts } from "./inbox-stage.ts";

const bench = useInboxHost();
const SEED = Number(process.env.SEED ?? 20_261_123);
const ROUNDS = Number(process.env.KILLS ?? 60);
const random = seededRandom(SEED);

/** A round is killed when so many prompts and calls have been seen, at most, and a moment later. */
const MAX_SEEN = 12;
const MOMENT_MS = 250;

/** A tool and then an answer, in turn, each call after some milliseconds. */
function work({ host }: Bench): (record: CallRecord) => Reply {
  const tools = [
    call("bash", { command: "sleep 0.05; echo done", description: "Wait" }),
    say("Done with one."),
    call("read", { filePath: join(host.project, "notes.txt") }),
    say("Done with another."),
  ];
  const taken = new Map<string, number>();
  return ({ session }) => {
    const step = taken.get(session) ?? 0;
    taken.set(session, step + 1);
    return after(10 + random() * 60, tools[step % tools.length] ?? say("Done."));
  };
}

/** What one round has sent, and what of it is sure to be admitted. */
interface SentPrompt {
  readonly id: string;
  /** Text by message id. */
  readonly steers: ReadonlyMap<string, string>;
  readonly queued: readonly string[];
}

let prompts = 0;

/** A message id of our own, so that its row can be told. */
function messageId(): string {
  prompts += 1;
  return `msg_${(BigInt(Date.now()) * 4096n + BigInt(prompts % 4096)).toString(16).slice(-12)}${String(prompts).padStart(14, "0")}`;
}

/** Prompts, queued prompts and steers until the host is killed at a random moment. */
async function untilKilled(place: Bench, round: number): Promise<SentPrompt> {
  const { host } = place;
  const { client } = host;
  const { id } = await client.createSession();
  const steers = new Map<string, string>();
  const queued: string[] = [];
  const steer = (name: string) => {
    const messageID = messageId();
    const text = `round ${round} ${name}`;
    steers.set(messageID, text);
    return client.promptAsync(id, text, { messageID });
  };
  const queue = async (name: string) => {
    const text = `round ${round} ${name}`;
    await run(client, id, "ctx-queue", text);
    queued.push(text);
  };
  const deeds = async () => {
    await steer("first");
    await queue("queued one");
    await steer("steer one");
    await queue("queued two");
    await queue("queued three");
    await steer("steer two");
  };
  const going = deeds().catch(() => "the host was killed in the middle");
  const until = 1 + Math.floor(random() * MAX_SEEN);
  const calls = () => place.provider.listCalls(id, "main").length;
  await eventually("so much is seen", () => inputs(place, id).length + calls() >= until);
  await Bun.sleep(random() * MOMENT_MS);
  await host.kill9();
  await going;
  return { id, steers, queued };
}

test(`I16, G6: kill -9 at ${ROUNDS} random moments (seed ${SEED}) of a session with queued prompts, steers and tools: no admitted prompt is lost, none is promoted twice, the database is sound`, async () => {
  const place = bench();
  const { host, provider } = place;
  provider.script.respond("main", work(place));
  const { id: first } = await host.client.createSession();
  await host.client.prompt(first, "Before all");
  const seen = { admitted: 0, unanswered: 0, waiting: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id, steers, queued } = await untilKilled(place, round);
    expectSound(place);
    const rows = inputs(place, id);
    const admitted = [...rows.flatMap((row) => steers.get(row.id) ?? []), ...queued];
    seen.admitted += admitted.length;
    seen.unanswered += rows.filter(({ state }) => !["waiting", "answered"].includes(state)).length;
    seen.waiting += rows.filter(({ state }) => state === "waiting").length;
    const promoted = new Map(rows.map((row) => [row.id, row.promoted_at_ms]));
    if (process.env.VERBOSE)
      console.log(round, rows.map(({ state }) => state).join(" "), queued.length, Date.now() % 1e7);
    await host.start({});
    if (rows.length > 0) {
      await eventually("the session goes on", async () => {
        await run(host.client, id, "ctx-resume");
        await host.client.waitIdle(id);
        return inputs(place, id).every(({ state }) => state === "answered");
      });
      await allAnswered(place, id);
    }
    const texts = userTexts(await host.client.messages(id));
    for (const text of admitted) expect(texts.filter((said) => said === text)).toEqual([text]);
    expect(texts.filter((text) => queued.includes(text))).toEqual([...queued]);
    for (const row of inputs(place, id)) {
      const former = promoted.get(row.id) ?? null;
      if (former !== null) expect(row.promoted_at_ms).toBe(former);
      expect(row.promoted_at_ms).not.toBeNull();
    }
    expectSound(place);
  }
  console.log(`${ROUNDS} kills: ${JSON.stringify(seen)}`);
  expect(seen.admitted).toBeGreaterThan(ROUNDS);
  // 8 s a kill on an idle machine, three times that on a busy one.
}, 7_200_000);
