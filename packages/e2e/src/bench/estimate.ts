// How long `session-runtime estimate` takes for many long sessions, and how much memory.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildCli } from "../../../../scripts/build-cli.mjs";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { storeAlike } from "../../../cli/test/data/host-database.ts";
import type { Progress } from "../terminal/progress.ts";
import { type Column, markdownTable } from "../terminal/table.ts";
import { atMost, type Section } from "./section.ts";

const SIZE = { sessions: 200, calls: 300 } as const;
/** Of two cores for 30 s: what else a machine does says nothing of it. */
const MAX_COMPUTING_S = 60;
const MAX_MB = 1_000;

const COLUMNS: readonly Column[] = ["sessions", "calls each", "took", "computing", "memory"].map(
  (title) => ({ title, align: "right" }),
);

const METHOD =
  "`session-runtime estimate --all --json` as it is published, in a home whose OpenCode has so many sessions, with about 2.9 kB of results a call. It reads them one by one and plays each twice, without the plugin and with it, in threads. Computing is the time of all cores together; memory is the most that it takes at once.";

export async function measureEstimate(progress: Progress): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-bench-"));
  try {
    progress.update("estimate: storing sessions", "estimate: storing sessions");
    storeAlike(folder, SIZE);
    const cli = buildCli(join(folder, "cli"));
    progress.update("estimate: estimating them", "estimate: estimating them");
    const { tookS, computingS, megabytes } = await estimated(cli, folder);
    const took = [tookS, computingS].map((seconds) => `${seconds.toFixed(1)} s`);
    const memory = `${Math.round(megabytes)} MB`;
    return {
      name: "estimate",
      title: "Estimates of past sessions",
      body: [
        markdownTable(COLUMNS, [[String(SIZE.sessions), String(SIZE.calls), ...took, memory]]),
        METHOD,
      ].join("\n\n"),
      verdicts: [
        atMost(
          `${SIZE.sessions} sessions of ${SIZE.calls} calls: at most ${MAX_COMPUTING_S} s of computing, 30 s of two cores`,
          computingS,
          MAX_COMPUTING_S,
          `${computingS.toFixed(1)} s`,
        ),
        atMost(`at most ${MAX_MB} MB of memory`, megabytes, MAX_MB, memory),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface EstimatedSession {
  readonly tookS: number;
  readonly computingS: number;
  readonly megabytes: number;
}

async function estimated(cli: string, home: string): Promise<EstimatedSession> {
  const beganMs = performance.now();
  const child = Bun.spawn(["node", cli, "estimate", "--all", "--json"], {
    cwd: home,
    env: { PATH: process.env.PATH ?? "", HOME: home, OPENCODE_BIN: hostBinary() },
    stdout: "pipe",
    stderr: "ignore",
  });
  const { sum } = JSON.parse(await new Response(child.stdout).text());
  if ((await child.exited) !== 0 || sum.sessions !== SIZE.sessions)
    throw new Error(`${sum.sessions} of ${SIZE.sessions} sessions were estimated`);
  const { cpuTime, maxRSS = 0 } = child.resourceUsage() ?? {};
  return {
    tookS: (performance.now() - beganMs) / 1_000,
    computingS: Number(cpuTime?.total ?? 0) / 1e6,
    megabytes: maxRSS / 1_000,
  };
}
