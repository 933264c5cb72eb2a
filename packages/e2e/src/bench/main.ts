// `npm run bench`: runs the benchmarks that were asked for.
// Folder: The benchmarks of `npm run bench`.
import { type Progress, progressOn } from "../terminal/progress.ts";
import { styleFor } from "../terminal/style.ts";
import { type BenchRequest, readRequest, USAGE } from "./arguments.ts";
import { measureBills } from "./bill.ts";
import { FILES, keepResult, markdown, readResults, writePages } from "./document.ts";
import { measureEstimate } from "./estimate.ts";
import { sourcesDigest } from "./exercised.ts";
import {
  measureComparison,
  ONE_TURN,
  REREADING,
  REREADING_ALL,
  SMALL,
  SMALL_FULL,
  VAST,
} from "./history/comparisons.ts";
import { measureFoldedPasses } from "./history/folded-passes.ts";
import { measureHardships } from "./history/hardships.ts";
import { measureHistorian } from "./history/historian.ts";
import { AT_60K, AT_200K, measureQuestions } from "./history/questions.ts";
import { measureShortTalk } from "./history/short-talk.ts";
import { describeMachine } from "./machine.ts";
import { measureMemory } from "./memory/section.ts";
import { measurePasses } from "./pass.ts";
import { measurePi } from "./pi/bills.ts";
import { measureLongOnPi } from "./pi/long.ts";
import { measurePiPasses } from "./pi/passes.ts";
import { measureRecordedOnPi } from "./pi/recorded.ts";
import { policyMark } from "./policy-mark.ts";
import { measureRecords } from "./real/records.ts";
import { measureReal } from "./real/section.ts";
import { measureRecall } from "./recall.ts";
import type { Section } from "./section.ts";
import { measureSessions } from "./sessions.ts";
import { staleSections, staleText } from "./stale.ts";
import { measureStanding } from "./standing/section.ts";
import { measureStarts } from "./start.ts";
import { measureStores } from "./store.ts";
import { type SectionName, TARGETS } from "./targets.ts";
import { measureTui } from "./tui.ts";

/** Null: what it measures isn't on this machine. */
type Measure = (progress: Progress, request: BenchRequest) => Promise<Section | null>;

const BENCHMARKS: Readonly<Record<SectionName, Measure>> = {
  bill: measureBills,
  estimate: measureEstimate,
  "history-60k": measureQuestions(AT_60K),
  "history-200k": measureQuestions(AT_200K),
  "history-turn": measureComparison(ONE_TURN),
  "history-1m": measureComparison(VAST),
  "history-small": measureComparison(SMALL),
  "history-small-full": measureComparison(SMALL_FULL),
  "history-rereading": measureComparison(REREADING),
  "history-rereading-all": measureComparison(REREADING_ALL),
  "history-hardships": measureHardships,
  "history-historian": measureHistorian,
  "history-short": measureShortTalk,
  "history-pass": measureFoldedPasses,
  memory: measureMemory,
  pass: measurePasses,
  pi: measurePi,
  "pi-long": measureLongOnPi,
  "pi-pass": measurePiPasses,
  "pi-recorded": measureRecordedOnPi,
  real: measureReal,
  "real-records": measureRecords,
  recall: measureRecall,
  sessions: measureSessions,
  standing: measureStanding,
  start: measureStarts,
  store: measureStores,
  tui: measureTui,
};

// Hosts are ended when this process exits, which a signal alone would not let it do.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

if (process.argv[2] === "stale") {
  console.log(staleText(staleSections(readResults(FILES.results), sourcesDigest)));
  process.exit(0);
}
const request = readRequest(process.argv.slice(2));
if (request === null) {
  console.log(USAGE);
  process.exit(process.argv.includes("--help") ? 0 : 2);
}

const policy = policyMark();
if (request.sections.length === 0) {
  writePages(FILES, policy);
  console.log(FILES.document);
  process.exit(0);
}

const style = styleFor(process.stdout, process.env);
const machine = describeMachine();
const progress = progressOn(process.stdout);
let missed = 0;
for (const name of request.sections) {
  const section = await BENCHMARKS[name](progress, request);
  progress.end();
  if (section === null) continue;
  const measuredOn = new Date().toISOString().slice(0, 10);
  const run = { machine, policy, measuredOn, sources: sourcesDigest(name) };
  keepResult(FILES, section, run);
  console.log(`\n${markdown(name, { ...section, ...run, verdicts: [] }, policy)}\n`);
  const stated = section.verdicts.map(({ target }) => target);
  if (stated.join("\n") !== TARGETS[name].join("\n")) {
    console.log(style.bad(`The targets of ${name} in targets.ts are not those that it measures.`));
  }
  for (const { target, measured, outcome } of section.verdicts) {
    if (outcome === "not met") missed += 1;
    const word = outcome === "met" ? style.good("met    ") : style.bad("not met");
    console.log(`${word}  ${target}: ${measured}`);
  }
}
console.log(
  `\n${missed === 0 ? "No target missed" : `${missed} targets not met`}. ${FILES.document}`,
);
process.exit(0);
