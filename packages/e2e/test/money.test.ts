import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { formatDollars, readMoney } from "@session-runtime/opencode/status/money";
import type { SessionListing } from "@session-runtime/opencode/storage/session-list";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { runCli } from "../../cli/test/command-line.ts";
import type { Usage } from "../src/billing/rates.ts";
import { askStatus } from "../src/demo/status.ts";
import type { Host } from "../src/host/host.ts";
import { MODELS } from "../src/host/models.ts";
import { isolatedEnvironment } from "../src/host/process.ts";
import { billed } from "../src/provider/record.ts";
import { PROJECT, SCENARIOS } from "../src/scenario/catalogue.ts";
import { runScenario, type ScenarioRun, STOCK_RUN } from "../src/scenario/run.ts";
import type { Scenario, Turn } from "../src/scenario/step.ts";
import { PLUGIN } from "./ctx-status-stage.ts";
import { longTest } from "./long.ts";

setDefaultTimeout(600_000);

/** In US dollars per million tokens, as the host's config has it. */
interface Price {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

const WRITING_COSTS: Price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };

/** A provider that caches by itself and charges nothing for it. */
const WRITING_IS_FREE: Price = { input: 2, output: 8, cache_read: 0.2, cache_write: 0 };

const EDITS_AND_RESTARTS = SCENARIOS.restarts;

/** With the first restart alone. */
const EDITS_AND_A_RESTART: Scenario = {
  ...EDITS_AND_RESTARTS,
  steps: EDITS_AND_RESTARTS.steps.filter(
    ({ type }, index, all) => type !== "restart" || index === all.findIndex(isRestart),
  ),
};

function isRestart({ type }: Scenario["steps"][number]): boolean {
  return type === "restart";
}

/** Without the restarts, which cost a host's start each and change no price. */
const EDITS: Scenario = {
  ...EDITS_AND_RESTARTS,
  steps: EDITS_AND_RESTARTS.steps.filter(({ type }) => type !== "restart"),
};

/** Without every third turn. */
const FEWER_TURNS: Scenario = {
  ...EDITS,
  steps: EDITS.steps.filter(
    (step) => step.type !== "turn" || !/^Turn (?:3|6|9|12):/.test(step.text),
  ),
};

/** The scenario on this model, at this price; null: the host has none for it. */
function priced(scenario: Scenario, model: Turn["model"], cost: Price | null): Scenario {
  const { providerID, modelID } = MODELS[model];
  const provider = { [providerID]: { models: { [modelID]: { cost } } } };
  return {
    ...scenario,
    files: cost === null ? PROJECT : { ...PROJECT, "opencode.json": JSON.stringify({ provider }) },
    steps: scenario.steps.map((step) => (step.type === "turn" ? { ...step, model } : step)),
  };
}

function computeUsd(usage: Usage, price: Price): number {
  const millionths =
    usage.inputTokens * price.input +
    usage.writeTokens * price.cache_write +
    usage.readTokens * price.cache_read +
    usage.outputTokens * price.output;
  return millionths / 1_000_000;
}

/** What the mock charged for the session's own calls: no message of the host has its title's. */
function charged({ calls }: ScenarioRun, price: Price): number {
  return billed(calls)
    .filter(({ kind }) => kind === "main")
    .reduce((sum, { usage }) => sum + computeUsd(usage, price), 0);
}

interface SaidFigures {
  /** `/ctx-status`, its white space made one blank. */
  readonly status: string;
  /** `session-runtime sessions` */
  readonly table: string;
  readonly line: SessionListing;
}

async function ask({ home, project, client }: Host, session: string): Promise<SaidFigures> {
  const env = { ...isolatedEnvironment(home), OPENCODE_BIN: hostBinary() };
  const table = (await runCli(["sessions"], env, project)).out;
  const { sessions } = JSON.parse((await runCli(["sessions", "--json"], env, project)).out);
  const line = (sessions as SessionListing[]).find(({ sessionId }) => sessionId === session);
  const status = await askStatus(client, session);
  if (!line || status === null) throw new Error(`${session} is not shown:\n${table}`);
  return { status: status.replace(/\s+/g, " "), table, line };
}

interface PlayedSession {
  readonly stock: ScenarioRun;
  readonly own: ScenarioRun;
  readonly said: SaidFigures;
}

/** With the plugin, asked at the end. */
async function playOwn(scenario: Scenario): Promise<Omit<PlayedSession, "stock">> {
  const answers: SaidFigures[] = [];
  const own = await runScenario(scenario, {
    ...STOCK_RUN,
    // What goes of old history is estimated: it is no part of what is held to the cent here.
    plugin: [[PLUGIN, { history: { rewrite: "off" } }]],
    onEnd: async (host, session) => void answers.push(await ask(host, session)),
  });
  const [said] = answers;
  if (!said) throw new Error("Nobody was asked");
  return { own, said };
}

/** Once on the stock host, once with the plugin. */
async function playBoth(scenario: Scenario): Promise<PlayedSession> {
  const [stock, own] = await Promise.all([runScenario(scenario, STOCK_RUN), playOwn(scenario)]);
  return { stock, ...own };
}

/** The sum that was said to be saved is so near to the difference of both bills, as a share of that. */
const TOLERANCE = 0.03;

function expectMoney({ stock, own, said }: PlayedSession, price: Price): void {
  const paid = charged(own, price);
  const saved = charged(stock, price) - paid;
  const { paidUsd, savedUsd } = readMoney(said.line.bill);
  expect(paidUsd).toBeCloseTo(paid, 8);
  expect(saved).toBeGreaterThan(0.01);
  expect(Math.abs((savedUsd ?? 0) / saved - 1)).toBeLessThan(TOLERANCE);
  expect(said.status).toContain(
    `Paid ${formatDollars(paid)}, saved about ${formatDollars(savedUsd ?? 0)} against OpenCode alone`,
  );
  expect(said.table).toContain(` ${formatDollars(paid)} `);
  expect(said.table).toContain(` ${formatDollars(savedUsd ?? 0)} `);
}

const MONEY =
  "what was paid is the provider's bill to the last digit; what was saved is within 3% of the stock host's bill less that";

/** Nothing changes. */
const TWO_TURNS: Scenario = {
  ...EDITS,
  steps: EDITS.steps.filter(({ type }) => type === "turn").slice(0, 2),
};

describe("two turns in which nothing changes", () => {
  test("what is said is that our tools cost more than OpenCode alone, within 1% of its bill", async () => {
    const { stock, own, said } = await playBoth(priced(TWO_TURNS, "anthropic", WRITING_COSTS));
    const [alone, paid] = [charged(stock, WRITING_COSTS), charged(own, WRITING_COSTS)];
    const { savedUsd } = readMoney(said.line.bill);
    expect(alone - paid).toBeLessThan(0);
    expect(Math.abs((savedUsd ?? 0) - (alone - paid)) / alone).toBeLessThan(0.01);
    expect(said.table).toContain(` ${formatDollars(savedUsd ?? 0)} `);
  });
});

describe("twelve turns, with three edits of AGENTS.md and a restart after the first", () => {
  test(MONEY, async () => {
    const played = await playBoth(priced(EDITS_AND_A_RESTART, "anthropic", WRITING_COSTS));
    expectMoney(played, WRITING_COSTS);
  });
});

describe("twelve turns, with three edits of AGENTS.md and a restart after each", () => {
  longTest(MONEY, async () => {
    const played = await playBoth(priced(EDITS_AND_RESTARTS, "anthropic", WRITING_COSTS));
    expectMoney(played, WRITING_COSTS);
  });

  longTest("so it is where the provider caches by itself", async () => {
    const played = await playBoth(priced(EDITS_AND_RESTARTS, "chat", WRITING_IS_FREE));
    expectMoney(played, WRITING_IS_FREE);
  });
});

describe("twelve turns, with three edits of AGENTS.md", () => {
  // The sums at its prices are those of status/money.test.ts; that its bill is right, billing.test.ts shows.
  longTest(
    "where the provider caches by itself, what was paid and saved is said as well",
    async () => {
      const played = await playBoth(priced(EDITS, "chat", WRITING_IS_FREE));
      expectMoney(played, WRITING_IS_FREE);
    },
  );
});

describe("eight turns, with three edits of AGENTS.md", () => {
  test("where the host has no price, tokens alone are said", async () => {
    const { said } = await playOwn(priced(FEWER_TURNS, "anthropic", null));
    expect(said.status).toMatch(
      /OpenCode alone would have changed its system prompt at 3 calls that read [\d,]+ tokens from the cache\./,
    );
    expect(said.status + said.table).not.toContain("$");
    expect(said.line.bill).toMatchObject({ priced: 0, paidNanos: 0, savedNanos: 0 });
  });
});
