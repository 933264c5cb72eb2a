import { expect, setDefaultTimeout, test } from "bun:test";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { epochRecord, turnRecord } from "../../../plugin/test/storage/records.ts";
import { bundledCli } from "../command-line.ts";
import { type DataFolder, DataFolders, first } from "./data-folder.ts";

setDefaultTimeout(180_000);
const folders = new DataFolders();

const TURNS = 10_000;
const UPDATE_EVERY = 25;
const RUNS = 7;

/**
 * What the two processes may compute, beyond Node's own start: measured, some 100 ms, and 170 beside fifteen busy processes. Wall
 * time says more of what else the machine does than of the command.
 */
const CPU_LIMIT_MS = 300;

/** One session of 10,000 calls, twenty epochs and an update at every 25th call. */
function storeLongSession(folder: DataFolder): void {
  const { ledger, turns } = folder.open();
  const text = "Rules. ".repeat(300);
  let seq = 0;
  let epochSeq = 0;
  for (let index = 0; index < TURNS; index += 1) {
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
        ...after,
        edit: { verb: "insert", after, text } as const,
        told: [],
        delta: {},
        decidedAtMs: sentAtMs,
      };
      ledger.commit({ sessionId: first, expectedSeq: seq - 1, epoch: null, entries: [entry] });
    }
    turns.append({ ...turnRecord(sentAtMs, epochSeq, first), bust: index % 99 ? null : "tools" });
  }
}

/** Computing time of a command with all that it started, and how long it took: the least of some runs. */
async function measured(command: readonly string[], folder: DataFolder) {
  const cpuMs: number[] = [];
  const wallMs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const began = performance.now();
    const child = Bun.spawn([...command], {
      env: { PATH: process.env.PATH ?? "", HOME: folder.home, OPENCODE_BIN: hostBinary() },
      cwd: folder.home,
      stdout: "ignore",
      stderr: "pipe",
    });
    expect(await child.exited).toBe(0);
    wallMs.push(performance.now() - began);
    cpuMs.push(Number(child.resourceUsage()?.cpuTime.total) / 1_000);
  }
  return { cpuMs: Math.min(...cpuMs), wallMs: Math.min(...wallMs) };
}

test(`status on a database of ${TURNS} turns computes for less than ${CPU_LIMIT_MS} ms`, async () => {
  const folder = folders.make();
  storeLongSession(folder);
  const node = await measured(["node", "-e", "0"], folder);
  const status = await measured(["node", bundledCli(), "status", first], folder);
  console.log(
    `status: ${status.cpuMs.toFixed(0)} ms computing, ${status.wallMs.toFixed(0)} ms in all; Node alone ${node.cpuMs.toFixed(0)} and ${node.wallMs.toFixed(0)}`,
  );
  expect(status.cpuMs - node.cpuMs).toBeLessThan(CPU_LIMIT_MS);
});
