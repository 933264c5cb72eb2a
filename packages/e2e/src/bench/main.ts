// `npm run bench`: runs the benchmarks that were asked for.
// Folder: The benchmarks of `npm run bench`.
import { type Progress, progressOn } from "../terminal/progress.ts";
import { styleFor } from "../terminal/style.ts";
import { measureBills } from "./bill.ts";
import { DOCUMENT, markdown, writeSection } from "./document.ts";
import { describeMachine } from "./machine.ts";
import { measurePasses } from "./pass.ts";
import { measureRecall } from "./recall.ts";
import { SECTION_NAMES, type Section, type SectionName } from "./section.ts";
import { measureSessions } from "./sessions.ts";
import { measureStarts } from "./start.ts";
import { measureStores } from "./store.ts";
import { measureTui } from "./tui.ts";

const BENCHMARKS: Readonly<Record<SectionName, (progress: Progress) => Promise<Section>>> = {
  bill: measureBills,
  pass: measurePasses,
  recall: measureRecall,
  sessions: measureSessions,
  start: measureStarts,
  store: measureStores,
  tui: measureTui,
};

// Hosts are ended when this process exits, which a signal alone would not let it do.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const given = process.argv.slice(2);
const wrong = given.find((name) => !SECTION_NAMES.some((known) => known === name));
if (wrong !== undefined) {
  const names = SECTION_NAMES.join("|");
  console.log(
    `npm run bench [-- ${names}…]\n\nMeasures all, or what is named, and writes ${DOCUMENT}.`,
  );
  process.exit(wrong === "--help" ? 0 : 2);
}

const style = styleFor(process.stdout, process.env);
const machine = describeMachine();
const progress = progressOn(process.stdout);
let missed = 0;
for (const name of SECTION_NAMES) {
  if (given.length > 0 && !given.includes(name)) continue;
  const section = await BENCHMARKS[name](progress);
  progress.end();
  writeSection(DOCUMENT, section, machine);
  console.log(`\n${markdown({ ...section, verdicts: [] }, machine)}\n`);
  for (const { target, measured, outcome } of section.verdicts) {
    if (outcome === "not met") missed += 1;
    const word = outcome === "met" ? style.good("met    ") : style.bad("not met");
    console.log(`${word}  ${target}: ${measured}`);
  }
}
console.log(`\n${missed === 0 ? "No target missed" : `${missed} targets not met`}. ${DOCUMENT}`);
process.exit(0);
