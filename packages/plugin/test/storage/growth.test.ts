import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { processorNowMs } from "../processor-time.ts";
import { entryCommit, firstCommit, outcome, turnRecord, usage } from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();
const TURNS = 10_000;
const SPAN = 500;
const TIMEOUT_MS = 180_000;
const MAX_BYTES_PER_TURN = 700;

/** As long as the host's ids are. */
const session = "ses_5f1c0a7d2ffeQx8Zk3mB9rT1vL" as SessionId;

test(
  "K7: ten thousand turns: time per turn stays within threefold, bytes per turn within a bound; reading and removing them takes less than writing them",
  () => {
    const path = workspace.path();
    const begun = workspace.open(path);
    begun.ledger.commit(firstCommit(session));
    const elapsedMs: number[] = [];
    for (let turn = 1; turn <= TURNS; turn += 1) elapsedMs.push(timed(() => oneTurn(begun, turn)));
    const first = median(elapsedMs.slice(0, SPAN));
    const last = median(elapsedMs.slice(-SPAN));
    expect(last).toBeLessThan(first * 3);

    begun.close();
    const perTurn = Math.round(statSync(path).size / TURNS);
    console.log(
      `K7: ${us(first)} per turn at first, ${us(last)} at last, ${perTurn} bytes per turn`,
    );
    expect(perTurn).toBeLessThan(MAX_BYTES_PER_TURN);

    const database = workspace.open(path);
    const sentInMs = timed(() => database.turns.sentMessageIds(session, 1));
    expect(database.turns.sentMessageIds(session, 1).size).toBe(2 * TURNS);
    console.log(`K7: ${us(sentInMs)} for the ${2 * TURNS} message ids sent by ${TURNS} turns`);
    const removedInMs = timed(() => database.sessions.remove(session));
    console.log(`K7: ${us(removedInMs)} to remove them all`);
    // What is linear takes a fraction of it.
    const writtenInMs = elapsedMs.reduce((sum, one) => sum + one, 0);
    expect(sentInMs).toBeLessThan(writtenInMs);
    expect(removedInMs).toBeLessThan(writtenInMs);
  },
  TIMEOUT_MS,
);

/** All that storage does in a turn without news. */
function oneTurn({ foreignVersion, turns }: RuntimeDatabase, turn: number): void {
  foreignVersion();
  turns.append(turnRecord(1_750_000_000_000 + turn, 1, session));
  turns.settle(session, outcome(1_750_000_000_000 + turn, usage, null));
  turns.recent(session, 1);
}

test("K7: a commit costs the same at the thousandth entry as at the first", () => {
  const { ledger } = workspace.open(workspace.path());
  ledger.commit(firstCommit(session));
  const elapsedMs: number[] = [];
  for (let seq = 1; seq <= 1_000; seq += 1) {
    const commit = entryCommit(seq, session);
    elapsedMs.push(timed(() => ledger.commit(commit)));
  }
  const first = median(elapsedMs.slice(0, 100));
  const last = median(elapsedMs.slice(-100));
  console.log(`K7: ${us(first)} per commit at first, ${us(last)} at last`);
  expect(last).toBeLessThan(first * 3);
});

function timed(body: () => unknown): number {
  const startedAtMs = processorNowMs();
  body();
  return processorNowMs() - startedAtMs;
}

/** The median, as a busy machine's pauses say nothing of us. */
function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}

function us(ms: number): string {
  return `${Math.round(ms * 1_000)} µs`;
}
