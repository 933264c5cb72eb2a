import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import { after, say } from "../src/provider/reply.ts";
import { history, OURS, one, useStage } from "./conformance/stage.ts";
import { openReader, run } from "./inbox-stage.ts";
import { CLOCK, expectNothingLeft, jobCalls, passHours } from "./jobs-stage.ts";

// Upkeep by the clock on the real host: a schedule's time comes, nobody is at work, the documents' task runs.
const DOCUMENT = "# Shop\n\nIt has one service.\nThe ledger rounds invoices.\n";
const LOOK_MS = 200;

const stage = useStage({
  files: { "AGENTS.md": "Answer in short sentences.\n", "ARCHITECTURE.md": DOCUMENT },
  plugin: [
    [
      OURS,
      {
        ...{ memory: { enabled: true }, historian: { enabled: false } },
        jobs: { model: "anthropic/claude-second" },
        upkeep: { tasks: { docs: { schedule: "0 3 * * *" } }, quietMinutes: 30 },
      },
    ],
  ],
  env: {
    ...{ SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: CLOCK },
    SESSION_RUNTIME_TEST_LOOK_MS: String(LOOK_MS),
  },
});

interface RunRow {
  readonly task: string;
  readonly asked_by: string;
  readonly ended_at_ms: number | null;
  readonly code: string | null;
  readonly patch: string | null;
}

function runs(): readonly RunRow[] {
  const database = openReader(stage.host.home.database);
  try {
    return database
      .query<RunRow, []>("SELECT task, asked_by, ended_at_ms, code, patch FROM upkeep_run")
      .all();
  } finally {
    database.close();
  }
}

/** So long that a clock which wanted to begin a run had begun it. */
const looksGoBy = () => Bun.sleep(LOOK_MS * 5);

describe("upkeep by the clock, on the real host", () => {
  test("Z8, Z13: a day's time starts a run once, not while a session works; its patch is a file that nobody applies", async () => {
    const change = {
      ...{ do: "document", path: "ARCHITECTURE.md", find: "The ledger rounds invoices." },
      ...{ replace: "The ledger and the mailer round invoices.", why: "the mailer does, too" },
    };
    stage.provider.script.respond("job", () => say(JSON.stringify({ proposals: [change] })));
    const talk = await stage.talk();
    await run(talk.client, talk.id, "ctx-memory", "add Ledger and mailer both round invoices.");
    await talk.say("Hello");
    await looksGoBy();
    expect(runs()).toEqual([]);

    stage.provider.script.queueFor(talk.id, after(LOOK_MS * 10, say("That took long.")));
    const turn = await talk.client.promptAsync(talk.id, "Work for long");
    await eventually("the turn runs", () => talk.main().length === 2);
    passHours(25);
    await looksGoBy();
    expect(runs()).toEqual([]);
    await turn.settled;
    // It has been at work until now.
    await looksGoBy();
    expect(runs()).toEqual([]);

    passHours(1);
    await eventually("the run ends", () => runs().some(({ ended_at_ms }) => ended_at_ms !== null));
    expect(runs()).toMatchObject([{ task: "docs", asked_by: "schedule", code: null }]);
    const [asked, ...more] = jobCalls(stage);
    expect(more).toEqual([]);
    const question = history(one(asked)).map(({ text }) => text);
    expect(question.join("\n")).toContain("The ledger rounds invoices.");
    expect(question.join("\n")).toContain("Ledger and mailer both round invoices.");

    const { project } = stage.host;
    const patch = runs()[0]?.patch ?? "";
    expect(readFileSync(join(project, "ARCHITECTURE.md"), "utf8")).toBe(DOCUMENT);
    execFileSync("git", ["-C", project, "apply", patch]);
    expect(readFileSync(join(project, "ARCHITECTURE.md"), "utf8")).toBe(
      DOCUMENT.replace("The ledger", "The ledger and the mailer").replace("rounds", "round"),
    );
    await expectNothingLeft(stage);

    // It rests for half a day, and the next time is tomorrow's.
    passHours(11);
    await looksGoBy();
    expect(runs()).toHaveLength(1);
  });
});
