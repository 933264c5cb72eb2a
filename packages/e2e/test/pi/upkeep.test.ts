import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { eventually } from "../../../plugin/test/eventually.ts";
import { writeFiles } from "../../src/host/home.ts";
import { missingPi, PI_MODELS, type PiProcess } from "../../src/pi/pi.ts";
import type { CallRecord } from "../../src/provider/record.ts";
import { say } from "../../src/provider/reply.ts";
import { makeScenarioClock } from "../../src/scenario/clock.ts";
import { usePi } from "./stage.ts";

// Upkeep on the real Pi: by its command and by the clock, beside the turns.

setDefaultTimeout(600_000);

const DAY_MINUTES = 1_440;
const LOOK_MS = 200;

interface RunRow {
  readonly task: string;
  readonly asked_by: string;
  readonly ended_at_ms: number | null;
  readonly code: string | null;
}

describe.skipIf(missingPi !== null)(missingPi ?? "upkeep on the real Pi", () => {
  const stage = usePi();

  /** A Pi whose project's upkeep has this one task. */
  async function begun(schedule: string | null) {
    const clock = makeScenarioClock();
    const look = { SESSION_RUNTIME_TEST_LOOK_MS: String(LOOK_MS) };
    await stage.begin({ env: { ...clock.env, ...look } });
    const settings = {
      ...{ memory: { enabled: true }, jobs: { model: `mock/${PI_MODELS.small}` } },
      upkeep: { tasks: { archive: { schedule } }, quietMinutes: 30 },
    };
    writeFiles(stage.pi.agent, { "session-runtime.jsonc": JSON.stringify(settings) });
    stage.pi.provider.script.respond("job", (record) => say(answer(record)));
    return { clock, running: stage.pi.start() };
  }

  function answer(record: CallRecord): string {
    const [, ref = ""] =
      /"ref":"(m:\w{6})"[^{}]*OPS-1/.exec(JSON.stringify(record.body).replaceAll('\\"', '"')) ?? [];
    const proposal = { do: "archive", ref, why: "the ticket is closed" };
    return JSON.stringify({ proposals: [proposal] });
  }

  async function shown(running: PiProcess, command: string): Promise<string> {
    const notice = running.next(({ method }) => method === "notify");
    await running.say(command);
    return String((await notice).message);
  }

  function runs(): readonly RunRow[] {
    const database = new Database(stage.pi.database, { readonly: true });
    try {
      return database
        .query<RunRow, []>("SELECT task, asked_by, ended_at_ms, code FROM upkeep_run")
        .all();
    } finally {
      database.close();
    }
  }

  const over = () =>
    eventually(
      () => `a run has ended: ${JSON.stringify(runs())}`,
      () => runs().some(({ ended_at_ms }) => ended_at_ms !== null),
    );

  test("Z14: on Pi, a task asked for by /ctx-upkeep changes what it may beside the turns, and is undone by it", async () => {
    const { clock, running } = await begun(null);
    await shown(running, "/ctx-memory add Ticket OPS-1 of the shop is half done.");
    await shown(running, "/ctx-memory add Prices of the shop are cents.");
    clock.pass(100 * DAY_MINUTES);
    expect(await shown(running, "/ctx-upkeep run archive")).toContain("Run 1: archive.");
    await over();
    expect(await shown(running, "/ctx-upkeep show 1")).toContain("Why: the ticket is closed");
    await running.say("Hello");
    expect(stage.last().system).toContain("Prices of the shop are cents.");
    expect(stage.last().system).not.toContain("OPS-1");
    const asked = stage.pi.provider.requests.filter(({ kind }) => kind === "job");
    expect(asked.map(({ model, body }) => [model, body.tools])).toEqual([
      [PI_MODELS.small, undefined],
    ]);
    expect(await shown(running, "/ctx-upkeep undo")).toContain("1 memory is as it was before.");
    clock.remove();
  });

  test("Z13: on Pi, a schedule's time starts a run once, at a quiet time", async () => {
    const { clock, running } = await begun("0 3 * * *");
    await shown(running, "/ctx-memory add Ticket OPS-1 of the shop is half done.");
    await running.say("Hello");
    await Bun.sleep(LOOK_MS * 5);
    expect(runs()).toEqual([]);
    clock.pass(100 * DAY_MINUTES);
    await over();
    await Bun.sleep(LOOK_MS * 5);
    expect(runs()).toMatchObject([{ task: "archive", asked_by: "schedule", code: null }]);
    clock.remove();
  });
});
