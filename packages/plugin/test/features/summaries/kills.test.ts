import { expect, test } from "bun:test";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { createMemoryPort } from "../../../src/features/summaries/memory-port.ts";
import { findProject } from "../../../src/project/find-project.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { projectIn } from "../../project/at-work.ts";
import { Workspace } from "../../storage/workspace.ts";
import { parseConfig } from "../../whole-config.ts";
import { HistorianStage, session, turns, wellWritten } from "./stage.ts";

const workspace = new Workspace();
/** Long runs have more. */
const KILLS = process.env.LONG === "1" ? 200 : 60;

/** The same numbers for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A memory in a database of its own. */
function memory() {
  const directory = workspace.folder();
  const path = workspace.path();
  workspace.open(path);
  const driver = openBunDriver(path);
  driver.exec("PRAGMA synchronous = OFF");
  const store = createSqliteMemoryStore(driver);
  const context = {
    config: parseConfig({ memory: { enabled: true } }),
    database: { current: () => ({ store: () => store }) },
    project: projectIn(
      directory,
      () => store,
      () => 1,
    ),
    notices: { mention: () => undefined, notice: () => undefined, over: () => undefined },
    now: () => 1,
  };
  const texts = async () => {
    const { id } = await findProject(directory, store);
    return (await store.list(id)).map(({ text }) => text);
  };
  return { port: createMemoryPort(context as never), texts };
}

test(`I27: over ${KILLS} kills at any moment, no batch is written twice, no fact is doubled, and what is written is whole`, async () => {
  const random = numbers(20_261_123);
  const { port, texts } = memory();
  const stage = new HistorianStage(workspace, { memory: port });
  let kills = 0;
  const moments = new Map<string, number>();
  stage.dies = (moment) => {
    if (kills >= KILLS || random() < 0.7) return false;
    kills += 1;
    moments.set(moment, (moments.get(moment) ?? 0) + 1);
    return true;
  };
  stage.answer = (call) =>
    wellWritten(call, '<fact category="NAMING" importance="50">Rooms are folders.</fact>');
  for (let count = 14; kills < KILLS && count < 1_600; count += 8) await stage.sent(turns(count));
  expect(kills).toBe(KILLS);
  expect([...moments.keys()].sort()).toEqual(["answered", "settling", "taken", "written"]);
  const jobs = stage.jobs();
  const batches = jobs.filter(({ kind }) => kind === "historian");
  expect(jobs.every(({ state }) => state === "settled" || state === "given_up")).toBe(true);
  expect(batches.every(({ attempts }) => attempts <= 3)).toBe(true);
  expect(stage.calls.length).toBeLessThanOrEqual(
    batches.reduce((sum, { attempts }) => sum + attempts, 0),
  );
  // Of each batch that was taken all segments, of each that was given up none, and none overlap.
  let end = 0;
  const firsts = new Set(stage.segments().map(({ firstId }) => firstId));
  for (const { place, messageCount } of stage.segments()) {
    expect(place).toBeGreaterThanOrEqual(end);
    end = place + messageCount;
  }
  for (const { state, input } of batches) {
    const { firstId } = input as { readonly firstId: string };
    expect(firsts.has(firstId)).toBe(state === "settled");
  }
  expect(batches.filter(({ state }) => state === "settled").length).toBeGreaterThan(KILLS / 10);
  expect(await texts()).toEqual(["Rooms are folders."]);
  expect(stage.segments(session).length).toBeGreaterThan(KILLS / 4);
}, 600_000);
