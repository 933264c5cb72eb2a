// Bill ÷ ideal of Pi, stock and with the extension, on every scenario.
// Folder: The benchmarks of Pi, stock and with the extension.
import { PI_VERSION } from "../../../../../scripts/pi-install.mjs";
import { sumTokens } from "../../block.ts";
import type { PI_MODELS } from "../../pi/pi.ts";
import type { PiRun } from "../../pi/play.ts";
import { buildExtension, PI_SCENARIO_NAMES, type PiScenario, playPi } from "../../pi/scenario.ts";
import { gauge, type Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import { atMost, type Section } from "../section.ts";

const COLUMNS: readonly Column[] = [
  { title: "scenario", align: "left" },
  { title: "model", align: "left" },
  { title: "without", align: "right" },
  { title: "with", align: "right" },
];

const METHOD = [
  `Pi ${PI_VERSION}, each scenario once without and once with the extension, by RPC, with Pi's cache warming off. The columns give the bill divided by the ideal bill, in which each token is written to the cache once and read from it afterwards; what a fork or a move in the tree leaves counts as new.`,
  "A capable model takes system messages in mid-conversation, by which Pi itself announces after a restart what has changed; a plain one does not. Without the extension Pi announces no edit within a session, on either: a ratio of 1 there is that of a model that does not know the edit.",
].join(" ");

const LIMIT = 1.005;
const FIRST_REQUEST_LIMIT_TOKENS = 500;

interface Pair {
  readonly scenario: PiScenario;
  readonly model: keyof typeof PI_MODELS;
  readonly without: PiRun;
  readonly with: PiRun;
}

/** Pi with the extension beside Pi without it. */
export async function measurePi(progress: Progress): Promise<Section> {
  const extension = buildExtension();
  const cases = (["plain", "capable"] as const).flatMap((model) =>
    PI_SCENARIO_NAMES.map((scenario) => ({ model, scenario })),
  );
  const pairs: Pair[] = [];
  for (const { model, scenario } of cases) {
    const without = await played(scenario, model, []);
    pairs.push({ scenario, model, without, with: await played(scenario, model, [extension]) });
    progress.update(
      `pi ${gauge(pairs.length, cases.length)} ${scenario}`,
      `pi ${pairs.length}/${cases.length} ${scenario}`,
    );
  }
  return {
    name: "pi",
    title: "Pi: bill over ideal bill",
    body: [table(pairs), METHOD, firstRequests(pairs)].join("\n\n"),
    verdicts: [
      ...PI_SCENARIO_NAMES.map((name) => {
        const worst = Math.max(
          ...pairs.filter(({ scenario }) => scenario === name).map((pair) => pair.with.ratio),
        );
        const target = `bill ÷ ideal at most ${LIMIT} in ${name}`;
        return atMost(target, worst, LIMIT, worst.toFixed(4));
      }),
      atMost(
        `a first request at most ${FIRST_REQUEST_LIMIT_TOKENS} tokens larger`,
        added(pairs),
        FIRST_REQUEST_LIMIT_TOKENS,
        `${added(pairs)} tokens`,
      ),
    ],
  };
}

async function played(
  scenario: PiScenario,
  model: keyof typeof PI_MODELS,
  extensions: readonly string[],
): Promise<PiRun> {
  const run = await playPi(scenario, model, extensions);
  if (run.failures.length > 0) throw new Error(`${scenario} failed: ${run.failures.join("; ")}`);
  return run;
}

function table(pairs: readonly Pair[]): string {
  return markdownTable(
    COLUMNS,
    pairs.map(({ scenario, model, without, with: with_ }) => [
      scenario,
      model,
      without.ratio.toFixed(3),
      with_.ratio.toFixed(3),
    ]),
  );
}

function firstRequests(pairs: readonly Pair[]): string {
  const [first] = pairs;
  const tokens = [first?.without, first?.with].map(firstTokens);
  return `A session's first request has ${tokens[0]} tokens without the extension, ${tokens[1]} with it, by its default settings (a token is four bytes here).`;
}

function added([first]: readonly Pair[]): number {
  return firstTokens(first?.with) - firstTokens(first?.without);
}

function firstTokens(run: PiRun | undefined): number {
  return sumTokens(run?.calls[0]?.blocks ?? []);
}
