// Recorded sessions of real models on the real Pi, stock and with the extension.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  listTurns,
  type RecordedSession,
  readRecorded,
} from "../../../../cli/src/simulation/recorded.ts";
import { writeFiles } from "../../host/home.ts";
import { ROOMY_TOKENS } from "../../host/models.ts";
import { openPi, PI_MODELS } from "../../pi/pi.ts";
import { buildExtension } from "../../pi/scenario.ts";
import type { Progress } from "../../terminal/progress.ts";
import type { BenchRequest } from "../arguments.ts";
import { startFrugalProvider } from "../history/frugal-provider.ts";
import { HISTORY_ON } from "../history/sides.ts";
import { RecordedModel } from "../real/replay.ts";
import { FILE } from "../real/section.ts";
import { total } from "../real/sums.ts";
import type { Section } from "../section.ts";
import {
  buildSection,
  type Figures,
  formatRow,
  groupSessions,
  type Pair,
} from "./recorded-section.ts";

const TOOLS = join(import.meta.dir, "../../../fixtures/pi/recorded-tools.js");

/** Null: there are no records. */
export async function measureRecordedOnPi(
  progress: Progress,
  { traces, recorded: wanted }: BenchRequest,
): Promise<Section | null> {
  const file = join(traces, FILE);
  if (!existsSync(file)) return null;
  const all = readRecorded(readFileSync(file, "utf8"));
  const groups = groupSessions(all, wanted);
  const chosen = all.filter((one) => groups.some(({ sessions }) => sessions.includes(one)));
  const extension = buildExtension();
  const pairs: Pair[] = [];
  for (const recorded of chosen) {
    const [stock, ours] = [await replayed(recorded, []), await replayed(recorded, [extension])];
    const pair = { recorded, stock, ours };
    pairs.push(pair);
    const line = `pi-recorded ${pairs.length}/${chosen.length} ${formatRow(pair).join(" ")}`;
    progress.update(line, line);
  }
  return buildSection(groups, pairs);
}

async function replayed(
  recorded: RecordedSession,
  extensions: readonly string[],
): Promise<Figures> {
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
    for (const [number, turn] of listTurns(recorded).entries()) {
      await running.say(scripted.begin(turn, number));
    }
    const warned = running.events.find(({ notifyType }) => notifyType === "warning");
    if (warned) throw new Error(`The extension warned: ${String(warned.message)}`);
    if (provider.rejections.length > 0) throw new Error(`Refused: ${provider.rejections[0]}`);
    const bill = total(provider.notes.map((call) => call.bill));
    return { bill, askedAgain: scripted.askedAgain, tooLong: provider.tooLong.length };
  } finally {
    await pi.close();
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
