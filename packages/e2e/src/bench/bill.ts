// Bill ÷ ideal of both hosts on every scenario.
import { promptTokens } from "../billing/rates.ts";
import { sumTokens } from "../block.ts";
import { PLUGIN } from "../demo/play.ts";
import { percent } from "../demo/show.ts";
import type { PluginEntry } from "../host/host.ts";
import { billed, rejections } from "../provider/record.ts";
import { SCENARIOS } from "../scenario/catalogue.ts";
import { runScenario, type ScenarioRun, STOCK_RUN } from "../scenario/run.ts";
import { isRewrite, type Scenario, type Step } from "../scenario/step.ts";
import { gauge, type Progress } from "../terminal/progress.ts";
import { type Column, markdownTable } from "../terminal/table.ts";
import { LEDGER_ALONE } from "./ledger-alone.ts";
import { atMost, moreThan, type Section, type Verdict } from "./section.ts";

const COLUMNS: readonly Column[] = [
  { title: "scenario", align: "left" },
  { title: "what happens", align: "left" },
  { title: "without", align: "right" },
  { title: "with", align: "right" },
  { title: "worst session, without", align: "right" },
  { title: "worst session, with", align: "right" },
  { title: "… and default settings", align: "right" },
  { title: "read, without", align: "right" },
  { title: "read, with", align: "right" },
];

const METHOD = [
  "The columns give the bill divided by the ideal bill. In the ideal, each token is written to the cache once and read from it afterwards, for each session, model, tool list and agent's prompt, as long as the cache lives; what an undo, a compaction, a move or a prompt's own `system` replaces counts as new. \"Read\" is the share of input that came from the cache.",
  "A ratio below 1 for a whole run comes from reading what another session has paid for, and from the title's call, which is too short to be cached and so is cheaper. The targets apply to the ratio of the worst session, without its title call and without credit for what other sessions have paid for.",
  "A fork counts as a separate session whose first call is new. With the plugin it begins its own epoch, so the fork of a session that has received updates reads less of its parent's cache than on the stock host.",
  "The plugin's ledger runs by itself: history, recall and memory are off. What they cost and spare has benchmarks of its own. The column for default settings has all of them on; sessions as short as these are left alone.",
  "Each scenario runs once on each host: the mock bills by bytes and runs on the scenario's own clock, so a second run gives the same figures.",
].join(" ");

const OURS: PluginEntry = [PLUGIN, LEDGER_ALONE];

interface Pair {
  readonly scenario: Scenario;
  readonly without: ScenarioRun;
  readonly with: ScenarioRun;
  /** With everything that is on where nothing is set. */
  readonly usual: ScenarioRun;
}

/** Both hosts side by side on every scenario of the catalogue. */
export async function measureBills(progress: Progress): Promise<Section> {
  const scenarios: readonly Scenario[] = Object.values(SCENARIOS);
  const pairs: Pair[] = [];
  for (const scenario of scenarios) {
    const [without, with_] = await Promise.all([run(scenario, []), run(scenario, [OURS])]);
    pairs.push({ scenario, without, with: with_, usual: await run(scenario, [PLUGIN]) });
    progress.update(
      `bill ${gauge(pairs.length, scenarios.length)} ${scenario.name}`,
      `bill ${pairs.length}/${scenarios.length} ${scenario.name}`,
    );
  }
  const second = pairs.find(({ scenario }) => scenario.steps.some(isElsewhere));
  const [first] = pairs;
  if (!first || !second) throw new Error("The catalogue lacks a scenario with a second project");
  return {
    name: "bill",
    title: "Bill over ideal bill",
    body: [table(pairs), METHOD, otherFigures(first, second)].join("\n\n"),
    verdicts: [
      ...pairs.map(billVerdict),
      ...[STEADY_LIMIT, REWRITING_LIMIT].map((limit) => usualVerdict(pairs, limit)),
      ...otherVerdicts(first, second),
    ],
  };
}

async function run(scenario: Scenario, plugin: readonly PluginEntry[]): Promise<ScenarioRun> {
  const played = await runScenario(scenario, { ...STOCK_RUN, plugin });
  const refused = rejections(played.calls);
  if (refused.length > 0) throw new Error(`Refused in ${scenario.name}: ${refused.join("; ")}`);
  return played;
}

function table(pairs: readonly Pair[]): string {
  return markdownTable(
    COLUMNS,
    pairs.map(({ scenario, without, with: with_, usual }) => [
      scenario.name,
      scenario.about,
      ratio(without).toFixed(3),
      ratio(with_).toFixed(3),
      worstSession(without).toFixed(4),
      worstSession(with_).toFixed(4),
      worstSession(usual).toFixed(4),
      percent(without.readShare),
      percent(with_.readShare),
    ]),
  );
}

const STEADY_LIMIT = 1.005;
const REWRITING_LIMIT = 1.02;

/** What the worst session's bill over its ideal bill may be. */
export function billLimit({ steps }: Scenario): number {
  return steps.some(isRewrite) ? REWRITING_LIMIT : STEADY_LIMIT;
}

function billVerdict({ scenario, with: with_ }: Pair): Verdict {
  const limit = billLimit(scenario);
  const worst = worstSession(with_);
  return atMost(
    `bill ÷ ideal at most ${limit} in ${scenario.name}`,
    worst,
    limit,
    worst.toFixed(4),
  );
}

/** Of all scenarios with this limit. */
function usualVerdict(pairs: readonly Pair[], limit: number): Verdict {
  const some = pairs.filter(({ scenario }) => billLimit(scenario) === limit);
  const worst = Math.max(...some.map(({ usual }) => worstSession(usual)));
  const names = some.map(({ scenario }) => scenario.name).join(", ");
  return atMost(
    `default settings: bill ÷ ideal at most ${limit} in ${names}`,
    worst,
    limit,
    worst.toFixed(4),
  );
}

const MINIMUM_SHARE = 0.5;
const FIRST_REQUEST_LIMIT_TOKENS = 100;

function otherVerdicts(first: Pair, second: Pair): readonly Verdict[] {
  const share = secondProjectShare(second.with);
  const added = firstRequestTokens(first.with) - firstRequestTokens(first.without);
  return [
    moreThan(
      "a second project's first turn reads more than half of its tokens from the cache",
      share,
      MINIMUM_SHARE,
      percent(share),
    ),
    atMost(
      `a first request at most ${FIRST_REQUEST_LIMIT_TOKENS} tokens larger`,
      added,
      FIRST_REQUEST_LIMIT_TOKENS,
      `${added} tokens`,
    ),
  ];
}

function otherFigures(first: Pair, second: Pair): string {
  return [
    `- The first call of a second project reads ${percent(secondProjectShare(second.without))} of its tokens from the cache without the plugin, ${percent(secondProjectShare(second.with))} with it.`,
    `- A session's first request has ${firstRequestTokens(first.without)} tokens without the plugin, ${firstRequestTokens(first.with)} with it (a token is four bytes here).`,
  ].join("\n");
}

function ratio(run: ScenarioRun): number {
  return run.bill / run.idealWithRewrites;
}

export function worstSession({ sessions }: ScenarioRun): number {
  return Math.max(...sessions.map(({ bill, ideal }) => bill / ideal));
}

function isElsewhere(step: Step): boolean {
  return step.type === "turn" && step.place === "second";
}

/** Of the second project's first main call: later calls of the turn read what it has written. */
function secondProjectShare({ steps }: ScenarioRun): number {
  const calls = steps.find(({ step }) => isElsewhere(step))?.calls ?? [];
  const [first] = billed(calls).filter(({ kind }) => kind === "main");
  return first ? first.usage.readTokens / promptTokens(first.usage) : 0;
}

function firstRequestTokens({ calls }: ScenarioRun): number {
  const first = calls.find(({ kind }) => kind === "main");
  return first ? sumTokens(first.blocks) : 0;
}
