// How long the host takes to start, with and without the plugin.
import { join } from "node:path";
import { PLUGIN } from "../demo/play.ts";
import { type Host, STOCK, startHost } from "../host/host.ts";
import { startProvider } from "../provider/server.ts";
import { gauge, type Progress } from "../terminal/progress.ts";
import { type Column, markdownTable } from "../terminal/table.ts";
import { median, ms, quantile } from "./figures.ts";
import { newSampleFile, readSamples, type Sample, timedPlugin } from "./samples.ts";
import { atMost, type Section } from "./section.ts";

const ROOT = join(import.meta.dir, "../../../..");
const BUILT = join(ROOT, "packages/plugin/dist/index.js");
const EMPTY = join(import.meta.dir, "../../fixtures/empty-plugin.js");

const STARTS = 20;
const LIMIT_MS = 60;

interface Variant {
  readonly name: string;
  /** Module of the plugin; null for the host alone. */
  readonly entry: string | null;
}

const STOCK_HOST: Variant = { name: "no plugin", entry: null };
const BUILT_PLUGIN: Variant = { name: "the plugin as published (built)", entry: BUILT };
const VARIANTS: readonly Variant[] = [
  STOCK_HOST,
  { name: "an empty plugin", entry: EMPTY },
  BUILT_PLUGIN,
  { name: "the plugin from its source", entry: PLUGIN },
];

const COLUMNS: readonly Column[] = [
  { title: "host with", align: "left" },
  { title: "import", align: "right" },
  { title: "import + init, p50", align: "right" },
  { title: "least", align: "right" },
  { title: "most", align: "right" },
  { title: "CPU, p50", align: "right" },
  { title: "loaded after it", align: "right" },
  { title: "host: to listening", align: "right" },
  { title: "host: to the first session", align: "right" },
];

const METHOD = [
  `Medians of ${STARTS} starts of each, after one for warm-up. The starts take turns, so that a change in the machine's load affects all alike.`,
  "Import and initialisation are measured inside the host by a wrapper (fixtures/timed-plugin.js): in wall-clock time, while the host starts its other parts, and as the process's CPU time meanwhile.",
  '"Loaded after it" is what the plugin loads once the host has started: from the config hook until its hooks are ready. Only a session that already exists waits for that.',
  "The first session is the first one created over HTTP; the host doesn't load plugins before.",
].join(" ");

interface StartTimes {
  readonly listeningMs: number;
  readonly sessionMs: number;
}

interface Stand {
  readonly variant: Variant;
  readonly host: Host;
  readonly samples: string;
  readonly starts: StartTimes[];
}

export async function measureStarts(progress: Progress): Promise<Section> {
  const build = Bun.spawnSync(["node", join(ROOT, "scripts/build.mjs")], { cwd: ROOT });
  if (!build.success) throw new Error(`The plugin could not be built:\n${build.stderr.toString()}`);
  const provider = await startProvider();
  const stands: Stand[] = [];
  try {
    for (const variant of VARIANTS) stands.push(await openStand(variant, provider.url));
    for (let round = 0; round <= STARTS; round += 1) {
      progress.update(`start ${gauge(round, STARTS)}`, `start ${round}/${STARTS}`);
      for (const stand of stands) {
        const started = await startOnce(stand);
        if (round > 0) stand.starts.push(started);
      }
    }
  } finally {
    for (const { host } of stands) await host.stop();
    await provider.stop();
  }
  return {
    name: "start",
    title: "Start-up",
    body: [markdownTable(COLUMNS, stands.map(row)), METHOD].join("\n\n"),
    verdicts: stands.filter(({ variant }) => variant === BUILT_PLUGIN).map(verdict),
  };
}

async function openStand(variant: Variant, providerUrl: string): Promise<Stand> {
  const samples = newSampleFile();
  const plugin = variant.entry === null ? [] : [timedPlugin(variant.entry, samples)];
  const host = await startHost({ ...STOCK, plugin, providerUrl });
  await host.kill9();
  return { variant, host, samples, starts: [] };
}

async function startOnce(stand: Stand): Promise<StartTimes> {
  const { host, variant } = stand;
  const loadedBefore = readSpanSamples(stand, "loaded").length;
  const begunAt = performance.now();
  await host.start({});
  const listeningMs = performance.now() - begunAt;
  await host.client.createSession();
  const sessionMs = performance.now() - begunAt;
  if (variant.entry !== null) await waitForLoaded(stand, loadedBefore);
  await host.kill9();
  return { listeningMs, sessionMs };
}

/** The wrapper writes its samples when all of the plugin is loaded, which may be after the first session. */
async function waitForLoaded(stand: Stand, before: number): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    if (readSpanSamples(stand, "loaded").length > before) return;
    await Bun.sleep(POLL_MS);
  }
  throw new Error(
    `${stand.variant.name}: the host did not load it. Its log:\n${stand.host.logs()}`,
  );
}

const POLL_MS = 20;
const MAX_POLLS = 1500;

function readSpanSamples<Span extends Sample["span"]>({ samples }: Stand, span: Span) {
  return readSamples(samples).filter(
    (sample): sample is Extract<Sample, { span: Span }> => sample.span === span,
  );
}

/** Those of the counted starts. */
function countedSamples<Span extends Sample["span"]>(stand: Stand, span: Span) {
  return readSpanSamples(stand, span).slice(-STARTS);
}

function row(stand: Stand): readonly string[] {
  const inside = countedSamples(stand, "start");
  const whole = inside.map((sample) => sample.ms);
  const plugin =
    stand.variant.entry === null
      ? ["", "", "", "", "", ""]
      : [
          ms(median(inside.map(({ importMs }) => importMs))),
          ms(median(whole)),
          ms(Math.min(...whole)),
          ms(quantile(whole, 1)),
          ms(median(inside.map(({ cpuMs }) => cpuMs))),
          ms(median(countedSamples(stand, "loaded").map((sample) => sample.ms))),
        ];
  return [
    stand.variant.name,
    ...plugin,
    ms(median(stand.starts.map(({ listeningMs }) => listeningMs))),
    ms(median(stand.starts.map(({ sessionMs }) => sessionMs))),
  ];
}

function verdict(stand: Stand) {
  const p50 = median(countedSamples(stand, "start").map((sample) => sample.ms));
  return atMost(
    `import and initialisation of the built plugin in the host under ${LIMIT_MS} ms, median of ${STARTS} starts`,
    p50,
    LIMIT_MS,
    ms(p50),
  );
}
