// The plugin's time per call in sessions whose history is folded.
import { PLUGIN } from "../../demo/play.ts";
import { type Host, STOCK, startHost } from "../../host/host.ts";
import { PROJECT } from "../../scenario/catalogue.ts";
import { gauge, type Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import { median, ms, quantile } from "../figures.ts";
import { importLongSession } from "../long-session.ts";
import { type MuteProvider, startMuteProvider } from "../mute-provider.ts";
import {
  newSampleFile,
  readSamples,
  type TimedPass,
  timedPluginWith,
  toTimedPasses,
} from "../samples.ts";
import { atMost, type Section } from "../section.ts";
import { readRewrites } from "./read-rewrites.ts";
import { HISTORY_ON } from "./sides.ts";

interface Load {
  /** The host's, before the session's first call here. */
  readonly messages: number;
  /** Each takes one turn; those of a new process's warm-up come first and don't count. */
  readonly sessions: number;
  readonly warmUps: number;
  readonly limitMs: number;
}

const LOADS: readonly Load[] = [
  { messages: 300, sessions: 4, warmUps: 4, limitMs: 1.5 },
  { messages: 1_000, sessions: 3, warmUps: 3, limitMs: 3 },
  { messages: 5_000, sessions: 2, warmUps: 2, limitMs: 8 },
];

const STEPS = 30;
/** The plugin writes a call down some 30 ms after its send. */
const SETTLE_MS = 500;

const COLUMNS: readonly Column[] = [
  { title: "messages", align: "right" },
  { title: "of them folded", align: "right" },
  { title: "passes", align: "right" },
  { title: "p50", align: "right" },
  { title: "p90", align: "right" },
  { title: "p99", align: "right" },
  { title: "the fold's own pass", align: "right" },
  { title: "after the send, p50", align: "right" },
];

const METHOD = `Sessions of about 2 kB a message, put into the host by its own \`import\`: the first call finds a dead cache and folds them. Then each takes a turn of ${STEPS} calls, every pass of which counts, rewrites too. Time is that of both hooks, in wall-clock time inside the host (fixtures/timed-plugin.js). As many sessions go before, so that what runs is compiled.`;

interface MeasuredPasses {
  readonly load: Load;
  readonly foldedMessages: number;
  readonly passes: readonly TimedPass[];
  readonly firsts: readonly TimedPass[];
}

export async function measureFoldedPasses(progress: Progress): Promise<Section> {
  const measured: MeasuredPasses[] = [];
  for (const load of LOADS) measured.push(await measureLoad(load, progress));
  return {
    name: "history-pass",
    title: "Time per pass with folded history",
    body: [markdownTable(COLUMNS, measured.map(row)), METHOD].join("\n\n"),
    verdicts: measured.map(({ load: { messages, limitMs }, passes }) => {
      const p50 = median(passes.map(({ hooksMs }) => hooksMs));
      return atMost(`p50 at ${messages} messages at most ${limitMs} ms`, p50, limitMs, ms(p50));
    }),
  };
}

async function measureLoad(load: Load, progress: Progress): Promise<MeasuredPasses> {
  const provider = await startMuteProvider(() => 0);
  const samples = newSampleFile();
  const host = await startHost({
    ...STOCK,
    files: PROJECT,
    providerUrl: provider.url,
    config: { compaction: { auto: false }, snapshot: false },
    plugin: [timedPluginWith(HISTORY_ON, PLUGIN, samples)],
  });
  try {
    const firsts: TimedPass[] = [];
    const passes: TimedPass[] = [];
    let foldedMessages = 0;
    const total = load.warmUps + load.sessions;
    for (let number = 1; number <= total; number += 1) {
      const what = `history-pass, ${load.messages} messages: session ${number} of ${total}`;
      progress.update(`${gauge(number, total)} ${what}`, what);
      const session = await importLongSession(host, load.messages);
      const [first, ...rest] = await turn({ host, provider, samples }, session);
      if (number <= load.warmUps) continue;
      if (first) firsts.push(first);
      passes.push(...rest);
      const rewrites = await readRewrites(host.home.database, session);
      foldedMessages = rewrites.at(-1)?.foldedMessages ?? 0;
    }
    return { load, foldedMessages, passes, firsts };
  } finally {
    await host.stop();
    await provider.stop();
  }
}

interface Stand {
  readonly host: Host;
  readonly provider: MuteProvider;
  readonly samples: string;
}

async function turn(stand: Stand, session: string): Promise<readonly TimedPass[]> {
  const { host, provider, samples } = stand;
  const before = readSamples(samples).length;
  provider.nextTurn(
    Array.from({ length: STEPS }, (_, step) => ({
      name: "read",
      input: { filePath: `${host.project}/src/part${(step % 14) + 1}.ts`, limit: 5 },
    })),
  );
  const running = await host.client.promptAsync(session, "Look at all parts", { agent: "build" });
  await running.settled;
  await Bun.sleep(SETTLE_MS);
  return toTimedPasses(readSamples(samples).slice(before));
}

function row({ load, foldedMessages, passes, firsts }: MeasuredPasses): readonly string[] {
  const hooks = passes.map(({ hooksMs }) => hooksMs);
  return [
    load.messages.toLocaleString("en-US"),
    foldedMessages.toLocaleString("en-US"),
    String(passes.length),
    ms(median(hooks)),
    ms(quantile(hooks, 0.9)),
    ms(quantile(hooks, 0.99)),
    ms(median(firsts.map(({ hooksMs }) => hooksMs))),
    ms(median(passes.map(({ afterMs }) => afterMs))),
  ];
}
