import { expect, setDefaultTimeout, test } from "bun:test";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { bundledCli } from "../command-line.ts";
import { DataFolders } from "./data-folder.ts";
import { storeAlike } from "./host-database.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

const SESSIONS = 200;
const CALLS = 300;
const LIMITS = { ms: 30_000, kilobytes: 1_000_000 } as const;

test("200 sessions of 300 calls are estimated in 30 s and 1 GB", async () => {
  const folder = folders.make();
  storeAlike(folder.home, { sessions: SESSIONS, calls: CALLS });
  const beganMs = performance.now();
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
  const tookMs = performance.now() - beganMs;
  const { cpuTime, maxRSS = 0 } = child.resourceUsage() ?? {};
  const cpuMs = Number(cpuTime?.total ?? 0) / 1_000;
  console.log(`${Math.round(tookMs)} ms, ${Math.round(cpuMs)} ms computing, ${maxRSS} kB`);
  expect(tookMs).toBeLessThan(LIMITS.ms);
  expect(maxRSS).toBeLessThan(LIMITS.kilobytes);
});
