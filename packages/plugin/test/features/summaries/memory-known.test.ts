import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { createMemoryPort, type MemoryPort } from "../../../src/features/summaries/memory-port.ts";
import { toFolderId } from "../../../src/project/project.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { projectIn } from "../../project/at-work.ts";
import { Workspace } from "../../storage/workspace.ts";
import { parseConfig } from "../../whole-config.ts";

const workspace = new Workspace();
const directory = mkdtempSync(join(tmpdir(), "session-runtime-known-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const project = toFolderId(directory);
const SES = "ses_1" as SessionId;

let store: ReturnType<typeof createSqliteMemoryStore>;

beforeEach(() => {
  store = workspace.open(workspace.path()).store(createSqliteMemoryStore);
});

function port(enabled: boolean): MemoryPort | null {
  return createMemoryPort({
    config: parseConfig({ memory: { enabled } }),
    database: { current: () => ({ store: () => store }) },
    project: projectIn(
      directory,
      () => store,
      () => 5,
    ),
    notices: { mention: () => undefined, notice: () => undefined, over: () => undefined },
    now: () => 5,
  } as never);
}

test("where memory is off, facts go nowhere", () => {
  expect(port(false)).toBeNull();
  expect(port(true)).not.toBeNull();
});

test("a request names the sixty most important memories of the project, by category and text alone", async () => {
  const memory = port(true);
  await store.enter({ id: project, name: "shop", worktree: directory }, 1);
  const changes = Array.from({ length: 70 }, (_, at) => ({
    kind: "add" as const,
    wording: {
      category: "NAMING" as const,
      text: `Part ${at} is named part_${at}.`,
      importance: at,
      permanence: "ordinary" as const,
    },
  }));
  const by = { by: "user", sessionId: null, segment: null, nowMs: 1 } as const;
  await store.apply(project, changes, by);
  const known = (await memory?.known()) ?? [];
  expect(known).toHaveLength(60);
  expect(known[0]).toEqual({ category: "NAMING", text: "Part 69 is named part_69." });
  expect(known.at(-1)?.text).toBe("Part 10 is named part_10.");
});

test("what a user has said is stored once, in its first words, by the historian, with its session", async () => {
  const memory = port(true);
  const facts = (...texts: readonly string[]) =>
    texts.map((text) => ({
      ...{ category: "NAMING", importance: 40, text, source: "prompt", segment: null },
    })) as never;
  const [tables, keys] = [
    "The tables of the shop are named in the singular.",
    "Keys end with _id.",
  ];
  await memory?.keep(facts(tables, keys), SES);
  await memory?.keep(facts("Tables of the shop are named in the singular", keys), SES);
  const stored = await store.list(project);
  expect(stored.map(({ text, by, sessionId }) => [text, by, sessionId]).toSorted()).toEqual([
    [keys, "historian", SES],
    [tables, "historian", SES],
  ]);
});

test("an archived memory's words are no known ones: a user who says them again brings them back", async () => {
  const memory = port(true);
  const fact = {
    ...{ category: "NAMING", importance: 40, text: "Tables are singular." },
    ...{ source: "prompt", segment: null },
  };
  await memory?.keep([fact as never], SES);
  const [one] = await store.list(project);
  if (!one) throw new Error("nothing is stored");
  const by = { by: "user", sessionId: null, segment: null, nowMs: 6 } as const;
  await store.apply(project, [{ kind: "archive", id: one.id }], by);
  expect(await memory?.known()).toEqual([]);
  await memory?.keep([fact as never], SES);
  expect(await memory?.known()).toEqual([{ category: "NAMING", text: "Tables are singular." }]);
});
