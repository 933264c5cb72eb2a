import { expect, setDefaultTimeout, test } from "bun:test";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { MOST_FOR_FOURFOLD } from "../../../plugin/test/processor-time.ts";
import { bundledCli } from "../command-line.ts";
import { DataFolders } from "./data-folder.ts";
import { storeAlike } from "./host-database.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

const SESSIONS = 200;
const CALLS = 300;
const MOST_KILOBYTES = 1_000_000;

/** Estimates so many sessions, and says what it took of the processor and of memory. */
async function estimate(sessions: number) {
  const folder = folders.make();
  storeAlike(folder.home, { sessions, calls: CALLS });
  const child = Bun.spawn(["node", bundledCli(), "estimate", "--all", "--json"], {
    cwd: folder.home,
    env: { PATH: process.env.PATH ?? "", HOME: folder.home, OPENCODE_BIN: hostBinary() },
    stdout: "pipe",
    stderr: "pipe",
  });
  const { sum } = JSON.parse(await new Response(child.stdout).text());
  const err = await new Response(child.stderr).text();
  expect(await child.exited).toBe(0);
  expect(sum).toMatchObject({ sessions, calls: sessions * CALLS });
  const { cpuTime, maxRSS = 0 } = child.resourceUsage() ?? {};
  const cpuMs = Number(cpuTime?.total ?? 0) / 1_000;
  console.log(`${sessions} sessions: ${Math.round(cpuMs)} ms computing, ${maxRSS} kB`);
  return { err, cpuMs, maxRSS };
}

test("200 sessions of 300 calls are estimated in 1 GB, and in at most eight times the time of 50", async () => {
  const some = await estimate(SESSIONS / 4);
  const all = await estimate(SESSIONS);
  // What goes on for long says how far it has come.
  expect(all.err).toContain("Session 150 of 200: ");
  expect(all.cpuMs).toBeLessThan(some.cpuMs * MOST_FOR_FOURFOLD);
  expect(all.maxRSS).toBeLessThan(MOST_KILOBYTES);
});
