import { describe, expect, test } from "bun:test";
import { SessionMemories, type SessionMemory, viewOf } from "../../src/session/memory.ts";
import type { SessionId } from "../../src/storage/records.ts";
import type { RuntimeDatabase } from "../../src/storage/store.ts";
import { entryCommit, epochRecord, firstCommit, session, turnRecord } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";

const workspace = new Workspace();

/** Sessions that a process holds; `made` counts their sources, `forgotten` names those let go. */
function memoriesOf(database: RuntimeDatabase) {
  const forgotten: string[] = [];
  let made = 0;
  const memories = new SessionMemories(
    () => database,
    () => ({ number: made++ }) as unknown as SessionMemory["sources"],
    (id) => forgotten.push(id),
  );
  return { memories, forgotten, sourcesOf: (memory: SessionMemory) => memory.sources as unknown };
}

/** A process's session, and the database of another process. */
function two() {
  const { path, database } = workspace.withEpoch();
  return { ...memoriesOf(database), other: workspace.open(path), database };
}

describe("how many sessions a process holds", () => {
  test("128: then the one that was not used for longest is forgotten, and said to be", () => {
    const { database } = workspace.withEpoch();
    const { memories, forgotten } = memoriesOf(database);
    const id = (index: number) => `ses_${index}` as SessionId;
    for (let index = 0; index < 128; index += 1) memories.of(id(index));
    const first = memories.of(id(0));
    expect(forgotten).toEqual([]);
    memories.of(id(128));
    expect(forgotten).toEqual([id(1)]);
    expect(memories.peek(id(1))).toBeNull();
    expect(memories.of(id(0))).toBe(first);
  });
});

describe("what another process has written", () => {
  test("of this session is taken up; a ledger of which nothing is new is not read again", () => {
    const { memories, other } = two();
    const memory = memories.of(session);
    const before = memory.ledger;
    other.ledger.commit(firstCommit("ses_two" as SessionId));
    memories.refresh(memory);
    expect(memory.ledger).toBe(before);
    other.ledger.commit(entryCommit(1));
    memories.refresh(memory);
    expect(memory.ledger.entries).toHaveLength(1);
  });

  test("as a turn: what the host has shown there, the sources of this process have not seen", () => {
    const { memories, other, sourcesOf } = two();
    const memory = memories.of(session);
    const before = sourcesOf(memory);
    other.ledger.commit(entryCommit(1));
    memories.refresh(memory);
    expect(sourcesOf(memory)).toBe(before);
    other.turns.append(turnRecord(5_000));
    memories.refresh(memory);
    expect(sourcesOf(memory)).not.toBe(before);
    expect(memory.lastTurn?.sentAtMs).toBe(5_000);
  });

  test("doesn't take back a turn that was sent here and whose row is on its way", () => {
    const { memories, other } = two();
    const memory = memories.of(session);
    const lastTurn = { epochSeq: 1, providerId: "p", modelId: "m", sentAtMs: 9_000 };
    const sent = { epochSeq: 1, ids: new Set(["u1"]), history: [] };
    Object.assign(memory, { lastTurn, sent });
    other.ledger.commit(entryCommit(1));
    memories.refresh(memory);
    expect([memory.lastTurn, memory.sent]).toEqual([lastTurn, sent]);
  });

  test("takes a turn back whose epoch is gone, or that the row on record is as new as", () => {
    const { memories, other } = two();
    const memory = memories.of(session);
    const turn = { epochSeq: 7, providerId: "p", modelId: "m", sentAtMs: 9_000 };
    memory.lastTurn = turn;
    other.ledger.commit(entryCommit(1));
    memories.refresh(memory);
    expect(memory.lastTurn).toBeNull();
    memory.lastTurn = { ...turn, epochSeq: 1, providerId: "here" };
    other.turns.append(turnRecord(9_000));
    other.ledger.commit(entryCommit(2));
    memories.refresh(memory);
    expect(memory.lastTurn?.providerId).toBe("anthropic");
  });
});

describe("which epoch a broken compaction leaves a session in", () => {
  const compaction = {
    info: { id: "u9", sessionID: session, role: "user" },
    parts: [{ type: "compaction" }],
  };
  const broken = [compaction] as never;

  function epochAfter(lastTurn: object | null): number | undefined {
    const { database } = workspace.withEpoch();
    database.ledger.commit({ ...firstCommit(), expectedSeq: 1, epoch: epochRecord(2) });
    const memory = memoriesOf(database).memories.of(session);
    Object.assign(memory, { lastTurn });
    const { location } = epochRecord(1);
    return viewOf(memory, location, { messages: broken, held: broken }).epoch?.seq;
  }

  test("the last turn's", () => {
    expect(epochAfter({ epochSeq: 1, sentAtMs: 5_000 })).toBe(1);
    expect(epochAfter({ epochSeq: 1, sentAtMs: epochRecord(2).startedAtMs })).toBe(1);
  });

  test("the newest one, where that is younger than the last turn on record: a crash took its turn's row", () => {
    expect(epochAfter({ epochSeq: 1, sentAtMs: epochRecord(2).startedAtMs - 1 })).toBe(2);
    expect(epochAfter(null)).toBe(2);
  });
});
