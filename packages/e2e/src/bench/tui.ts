// What the terminal UI's sidebar costs.
import { join } from "node:path";
import { makeClient } from "../client/client.ts";
import { PLUGIN } from "../demo/play.ts";
import { type Host, STOCK, startHost } from "../host/host.ts";
import { openTerminalUi } from "../host/terminal-ui.ts";
import { after, say } from "../provider/reply.ts";
import { type MockProvider, startProvider } from "../provider/server.ts";
import { gauge, type Progress } from "../terminal/progress.ts";
import { type Column, markdownTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/tmux.ts";
import { median, ms, quantile } from "./figures.ts";
import { freePort } from "./free-port.ts";
import { newSampleFile, readLines } from "./samples.ts";
import { atMost, type Section } from "./section.ts";

const TUI_PLUGIN = join(PLUGIN, "../tui.ts");

const PAIRS = 30;
const WARM_UP = 3;
/** What a quick provider takes to its first token; a turn without it would be no turn. */
const PROVIDER_MS = 500;
const UPDATE_LIMIT_MS = 5;
const DIFFERENCE_LIMIT = 0.02;

interface Variant {
  readonly name: string;
  readonly plugin: readonly string[];
}

const WITHOUT: Variant = { name: "without the sidebar", plugin: [] };
const WITH: Variant = { name: "with the sidebar", plugin: [TUI_PLUGIN] };

const COLUMNS: readonly Column[] = [
  { title: "terminal UI", align: "left" },
  { title: "turns", align: "right" },
  { title: "p50", align: "right" },
  { title: "p90", align: "right" },
  { title: "updates", align: "right" },
  { title: "per update, p50", align: "right" },
  { title: "per update, p95", align: "right" },
];

const METHOD = [
  `Two terminal UIs, 200 columns wide, each with its own server in its process and the plugin in it, take ${PAIRS} pairs of turns after ${WARM_UP} for warm-up; they take turns in going first. A turn lasts from a prompt over HTTP until its answer is complete; the provider takes ${PROVIDER_MS} ms.`,
  "An update is what the terminal UI's thread does with a status that has arrived (new state, lines, styled text), measured inside the host in wall-clock time. Layout and drawing are the host's work in its next frame; they show only in the turns.",
].join(" ");

/** A terminal UI that is driven over HTTP. */
interface Stand {
  readonly variant: Variant;
  readonly host: Host;
  readonly terminal: Terminal;
  readonly samples: string;
  readonly turnsMs: number[];
  turn(): Promise<void>;
}

export async function measureTui(progress: Progress): Promise<Section> {
  const provider = await startProvider();
  provider.script.respond("main", () => after(PROVIDER_MS, say("Done, as you asked.")));
  const stands: Stand[] = [];
  try {
    for (const variant of [WITHOUT, WITH]) stands.push(await openStand(variant, provider));
    for (let round = 0; round < WARM_UP + PAIRS; round += 1) {
      progress.update(`turns ${gauge(round, WARM_UP + PAIRS)}`, `turns ${round}`);
      for (const stand of round % 2 === 0 ? stands : stands.toReversed()) {
        const begunAt = performance.now();
        await stand.turn();
        if (round >= WARM_UP) stand.turnsMs.push(performance.now() - begunAt);
      }
    }
  } finally {
    for (const { terminal, host } of stands) {
      terminal.close();
      await host.stop();
    }
    await provider.stop();
  }
  return {
    name: "tui",
    title: "Terminal UI",
    body: [markdownTable(COLUMNS, stands.map(row)), METHOD].join("\n\n"),
    verdicts: verdicts(stands),
  };
}

async function openStand(variant: Variant, provider: MockProvider): Promise<Stand> {
  const host = await startHost({ ...STOCK, plugin: [PLUGIN], providerUrl: provider.url });
  const { id } = await host.client.createSession();
  await host.client.prompt(id, "Hello");
  await host.kill9();
  const port = await freePort();
  const samples = newSampleFile();
  const terminal = openTerminalUi(host, {
    plugin: variant.plugin,
    attachTo: null,
    args: ["--session", id, "--hostname", "127.0.0.1", "--port", String(port)],
    env: { SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_TUI: samples },
    columns: 200,
    rows: 40,
  });
  await terminal.waitFor(variant === WITH ? /Cache \d+%/ : "Context");
  const client = makeClient(() => `http://127.0.0.1:${port}`, host.project);
  const turn = async () => void (await client.prompt(id, "Go on"));
  return { variant, host, terminal, samples, turnsMs: [], turn };
}

interface UpdateSample {
  readonly what: string;
  readonly ms: number;
}

function readUpdateTimes({ samples }: Stand): readonly number[] {
  return readLines<UpdateSample>(samples).flatMap((sample) =>
    sample.what === "update" ? [sample.ms] : [],
  );
}

function row(stand: Stand): readonly string[] {
  const { variant, turnsMs } = stand;
  const updates = readUpdateTimes(stand);
  return [
    variant.name,
    String(turnsMs.length),
    ms(median(turnsMs)),
    ms(quantile(turnsMs, 0.9)),
    ...(updates.length === 0
      ? ["", "", ""]
      : [String(updates.length), ms(median(updates)), ms(quantile(updates, 0.95))]),
  ];
}

function verdicts(stands: readonly Stand[]) {
  const of = (variant: Variant) => stands.filter((stand) => stand.variant === variant);
  const update = median(of(WITH).flatMap(readUpdateTimes));
  const [without = Number.NaN] = of(WITHOUT).map(({ turnsMs }) => median(turnsMs));
  const [sidebar = Number.NaN] = of(WITH).map(({ turnsMs }) => median(turnsMs));
  const difference = sidebar / without - 1;
  return [
    atMost(`an update under ${UPDATE_LIMIT_MS} ms, median`, update, UPDATE_LIMIT_MS, ms(update)),
    atMost(
      `the median of ${PAIRS} turns differs by less than ${DIFFERENCE_LIMIT * 100} % with the sidebar`,
      Math.abs(difference),
      DIFFERENCE_LIMIT,
      `${(difference * 100).toFixed(1)} %`,
    ),
  ];
}
