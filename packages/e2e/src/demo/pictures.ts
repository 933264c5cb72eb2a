// `npm run pictures`: plays the demo's day, the panel and a second session, and writes the README's
// pictures and the figures beside them. `npm run pictures -- panel memory` plays those alone.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeBetweenMarks } from "../../../../scripts/host-table.mjs";
import { SCENARIOS } from "../scenario/catalogue.ts";
import { progressOn } from "../terminal/progress.ts";
import { describeChart, renderChart } from "./chart.ts";
import { describeMemory, renderMemory } from "./pictures/memory-chart.ts";
import { panelPicture, playPanel } from "./pictures/screen.ts";
import { playMemory } from "./pictures/second-session.ts";
import { playBoth } from "./play.ts";

const ROOT = join(import.meta.dir, "../../../..");
const FOLDER = join(ROOT, "docs/pictures");
const README = join(ROOT, "README.md");

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const PICTURES = {
  async day() {
    const report = await playBoth(SCENARIOS.day, progressOn(process.stdout));
    write("day.svg", renderChart(report));
    writeBetweenMarks(README, "day", describeChart(report));
  },
  async panel() {
    write("panel.svg", panelPicture(await playPanel()));
  },
  async memory() {
    const report = await playMemory();
    write("memory.svg", renderMemory(report));
    writeBetweenMarks(README, "memory", describeMemory(report));
  },
};

function write(name: string, picture: string): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, name), picture);
}

const wanted = process.argv.slice(2);
for (const [name, play] of Object.entries(PICTURES)) {
  if (wanted.length === 0 || wanted.includes(name)) await play();
}
process.exit(0);
