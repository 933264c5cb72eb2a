// `npm run pictures`: plays the demo's day and writes the README's chart and the figures beside it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeBetweenMarks } from "../../../../scripts/host-table.mjs";
import { SCENARIOS } from "../scenario/catalogue.ts";
import { progressOn } from "../terminal/progress.ts";
import { describeChart, renderChart } from "./chart.ts";
import { playBoth } from "./play.ts";

const ROOT = join(import.meta.dir, "../../../..");
const FOLDER = join(ROOT, "docs/pictures");

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const report = await playBoth(SCENARIOS.day, progressOn(process.stdout));
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, "day.svg"), renderChart(report));
writeBetweenMarks(join(ROOT, "README.md"), "day", describeChart(report));
process.exit(0);
