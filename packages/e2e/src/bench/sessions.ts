// The plugin's time per call with one session, and with many at once.
import { join } from "node:path";
import { PLUGIN } from "../demo/play.ts";
import { type Host, STOCK, startHost } from "../host/host.ts";
import { PROJECT } from "../scenario/catalogue.ts";
import { gauge, type Progress } from "../terminal/progress.ts";
import { type Column, markdownTable } from "../terminal/table.ts";
import { median, ms, quantile } from "./figures.ts";
import { type MuteProvider, startMuteProvider } from "./mute-provider.ts";
import {
  newSampleFile,
  readSamples,
  type TimedPass,
  timedPlugin,
  toTimedPasses,
} from "./samples.ts";
import { atMost, type Section } from "./section.ts";

const MANY = 20;
/** Model calls of a turn that call a tool. */
const STEPS = 6;
/** Some sessions alone, one after the other, then all at once, by turns. */
const ROUNDS = 3;
const ALONE = 6;
/** What a provider takes: sessions wait for it most of their time, and come back one by one. */
const PROVIDER_MS = { least: 2_000, most: 6_000 };
/** A session alone need not wait. */
const QUICK_MS = 50;
/** The plugin writes a call down some 30 ms after its send. */
const SETTLE_MS = 500;
const LIMIT = 1.5;

const SOURCES = join(import.meta.dir, "../../fixtures/session-sources-plugin.js");
const REGISTRY = join(PLUGIN, "../registry.ts");
/** A session's own source changes at every so many boundaries. */
const CHANGES_EVERY = 3;

const COLUMNS: readonly Column[] = [
  { title: "sessions at once", align: "right" },
  { title: "passes", align: "right" },
  { title: "p50", align: "right" },
  { title: "p90", align: "right" },
];

const METHOD = [
  `New sessions in one host, each with its own Context Source that changes once in ${CHANGES_EVERY} boundaries, take a turn of ${STEPS} tool calls. With many sessions, the provider takes ${PROVIDER_MS.least / 1_000} to ${PROVIDER_MS.most / 1_000} s for an answer. ${ALONE} sessions run one at a time, then ${MANY} at once, ${ROUNDS} times in turn.`,
  "The time is that of both hooks in wall-clock time. It includes what the host does for other sessions meanwhile, as it has only one thread.",
].join(" ");

/** The plugin's time per pass with one session, and with many at once. */
export async function measureSessions(progress: Progress): Promise<Section> {
  let atOnce = 1;
  const provider = await startMuteProvider((answer) =>
    atOnce === 1 ? QUICK_MS : answerDelayMs(answer),
  );
  const samples = newSampleFile();
  const host = await startHost({
    ...STOCK,
    files: PROJECT,
    providerUrl: provider.url,
    config: { compaction: { auto: false } },
    plugin: [timedPlugin(PLUGIN, samples), [SOURCES, { registry: REGISTRY, every: CHANGES_EVERY }]],
  });
  try {
    const stand = { host, provider, samples };
    await runAtOnce(stand, 1);
    const alone: TimedPass[] = [];
    const together: TimedPass[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      progress.update(`sessions ${gauge(round, ROUNDS)}`, `sessions: round ${round + 1}`);
      atOnce = 1;
      for (let number = 0; number < ALONE; number += 1) alone.push(...(await runAtOnce(stand, 1)));
      atOnce = MANY;
      together.push(...(await runAtOnce(stand, MANY)));
    }
    return buildSection(alone, together);
  } finally {
    await host.stop();
    await provider.stop();
  }
}

/** Spread evenly, and the same in each run. */
function answerDelayMs(answer: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  return PROVIDER_MS.least + ((answer * golden) % 1) * (PROVIDER_MS.most - PROVIDER_MS.least);
}

interface Stand {
  readonly host: Host;
  readonly provider: MuteProvider;
  readonly samples: string;
}

/** The passes of one turn of each of so many new sessions, but for those that opened an epoch. */
async function runAtOnce(
  { host, provider, samples }: Stand,
  count: number,
): Promise<readonly TimedPass[]> {
  const before = readSamples(samples).length;
  // A session with a name asks for no title.
  const named = { title: "A session of the benchmark" };
  const sessions = await Promise.all(
    Array.from({ length: count }, () =>
      host.client.request<{ readonly id: string }>("POST", "/session", named),
    ),
  );
  const read = (step: number) => ({
    name: "read",
    input: { filePath: `${host.project}/src/part${(step % 14) + 1}.ts`, limit: 5 },
  });
  provider.nextTurn(Array.from({ length: STEPS * count }, (_, step) => read(step)));
  await Promise.all(
    sessions.map(async ({ id }) => {
      const running = await host.client.promptAsync(id, "Look at all parts", { agent: "build" });
      await running.settled;
    }),
  );
  await Bun.sleep(SETTLE_MS);
  return toTimedPasses(readSamples(samples).slice(before)).filter(({ messages }) => messages > 1);
}

function buildSection(alone: readonly TimedPass[], together: readonly TimedPass[]): Section {
  const row = (count: number, passes: readonly TimedPass[]) => {
    const times = passes.map(({ hooksMs }) => hooksMs);
    return [String(count), String(passes.length), ms(median(times)), ms(quantile(times, 0.9))];
  };
  const ratio =
    median(together.map(({ hooksMs }) => hooksMs)) / median(alone.map(({ hooksMs }) => hooksMs));
  return {
    name: "sessions",
    title: "Sessions at once",
    body: [markdownTable(COLUMNS, [row(1, alone), row(MANY, together)]), METHOD].join("\n\n"),
    verdicts: [
      atMost(
        `p50 per pass with ${MANY} sessions at once at most ${LIMIT} times that of one`,
        ratio,
        LIMIT,
        `${ratio.toFixed(2)} times`,
      ),
    ],
  };
}
