import { expect, setDefaultTimeout, test } from "bun:test";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { bundledCli } from "../command-line.ts";
import { DataFolders } from "./data-folder.ts";
import { madeModel, madeSession, openHostDatabase, storePlayed } from "./host-database.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

const SESSIONS = 200;
const CALLS = 300;
const LIMITS = { cpuMs: 30_000, bytes: 1_000_000_000 } as const;

test("200 sessions of 300 calls are estimated in 30 s of processor time and 1 GB", async () => {
  const folder = folders.make();
  const driver = openHostDatabase(folder.home);
  const recorded = madeSession("made", CALLS);
  const model = { ...madeModel, windowTokens: 2_000_000, usableTokens: 2_000_000 };
  driver.exec("BEGIN");
  for (let at = 0; at < SESSIONS; at += 1) {
    const row = { id: `ses_${at}`, title: `${at}`, directory: folder.home, updatedMs: at };
    storePlayed(driver, row, { recorded, model });
  }
  driver.exec("COMMIT");
  driver.close();
  const child = Bun.spawn(["node", bundledCli(), "estimate", "--all", "--json"], {
    cwd: folder.home,
    env: { PATH: process.env.PATH ?? "", HOME: folder.home, OPENCODE_BIN: hostBinary() },
    stdout: "pipe",
    stderr: "pipe",
  });
  const { sum } = JSON.parse(await new Response(child.stdout).text());
  const err = await new Response(child.stderr).text();
  expect(await child.exited).toBe(0);
  expect(sum).toMatchObject({ sessions: SESSIONS, calls: SESSIONS * CALLS });
  // What goes on for long says how far it has come.
  expect(err).toContain("Session 150 of 200: ");
  const usage = child.resourceUsage();
  const cpuMs = Number(usage?.cpuTime.total ?? 0) / 1_000;
  console.log(`${Math.round(cpuMs)} ms, ${Math.round((usage?.maxRSS ?? 0) / 1e6)} MB`);
  expect(cpuMs).toBeLessThan(LIMITS.cpuMs);
  expect(usage?.maxRSS ?? 0).toBeLessThan(LIMITS.bytes);
});
