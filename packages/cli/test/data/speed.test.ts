import { expect, setDefaultTimeout, test } from "bun:test";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { epochRecord, turnRecord } from "../../../plugin/test/storage/records.ts";
import { bundledCli } from "../command-line.ts";
import { type DataFolder, DataFolders, first } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

const TURNS = { many: 10_000, few: 100 };
const UPDATE_EVERY = 25;
/** As many pairs as show it on a machine that others leave alone, and as are tried on a busy one. */
const RUNS = { least: 3, most: 30 };

/**
 * How much more the command may compute for many turns than for few; both of its processes taken together, where
 * this Node has no SQLite, and the least of each: what else runs on the machine only adds to it. Measured: 1.3
 * times. Most is the start of the processes, and loading what each feature says in the report.
 */
const LIMIT = 2;

/** One session with an epoch at every 500th call and an update at every 25th. */
function storeSession(folder: DataFolder, turnCount: number): void {
  const { ledger, turns } = folder.open();
  const text = "Rules. ".repeat(300);
  let seq = 0;
  let epochSeq = 0;
  for (let index = 0; index < turnCount; index += 1) {
    const sentAtMs = 1_700_000_000_000 + index * 20_000;
    if (index % 500 === 0) {
      seq += 1;
      epochSeq = seq;
      const epoch = { ...epochRecord(seq, first), baseline: text.repeat(5), startedAtMs: sentAtMs };
      ledger.commit({ sessionId: first, expectedSeq: seq - 1, epoch, entries: [] });
    } else if (index % UPDATE_EVERY === 0) {
      seq += 1;
      const after = { messageId: `msg_${index}`, partId: null };
      const entry = {
        sessionId: first,
        seq,
        epochSeq,
        ...{ ...after, origin: "announce-update", endMessageId: null },
        edit: { verb: "insert", after, text } as const,
        announced: [],
        delta: {},
        decidedAtMs: sentAtMs,
      };
      ledger.commit({ sessionId: first, expectedSeq: seq - 1, epoch: null, entries: [entry] });
    }
    turns.append({ ...turnRecord(sentAtMs, epochSeq, first), bust: index % 99 ? null : "tools" });
  }
}

/** Milliseconds that a command computes, with all that it starts. */
async function measureCost(command: readonly string[], folder: DataFolder): Promise<number> {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? "", HOME: folder.home, OPENCODE_BIN: hostBinary() },
    cwd: folder.home,
    stdout: "ignore",
    stderr: "pipe",
  });
  expect(await child.exited).toBe(0);
  return Number(child.resourceUsage()?.cpuTime.total) / 1_000;
}

test(`status on a database of ${TURNS.many} turns computes less than ${LIMIT} times what it does on one of ${TURNS.few}`, async () => {
  const [large, small] = [folders.make(), folders.make()];
  storeSession(large, TURNS.many);
  storeSession(small, TURNS.few);
  const status = ["node", bundledCli(), "status", first];
  const least = { large: Number.POSITIVE_INFINITY, small: Number.POSITIVE_INFINITY };
  const ratio = () => least.large / least.small;
  // In turns, as a machine is busier at one time than at another.
  for (let run = 0; run < RUNS.most; run += 1) {
    if (run >= RUNS.least && ratio() < LIMIT) break;
    least.large = Math.min(least.large, await measureCost(status, large));
    least.small = Math.min(least.small, await measureCost(status, small));
  }
  console.log(
    `status: ${least.large.toFixed(0)} ms of computing for ${TURNS.many} turns, ${least.small.toFixed(0)} for ${TURNS.few}`,
  );
  expect(ratio()).toBeLessThan(LIMIT);
});
