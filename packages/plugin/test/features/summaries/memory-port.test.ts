import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { SourcedFact } from "../../../src/features/memory/promote.ts";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { createMemoryPort } from "../../../src/features/summaries/memory-port.ts";
import type { Notice } from "../../../src/log/notices.ts";
import { toFolderId } from "../../../src/project/project.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { projectIn } from "../../project/at-work.ts";
import { Workspace } from "../../storage/workspace.ts";
import { parseConfig } from "../../whole-config.ts";

const workspace = new Workspace();
const directory = mkdtempSync(join(tmpdir(), "session-runtime-port-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const project = toFolderId(directory);
const HOUR_MS = 3_600_000;

let store: ReturnType<typeof createSqliteMemoryStore>;
let noticed: Notice[];
let over: string[];
let nowMs: number;

beforeEach(() => {
  store = workspace.open(workspace.path()).store(createSqliteMemoryStore);
  noticed = [];
  over = [];
  nowMs = 100 * HOUR_MS;
});

function port() {
  const codes = new Set<string>();
  const context = {
    config: parseConfig({ memory: { enabled: true } }),
    database: { current: () => ({ store: () => store }) },
    project: projectIn(
      directory,
      () => store,
      () => nowMs,
    ),
    notices: {
      mention: (notice: Notice) => noticed.push(notice),
      notice: (notice: Notice) => {
        if (!codes.has(notice.code)) noticed.push(notice);
        codes.add(notice.code);
      },
      over: (code: string) => over.push(code),
    },
    now: () => nowMs,
  };
  const memory = createMemoryPort(context as never);
  if (!memory) throw new Error("memory is off");
  return memory;
}

const fact = (text: string, source: SourcedFact["source"] = "tool"): SourcedFact => ({
  ...{ category: "NAMING", importance: 100, text, source, segment: null },
});
const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => fact(`Part ${name}.${at} is named part_${name}_${at}.`));
const session = (name: string) => `ses_${name}` as SessionId;

test("the first facts of a project are announced once, without their words", async () => {
  const memory = port();
  await memory.keep([], session("a"));
  await memory.keep(
    [fact("Tables are singular.", "prompt"), fact("Keys end with _id.")],
    session("a"),
  );
  await memory.keep([fact("Flags begin with ff_.")], session("b"));
  await port().keep([fact("Jobs end with _job.")], session("c"));
  expect(noticed.map(({ code }) => code)).toEqual(["memory_first_facts"]);
  const [{ message, remedy } = { message: "", remedy: "" }] = noticed;
  expect(message).toBe(
    `The historian has found its first facts about ${basename(directory)} (NAMING): 1 that you stated, which later sessions begin with, and 1 that no session gets until you confirm it.`,
  );
  expect(remedy).toContain("/ctx-memory shows them");
  expect(remedy).toContain('"enabled": false');
});

test("what a person has stored before is no first fact", async () => {
  const by = { by: "user", sessionId: null, segment: null, nowMs: 1 } as const;
  await store.enter({ id: project, name: "x", worktree: directory }, 1);
  const wording = {
    category: "NAMING",
    text: "Mine.",
    importance: 70,
    permanence: "ordinary",
  } as const;
  await store.apply(project, [{ kind: "add", wording }], by);
  await port().keep([fact("Tables are singular.")], session("a"));
  expect(noticed).toHaveLength(1);
  expect(noticed[0]?.message).toEndWith("1 that no session gets until you confirm it.");
});

test("of a session and of a day so many facts are stored, and what is over is said once", async () => {
  const memory = port();
  for (const turn of ["a", "b", "c", "d"]) await memory.keep(many(12, turn), session("one"));
  expect(await store.list(project)).toHaveLength(40);
  expect(noticed.slice(1)).toMatchObject([{ code: "memory_limit" }]);
  expect(noticed[1]?.message).toContain("8 facts about");
  for (const name of ["two", "three"]) {
    for (const turn of ["a", "b", "c"])
      await memory.keep(many(12, `${name}.${turn}`), session(name));
  }
  expect(await store.list(project)).toHaveLength(100);
  expect(noticed).toHaveLength(2);
  // What is known already takes no place.
  await memory.keep(many(12, "a"), session("four"));
  over = [];
  nowMs += 25 * HOUR_MS;
  await memory.keep(many(12, "e"), session("four"));
  await memory.keep(many(12, "f"), session("one"));
  expect(over).toContain("memory_limit");
  expect(await store.list(project)).toHaveLength(112);
});

test("one fact over the limit is said, too", async () => {
  const memory = port();
  await memory.keep(many(40, "a"), session("one"));
  expect(noticed.map(({ code }) => code)).toEqual(["memory_first_facts"]);
  await memory.keep(many(1, "b"), session("one"));
  expect(noticed[1]?.message).toStartWith("1 fact about ");
});

test("candidates are handed out for the check of what a user says, and no known ones", async () => {
  const memory = port();
  await memory.keep(
    [fact("Tables are singular.", "prompt"), fact("Keys end with _id.")],
    session("a"),
  );
  expect(await memory.candidates()).toEqual([
    { category: "NAMING", importance: 60, text: "Keys end with _id." },
  ]);
  expect(await memory.known()).toEqual([{ category: "NAMING", text: "Tables are singular." }]);
});
