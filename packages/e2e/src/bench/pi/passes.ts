// What the extension takes of Pi's time: its start, and a call's pass.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { installPi } from "../../../../../scripts/pi-install.mjs";
import { buildExtension } from "../../pi/scenario.ts";
import type { Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import { median, ms, quantile } from "../figures.ts";
import { atMost, type Section } from "../section.ts";
import type { PassFigures } from "./pass.ts";

const STARTS = 5;
const PASS_LIMIT_MS = 1.5;
const START_LIMIT_MS = 40;

const COLUMNS: readonly Column[] = [
  { title: "", align: "left" },
  { title: "p50", align: "right" },
  { title: "p95", align: "right" },
  { title: "least", align: "right" },
];

const METHOD = `In the Node that Pi runs on, by the events that Pi gives: ${STARTS} processes, each with a start, the first call of a session of 300 messages, which opens the database and all features, and 300 further passes over it. The start is the load of the extension and its work in session_start, without Pi's own loader.`;

export async function measurePiPasses(progress: Progress): Promise<Section> {
  const dist = dirname(buildExtension());
  const runs = Array.from({ length: STARTS }, (_, at) => {
    progress.update(`pi-pass ${at + 1}/${STARTS}`, `pi-pass ${at + 1}/${STARTS}`);
    return measurePasses(dist);
  });
  const passes = runs.flatMap(({ passesMs }) => passesMs);
  const starts = runs.map(({ startMs }) => startMs);
  const row = (name: string, values: readonly number[]) => [
    ...[name, ms(median(values)), ms(quantile(values, 0.95)), ms(Math.min(...values))],
  ];
  return {
    name: "pi-pass",
    title: "Pi: the extension's own time",
    body: [
      markdownTable(COLUMNS, [
        row("start", starts),
        row(
          "first call of a session",
          runs.map(({ firstMs }) => firstMs),
        ),
        row("pass at 300 messages", passes),
      ]),
      METHOD,
    ].join("\n\n"),
    verdicts: [
      atMost(
        `p50 of a pass at 300 messages at most ${PASS_LIMIT_MS} ms`,
        median(passes),
        PASS_LIMIT_MS,
        ms(median(passes)),
      ),
      atMost(
        `a start of at most ${START_LIMIT_MS} ms`,
        median(starts),
        START_LIMIT_MS,
        ms(median(starts)),
      ),
    ],
  };
}

function measurePasses(dist: string): PassFigures {
  const script = join(import.meta.dir, "pass.ts");
  const run = spawnSync(installPi().node, [script, dist], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}
