import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Bench, openBench } from "../src/open.ts";
import { call, say } from "../src/provider/reply.ts";
import {
  baseline,
  expectSteady,
  makeTalk,
  OURS,
  one,
  type Talk,
  updates,
} from "./conformance/stage.ts";
import { LONG } from "./long.ts";

setDefaultTimeout(600_000);

const PROJECTS = ["first", "second", "third", "fourth"];
const SESSIONS = LONG ? 20 : 8;
const FIXTURE = join(import.meta.dir, "../fixtures/session-sources-plugin.js");
const SOURCES = { registry: join(OURS, "src/registry.ts"), every: 2 };

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    // Under load a source may be late; here it is to be told all the same.
    plugin: [
      [OURS, { observation: { timeoutMs: 30_000 } }],
      [FIXTURE, SOURCES],
    ],
  });
}, 600_000);
afterAll(() => bench.close());

interface Lane extends Talk {
  readonly project: string;
}

async function openLanes(): Promise<readonly Lane[]> {
  const { host } = bench;
  const files = (name: string) => ({
    "AGENTS.md": `Rules of ${name}.\n`,
    "notes.txt": "A note.\n",
  });
  const clients = PROJECTS.map((name) => host.createClient(host.addProject(name, files(name))));
  return Promise.all(
    Array.from({ length: SESSIONS }, async (_, index) => {
      const client = one(clients[index % PROJECTS.length]);
      const { id } = await client.createSession();
      return { ...makeTalk(bench, client, id), project: one(PROJECTS[index % PROJECTS.length]) };
    }),
  );
}

test(`I12: of ${SESSIONS} sessions at once, each with its own sources changing, none hears of another's`, async () => {
  const lanes = await openLanes();
  for (const round of [1, 2, 3]) {
    const editors = PROJECTS.map((project) => one(lanes.find((lane) => lane.project === project)));
    for (const lane of editors)
      lane.edit({ "AGENTS.md": `Rules of ${lane.project}, round ${round}.\n` });
    await Promise.all(
      lanes.map(async (lane) => {
        const read = call("read", { filePath: join(lane.client.folder, "notes.txt") });
        bench.provider.script.queueFor(lane.id, read, say("Read."));
        await lane.say(`Round ${round}`);
      }),
    );
  }
  const ids = lanes.map(({ id }) => id);
  for (const lane of lanes) {
    const calls = lane.main();
    expect(calls).toHaveLength(6);
    expectSteady(calls);
    const bodies = calls.map(({ body }) => JSON.stringify(body)).join();
    expect(ids.filter((id) => id !== lane.id && bodies.includes(id))).toEqual([]);
    const foreign = PROJECTS.filter((name) => name !== lane.project);
    expect(foreign.filter((name) => bodies.includes(`Rules of ${name}`))).toEqual([]);
    expect(baseline(one(calls[0]))).toContain(`Own: ${lane.id} at 0.`);
    const told = updates(lane.last());
    // At boundaries 2, 4 and 6 the own source has changed, at 3 and 5 the project's rules.
    expect(told.flatMap((text) => /Own now: .* at (\d)/.exec(text)?.[1] ?? [])).toEqual([
      "1",
      "2",
      "3",
    ]);
    expect(told.flatMap((text) => /round (\d)/.exec(text)?.[1] ?? [])).toEqual(["2", "3"]);
  }
});
