// Recorded sessions of real models on the real Pi, stock and with the extension.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type RecordedSession,
  readRecorded,
  stepsOf,
  turnsOf,
} from "../../../../plugin/src/simulation/recorded.ts";
import { writeFiles } from "../../host/home.ts";
import { ROOMY_TOKENS } from "../../host/models.ts";
import { openPi, PI_MODELS } from "../../pi/pi.ts";
import { buildExtension } from "../../pi/scenario.ts";
import type { Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import type { BenchRequest } from "../arguments.ts";
import { startFrugalProvider } from "../history/frugal-provider.ts";
import { HISTORY_ON } from "../history/sides.ts";
import { RecordedModel, type Replayed } from "../real/replay.ts";
import { FILE, USUAL } from "../real/section.ts";
import { mean, total } from "../real/sums.ts";
import { atMost, type Section } from "../section.ts";

const TOOLS = join(import.meta.dir, "../../../fixtures/pi/recorded-tools.js");
const LIMIT = 0.45;

const COLUMNS: readonly Column[] = [
  { title: "session", align: "left" },
  { title: "made with", align: "left" },
  ...["steps", "stock Pi's bill", "bill", "÷ stock Pi", "asked again per 100 steps"].map(
    (title): Column => ({ title, align: "right" }),
  ),
];

const METHOD =
  "The sessions of the section on recorded sessions, replayed the same way on the real Pi in a window of 200,000 tokens, by a model without system messages in mid-conversation: words made up to size, the record's clock, tools that give the recorded results, and a model that asks again for what a step uses and the request no longer holds. Pi's cache warming and summaries by a model are off.";

interface Pair {
  readonly recorded: RecordedSession;
  readonly stock: Replayed;
  readonly ours: Replayed;
}

/** Null: there are no records. */
export async function measureRecordedOnPi(
  progress: Progress,
  { traces, recorded: wanted }: BenchRequest,
): Promise<Section | null> {
  const file = join(traces, FILE);
  if (!existsSync(file)) return null;
  const names = wanted.length > 0 ? wanted : USUAL;
  const chosen = readRecorded(readFileSync(file, "utf8")).filter(
    ({ session }) => names.includes("all") || names.includes(session),
  );
  const extension = buildExtension();
  const pairs: Pair[] = [];
  for (const recorded of chosen) {
    const [stock, ours] = [await replayed(recorded, []), await replayed(recorded, [extension])];
    pairs.push({ recorded, stock, ours });
    const line = `pi-recorded ${pairs.length}/${chosen.length} ${recorded.session}`;
    progress.update(line, line);
  }
  const share = mean(pairs.map(shareOf));
  return {
    name: "pi-recorded",
    title: "Pi: recorded sessions of real models",
    body: [markdownTable(COLUMNS, pairs.map(rowOf)), METHOD].join("\n\n"),
    verdicts: [
      atMost(`bill ÷ stock Pi, mean: at most ${LIMIT}`, share, LIMIT, share.toFixed(3)),
      atMost(
        "no call beyond the window",
        total(pairs.map(({ ours }) => ours.tooLong)),
        0,
        String(total(pairs.map(({ ours }) => ours.tooLong))),
      ),
    ],
  };
}

async function replayed(
  recorded: RecordedSession,
  extensions: readonly string[],
): Promise<Replayed> {
  const folder = mkdtempSync(join(tmpdir(), "recorded-"));
  const scripted = new RecordedModel(recorded, folder);
  const provider = await startFrugalProvider({
    respond: (heard) => scripted.respond(heard),
    windowTokens: ROOMY_TOKENS,
    clock: () => scripted.nowMs,
  });
  const pi = await openPi({
    extensions: [TOOLS, ...extensions],
    providerUrl: provider.url,
    env: { RECORDED_FOLDER: folder },
    settings: { cacheWarming: "off" },
  });
  const config = { "opencode/session-runtime.json": JSON.stringify(HISTORY_ON) };
  writeFiles(join(pi.root, "config"), config);
  const running = pi.start([], PI_MODELS.plain);
  try {
    for (const [number, turn] of turnsOf(recorded).entries()) {
      await running.say(scripted.begin(turn, number));
    }
    if (provider.rejections.length > 0) throw new Error(`Refused: ${provider.rejections[0]}`);
    const { extraCalls, askedAgain } = scripted;
    return { calls: provider.notes, extraCalls, askedAgain, tooLong: provider.tooLong.length };
  } finally {
    await pi.close();
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function billOf({ calls }: Replayed): number {
  return total(calls.map(({ bill }) => bill));
}

function shareOf({ ours, stock }: Pair): number {
  return billOf(ours) / billOf(stock);
}

function rowOf(pair: Pair): readonly string[] {
  const { recorded, stock, ours } = pair;
  const steps = stepsOf(recorded).length;
  const whole = (value: number) => Math.round(value).toLocaleString("en-US");
  return [
    recorded.session,
    recorded.harness,
    String(steps),
    whole(billOf(stock)),
    whole(billOf(ours)),
    shareOf(pair).toFixed(3),
    ((100 * ours.askedAgain) / steps).toFixed(1),
  ];
}
