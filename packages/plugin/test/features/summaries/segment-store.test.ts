import { expect, test } from "bun:test";
import {
  createSegmentStore,
  deleteFormerSegments,
  putSegments,
} from "../../../src/features/summaries/segment-store.ts";
import type { SegmentRecord } from "../../../src/features/summaries/segment-table.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { ProjectId, SessionId } from "../../../src/storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";

const PROJECT = "folder:/project" as ProjectId;
const OTHER = "folder:/other" as ProjectId;
const workspace = new Workspace();
const session = "ses_1" as SessionId;

/** Of two messages from a place on. */
function segment(place: number, change: Partial<SegmentRecord> = {}): SegmentRecord {
  return {
    ...{ sessionId: session, generation: 0, root: "root", project: PROJECT, place },
    ...{ firstId: `m${place}`, lastId: `m${place + 1}`, messageCount: 2, digest: "d" },
    ...{ kind: "fix", importance: 50, events: [], model: "a/b", writtenAtMs: 1 },
    texts: { full: "f", short: "s", brief: "b", line: "l" },
    ...change,
  };
}

function opened() {
  const path = workspace.path();
  workspace.open(path);
  const driver = openBunDriver(path);
  const store = createSegmentStore(driver);
  const places = (generation: number) =>
    store.generation(session, generation).map(({ place }) => place);
  return { driver, store, places };
}

test("what is written again at a place stands in place of what stood there; the newest writing comes first", () => {
  const { driver, store } = opened();
  putSegments(driver, [segment(0), segment(2, { writtenAtMs: 5 }), segment(4)]);
  putSegments(driver, [segment(4, { model: "c/d", writtenAtMs: 3 })]);
  putSegments(driver, [segment(0, { generation: 1 })]);
  const own = store.of({ sessionId: session, root: "root", project: PROJECT });
  expect(own.map(({ generation, place, model }) => [generation, place, model])).toEqual([
    [1, 0, "a/b"],
    [0, 2, "a/b"],
    [0, 4, "c/d"],
    [0, 0, "a/b"],
  ]);
  expect([store.newestGeneration(session), store.ofProject(PROJECT).length]).toEqual([1, 4]);
});

test("of older generations all goes that ends at a place or before, and nothing else", () => {
  const { driver, places } = opened();
  const old = [0, 2, 4].map((place) => segment(place));
  putSegments(driver, [...old, segment(0, { generation: 1 }), segment(0, { generation: 2 })]);
  deleteFormerSegments(driver, { sessionId: session, generation: 1, place: 4 });
  expect([places(0), places(1), places(2)]).toEqual([[4], [0], [0]]);
});

test("forks read what was written of their beginning, other projects and sessions don't", () => {
  const { driver, store } = opened();
  putSegments(driver, [segment(0)]);
  const read = (sessionId: string, root: string, project: ProjectId | null) =>
    store.of({ sessionId: sessionId as SessionId, root, project }).length;
  expect(read("ses_fork", "root", PROJECT)).toBe(1);
  expect([read("ses_fork", "other", PROJECT), read("ses_fork", "root", OTHER)]).toEqual([0, 0]);
  expect(read("ses_1", "other", OTHER)).toBe(1);
});

test("stamps change with each writing of theirs, and with no other", () => {
  const { driver, store } = opened();
  const of = { sessionId: session, root: "root", project: PROJECT };
  const stamps = () => [store.stamp(of), store.projectStamp(PROJECT)];
  const seen = new Set([String(stamps())]);
  putSegments(driver, [segment(0)]);
  seen.add(String(stamps()));
  putSegments(driver, [segment(2)]);
  seen.add(String(stamps()));
  deleteFormerSegments(driver, { sessionId: session, generation: 1, place: 2 });
  seen.add(String(stamps()));
  expect(seen.size).toBe(4);
  const before = stamps();
  putSegments(driver, [segment(0, { sessionId: "ses_9" as SessionId, root: "r", project: OTHER })]);
  expect(stamps()).toEqual(before);
});
