import { describe, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { hashText } from "../../src/context/canonical.ts";
import { classifyHead } from "../../src/session/history.ts";
import {
  pickHeldLedger,
  type SessionState,
  SessionStates,
} from "../../src/session/session-state.ts";
import { viewSession } from "../../src/session/view.ts";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import type { SessionId } from "../../src/storage/records.ts";
import {
  entryCommit,
  epochRecord,
  firstCommit,
  otherSession,
  session,
  turnRecord,
} from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";

const workspace = new Workspace();

/** Sessions that a process holds; `made` counts their sources, `forgotten` names those let go. */
function createMemories(database: RuntimeDatabase) {
  const forgotten: string[] = [];
  const damaged: (readonly string[])[] = [];
  let made = 0;
  const memories = new SessionStates(
    () => database,
    () => ({ number: made++ }) as unknown as SessionState["sources"],
    (id) => forgotten.push(id),
    (id, found) => damaged.push([id, ...found.map(({ message }) => message)]),
  );
  return {
    memories,
    forgotten,
    damaged,
    readSources: (memory: SessionState) => memory.sources as unknown,
  };
}

/** A process's session, and the database of another process. */
function two() {
  const { path, database } = workspace.withEpoch();
  return { ...createMemories(database), other: workspace.open(path), database };
}

describe("what an epoch's calls have sent", () => {
  test("is read by ids; in which order this process's newest call had them is not known", () => {
    const { database } = workspace.withEpoch();
    database.turns.append(turnRecord(5_000));
    const { memories } = createMemories(database);
    const memory = memories.getOrCreate(session);
    memory.sent = { epochSeq: 7, ids: new Set(), history: ["m"] };
    const sent = memories.ensureSentMessages(memory, 1);
    expect(sent).toEqual({
      epochSeq: 1,
      ids: new Set(["msg_5000_user", "msg_5000_assistant"]),
      history: [],
    });
    expect(memory.sent).toBe(sent);
    expect(memories.ensureSentMessages(memory, 1)).toBe(sent);
  });
});

describe("how many sessions a process holds", () => {
  test("128: then the one that was not used for longest is forgotten, and said to be", () => {
    const { database } = workspace.withEpoch();
    const { memories, forgotten } = createMemories(database);
    const id = (index: number) => `ses_${index}` as SessionId;
    for (let index = 0; index < 128; index += 1) memories.getOrCreate(id(index));
    const first = memories.getOrCreate(id(0));
    expect(forgotten).toEqual([]);
    memories.getOrCreate(id(128));
    expect(forgotten).toEqual([id(1)]);
    expect(memories.peek(id(1))).toBeNull();
    expect(memories.getOrCreate(id(0))).toBe(first);
  });
});

describe("what another process has written", () => {
  test("of this session is taken up; a ledger of which nothing is new is not read again", () => {
    const { memories, other } = two();
    const memory = memories.getOrCreate(session);
    const before = memory.ledger;
    other.ledger.commit(firstCommit("ses_two" as SessionId));
    memories.refresh(memory);
    expect(memory.ledger).toBe(before);
    other.ledger.commit(entryCommit(1));
    memories.refresh(memory);
    expect(memory.ledger.entries).toHaveLength(1);
  });

  test("as a turn: what the host has shown there, the sources of this process have not seen", () => {
    const { memories, other, readSources } = two();
    const memory = memories.getOrCreate(session);
    const before = readSources(memory);
    other.ledger.commit(entryCommit(1));
    memories.refresh(memory);
    expect(readSources(memory)).toBe(before);
    other.turns.append(turnRecord(5_000));
    memories.refresh(memory);
    expect(readSources(memory)).not.toBe(before);
    expect(memory.lastTurn?.sentAtMs).toBe(5_000);
  });

  test("doesn't take back a turn that was sent here and whose row is on its way", () => {
    const { memories, other } = two();
    const memory = memories.getOrCreate(session);
    const lastTurn = { epochSeq: 1, providerId: "p", modelId: "m", sentAtMs: 9_000 };
    const sent = { epochSeq: 1, ids: new Set(["u1"]), history: [] };
    Object.assign(memory, { lastTurn, sent });
    other.ledger.commit(entryCommit(1));
    memories.refresh(memory);
    expect([memory.lastTurn, memory.sent]).toEqual([lastTurn, sent]);
  });

  test("takes a turn back whose epoch is gone, or that the row on record is as new as", () => {
    const { memories, other } = two();
    const memory = memories.getOrCreate(session);
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

describe("a flipped byte inside a Baseline's text", () => {
  /** In the file, in the row of one session's first epoch. */
  function flipped(fill: (database: RuntimeDatabase) => void) {
    const { path, database, driver } = workspace.withEpoch();
    fill(database);
    database.ledger.commit(firstCommit(otherSession));
    database.turns.append(turnRecord(10, 1, otherSession));
    driver.get("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    const bytes = readFileSync(path, "latin1");
    const row = /ses_onefirst[\s\S]{1,40}"Today is Sun/.exec(bytes);
    if (!row) throw new Error("no such row");
    const file = openSync(path, "r+");
    writeSync(file, "M", row.index + row[0].length - 3);
    closeSync(file);
    return createMemories(workspace.open(path));
  }

  test("K3: is found where a call has sent the text: its epoch is left out, and no other session", () => {
    const { memories, damaged } = flipped(({ turns }) => turns.append(turnRecord(10)));
    const { ledger } = memories.getOrCreate(session);
    expect([ledger.epochs, ledger.damagedSeqs]).toEqual([[], [1]]);
    expect(damaged).toEqual([[session, expect.stringContaining("epoch (ses_one, 1): baseline")]]);
    expect(JSON.stringify(damaged)).not.toContain("Today");
    expect(memories.getOrCreate(otherSession).ledger.epochs).toHaveLength(1);
    expect(damaged).toHaveLength(1);
  });

  test("K3: in an epoch that another one has followed it changes nothing, and nothing is said", () => {
    const { memories, damaged } = flipped(({ ledger, turns }) => {
      turns.append(turnRecord(10));
      const epoch = { ...epochRecord(2), baseline: "Another." };
      ledger.commit({ ...firstCommit(), expectedSeq: 1, epoch });
      const turn = turnRecord(20, 2);
      const baseline = hashText("Another.");
      turns.append({ ...turn, digests: { ...turn.digests, baseline } });
    });
    const { epochs, damagedSeqs } = memories.getOrCreate(session).ledger;
    expect([epochs.map(({ seq }) => seq), damagedSeqs]).toEqual([[2], [1]]);
    expect(damaged).toEqual([]);
  });

  test("K3: before any call its checksum says so", () => {
    const { memories, damaged } = flipped(() => undefined);
    expect(memories.getOrCreate(session).ledger.epochs).toEqual([]);
    expect(damaged).toHaveLength(1);
  });
});

describe("which epoch a broken compaction leaves a session in", () => {
  const compaction = {
    info: { id: "u9", sessionID: session, role: "user" },
    parts: [{ type: "compaction" }],
  };
  const broken = [compaction] as never;

  function epochAfter(lastTurn: object | null, ...later: readonly number[]): number | undefined {
    const { database } = workspace.withEpoch();
    database.ledger.commit({ ...firstCommit(), expectedSeq: 1, epoch: epochRecord(2) });
    for (const seq of later) {
      database.ledger.commit({ ...firstCommit(), expectedSeq: seq - 1, epoch: epochRecord(seq) });
    }
    const memory = createMemories(database).memories.getOrCreate(session);
    Object.assign(memory, { lastTurn });
    const { location } = epochRecord(1);
    const history = { messages: broken, held: broken, head: classifyHead(broken) };
    return viewSession({ ...pickHeldLedger(memory), location, ...history }).epoch?.seq;
  }

  test("the last turn's", () => {
    expect(epochAfter({ epochSeq: 1, sentAtMs: 5_000 })).toBe(1);
    expect(epochAfter({ epochSeq: 1, sentAtMs: epochRecord(2).startedAtMs })).toBe(1);
  });

  test("the newest one, where that is younger than the last turn on record: a crash took its turn's row", () => {
    expect(epochAfter({ epochSeq: 1, sentAtMs: epochRecord(2).startedAtMs - 1 })).toBe(2);
    expect(epochAfter(null)).toBe(2);
    expect(epochAfter(null, 3)).toBe(3);
  });
});
