import { describe, expect, test } from "bun:test";
import {
  createProjectSegmentReader,
  createSegmentReader,
  digestRoot,
  type SegmentStore,
} from "../../../src/features/summaries/segment-store.ts";
import type { SegmentRecord } from "../../../src/features/summaries/segment-table.ts";
import { StorageError } from "../../../src/storage/errors.ts";
import type { ProjectId } from "../../../src/storage/records.ts";
import { text, user } from "../../ledger/history.ts";

type Lineage = Parameters<SegmentStore["of"]>[0];

const PROJECT = "folder:/project" as ProjectId;

const named = (firstId: string) => [{ firstId }] as unknown as readonly SegmentRecord[];

/** A store of which only its stamp says whether it has changed. */
function stage() {
  const state = { stamp: "1", rows: named("a"), error: null as Error | null };
  const asked: (Lineage | string)[] = [];
  const rows = (of: Lineage | string) => {
    asked.push(of);
    return state.rows;
  };
  const stamp = () => {
    if (state.error) throw state.error;
    return state.stamp;
  };
  const store = { of: rows, ofProject: rows, stamp, projectStamp: stamp } as Partial<SegmentStore>;
  const failures: unknown[] = [];
  const read = createSegmentReader({
    ...{ store: () => store as SegmentStore, project: () => PROJECT },
    failed: (error) => failures.push(error),
  });
  const reader = createProjectSegmentReader(() => store as SegmentStore);
  return {
    state,
    asked,
    failures,
    read,
    all: () => reader(PROJECT),
  };
}

const history = [user("u", text("A prompt."))];

describe("what was written of a history", () => {
  test("is read for the session and its forks, and again only when it has changed", () => {
    const { state, asked, read } = stage();
    expect([read(history), read(history)]).toEqual([state.rows, state.rows]);
    const sessionId = history[0]?.info.sessionID as Lineage["sessionId"];
    expect(asked).toEqual([{ sessionId, project: PROJECT, root: digestRoot(history) }]);
    state.rows = named("b");
    expect(read(history)).toEqual(named("a"));
    state.stamp = "2";
    expect(read(history)).toEqual(named("b"));
  });

  test("is read again where the history begins in another way", () => {
    const { asked, read } = stage();
    read(history);
    read([user("u", text("Another prompt.")), ...history]);
    expect(asked).toHaveLength(2);
  });

  test("is nothing of nothing, and nothing while the database can't be read; that is reported", () => {
    const { state, asked, failures, read } = stage();
    expect([read([]), asked]).toEqual([[], []]);
    state.error = new StorageError("failed", "It is locked.");
    expect([read(history), failures]).toEqual([[], [state.error]]);
    state.error = new TypeError("a mistake of ours");
    expect(() => read(history)).toThrow("a mistake of ours");
  });
});

test("what was written of a project is read again only when it has changed", () => {
  const { state, asked, all } = stage();
  expect([all(), all(), asked]).toEqual([state.rows, state.rows, [PROJECT]]);
  state.rows = named("b");
  expect(all()).toEqual(named("a"));
  state.stamp = "2";
  expect(all()).toEqual(named("b"));
  state.error = new StorageError("failed", "It is locked.");
  expect(all).toThrow("locked");
});
