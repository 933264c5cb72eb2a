// The plugin's time per model call, at several lengths of session.

import { PLUGIN } from "../demo/play.ts";
import { type Host, STOCK, startHost } from "../host/host.ts";
import { PROJECT } from "../scenario/catalogue.ts";
import { gauge, type Progress } from "../terminal/progress.ts";
import { type Column, markdownTable } from "../terminal/table.ts";
import { median, ms, quantile } from "./figures.ts";
import { LEDGER_ALONE } from "./ledger-alone.ts";
import { importLongSession } from "./long-session.ts";
import { type MuteProvider, startMuteProvider } from "./mute-provider.ts";
import {
  newSampleFile,
  readSamples,
  type TimedPass,
  timedPluginWith,
  toTimedPasses,
} from "./samples.ts";
import { atMost, type Section } from "./section.ts";

/**
 * A short session grows too much by what it is measured with: there copies run one turn each. A long
 * one runs all turns itself, as the host takes a minute to copy three thousand messages.
 */
interface Load {
  readonly messages: number;
  readonly copies: number;
  /** Of each copy; of the session itself where there are none. */
  readonly turns: number;
  /** Of the session itself, before anything counts: a new process compiles what it runs in its first 200 calls. */
  readonly warmUpTurns: number;
}

const LOADS: readonly Load[] = [
  { messages: 50, copies: 6, turns: 1, warmUpTurns: 5 },
  { messages: 300, copies: 6, turns: 1, warmUpTurns: 5 },
  { messages: 1_000, copies: 0, turns: 6, warmUpTurns: 1 },
  { messages: 3_000, copies: 0, turns: 3, warmUpTurns: 1 },
];

const WARM_UPS = LOADS.map(
  ({ messages, warmUpTurns }) => `${warmUpTurns} at ${messages} messages`,
).join(", ");

/** Tool calls of a turn: each is a model call of its own. */
const STEPS = 30;
const RESTARTS = 5;
/** The plugin writes a call down some 30 ms after its send. */
const SETTLE_MS = 500;

const COLUMNS: readonly Column[] = [
  { title: "messages", align: "right" },
  { title: "passes", align: "right" },
  { title: "p50", align: "right" },
  { title: "p99", align: "right" },
  { title: "first ever, new process", align: "right" },
  { title: "first after a restart", align: "right" },
  { title: "after the send, p50", align: "right" },
  { title: "after the send, p99", align: "right" },
];

const METHOD = [
  "History, recall, memory and the historian are off: with history on, see the passes with folded history; memory has its own rows.",
  "This is the plugin's own time per model call: `messages.transform` and `system.transform` together, in wall-clock time, measured inside the host by a wrapper (fixtures/timed-plugin.js). Work after the send is listed separately. A hook's time ends when it returns a finished result: what the host runs before it continues is the host's time.",
  "The sessions are loaded with the host's own `import`. A message is about 2 kB, and each pass adds one, so the first column gives the smallest size.",
  `p50 and p99 are over passes in which nothing has changed. A new process's first turns of ${STEPS} calls (${WARM_UPS}) are left out as warm-up, as is the first pass of each copy of the session, which opens its epoch. Listed separately are a session's very first pass in a new process, and the first pass of a known session after a restart (median of ${RESTARTS}).`,
].join(" ");

interface PassTimes {
  readonly load: Load;
  readonly steady: readonly TimedPass[];
  readonly firstEver: TimedPass | undefined;
  readonly restarted: readonly TimedPass[];
}

/** The plugin's time at sessions of several lengths. */
export async function measurePasses(progress: Progress): Promise<Section> {
  const measured: PassTimes[] = [];
  for (const [index, load] of LOADS.entries()) {
    const tell = (what: string) =>
      progress.update(
        `pass ${gauge(index, LOADS.length)} ${load.messages} messages, ${what}`,
        `pass ${load.messages} messages, ${what}`,
      );
    measured.push(await measureLoad(load, tell));
  }
  return {
    name: "pass",
    title: "Time per pass",
    body: [markdownTable(COLUMNS, measured.map(row)), METHOD].join("\n\n"),
    verdicts: [
      limit(measured, 300, 1),
      limit(measured, 1_000, 4),
      ...measured.slice(-1).map(firstAfterRestart),
    ],
  };
}

async function measureLoad(load: Load, tell: (what: string) => void): Promise<PassTimes> {
  const provider = await startMuteProvider(() => 0);
  const samples = newSampleFile();
  const host = await startHost({
    ...STOCK,
    files: PROJECT,
    providerUrl: provider.url,
    config: { compaction: { auto: false } },
    plugin: [timedPluginWith(LEDGER_ALONE, PLUGIN, samples)],
  });
  try {
    return await playLoad({ host, provider, samples, load, tell });
  } finally {
    await host.stop();
    await provider.stop();
  }
}

interface Play {
  readonly host: Host;
  readonly provider: MuteProvider;
  readonly samples: string;
  readonly load: Load;
  readonly tell: (what: string) => void;
}

async function playLoad({ host, provider, samples, load, tell }: Play): Promise<PassTimes> {
  tell("import");
  const original = await importLongSession(host, load.messages);
  const sessions = load.copies > 0 ? await forkSession(host, original, load.copies) : [original];
  tell("warm-up");
  const [firstEver] = await turn(original, STEPS);
  for (let number = 2; number <= load.warmUpTurns; number += 1) await turn(original, STEPS);
  const steady: TimedPass[] = [];
  for (const [index, session] of sessions.entries()) {
    for (let number = 1; number <= load.turns; number += 1) {
      tell(`turn ${index * load.turns + number} of ${sessions.length * load.turns}`);
      const passes = await turn(session, STEPS);
      steady.push(...(session === original ? passes : passes.slice(1)));
    }
  }
  const restarted: TimedPass[] = [];
  for (let restart = 1; restart <= RESTARTS; restart += 1) {
    tell(`restart ${restart} of ${RESTARTS}`);
    await host.restart({});
    restarted.push(...(await turn(original, 0)).slice(0, 1));
  }
  return { load, steady, firstEver, restarted };

  async function turn(session: string, steps: number): Promise<readonly TimedPass[]> {
    const before = readSamples(samples).length;
    provider.nextTurn(Array.from({ length: steps }, (_, step) => readCall(host.project, step)));
    const running = await host.client.promptAsync(session, "Look at all parts", { agent: "build" });
    await running.settled;
    await Bun.sleep(SETTLE_MS);
    return toTimedPasses(readSamples(samples).slice(before));
  }
}

async function forkSession(host: Host, session: string, count: number): Promise<readonly string[]> {
  const copies: string[] = [];
  while (copies.length < count) copies.push((await host.client.fork(session)).id);
  return copies;
}

function readCall(project: string, step: number) {
  return {
    name: "read",
    input: { filePath: `${project}/src/part${(step % 14) + 1}.ts`, limit: 5 },
  };
}

function row({ load, steady, firstEver, restarted }: PassTimes): readonly string[] {
  const hooks = (passes: readonly TimedPass[]) => passes.map(({ hooksMs }) => hooksMs);
  const after = steady.map(({ afterMs }) => afterMs);
  return [
    load.messages.toLocaleString("en-US"),
    String(steady.length),
    ms(median(hooks(steady))),
    ms(quantile(hooks(steady), 0.99)),
    ms(firstEver?.hooksMs ?? Number.NaN),
    ms(median(hooks(restarted))),
    ms(median(after)),
    ms(quantile(after, 0.99)),
  ];
}

function limit(measured: readonly PassTimes[], messages: number, limitMs: number) {
  const found = measured.find(({ load }) => load.messages === messages);
  const p50 = median(found?.steady.map(({ hooksMs }) => hooksMs) ?? []);
  return atMost(
    `p50 per pass at ${messages} messages at most ${limitMs} ms`,
    p50,
    limitMs,
    ms(p50),
  );
}

/** The peers' slow first pass takes up to 40 s; ours is a load of the ledger and one decision. */
const SLOW_MS = 500;

function firstAfterRestart({ load, restarted }: PassTimes) {
  const worst = Math.max(...restarted.map(({ hooksMs }) => hooksMs));
  return atMost(
    `no slow first pass: at ${load.messages} messages the slowest after a restart at most ${SLOW_MS} ms`,
    worst,
    SLOW_MS,
    ms(worst),
  );
}
