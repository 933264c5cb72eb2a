import { beforeEach, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { defaults } from "../../../src/config/defaults.ts";
import type { CliCommandCode } from "../../../src/feature-api/command.ts";
import { UserFacingError } from "../../../src/feature-api/user-facing-error.ts";
import { fromMarkdown, toMarkdown } from "../../../src/features/memory/markdown.ts";
import { memoryCli } from "../../../src/features/memory/memory-cli.ts";
import { readMemorySection } from "../../../src/features/memory/memory-text.ts";
import { CATEGORIES, type Memory, SOURCES } from "../../../src/features/memory/record.ts";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { cleanText } from "../../../src/features/memory/text.ts";
import { workspaceCli } from "../../../src/features/memory/workspace-cli.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import { renderInstalledCommand } from "../../../src/log/notices.ts";
import { LINE_WIDTH } from "../../../src/status/wording.ts";
import type { Driver } from "../../../src/storage/driver.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { withStorageErrors } from "../../../src/storage/errors.ts";
import { firstCommit, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { SES, wording } from "./store.suite.ts";

const workspace = new Workspace();
const NOW = 1_700_000_000_000;
const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-words-")));
const [shop, till] = ["shop", "till"].map((name) => {
  mkdirSync(join(root, name));
  return join(root, name);
}) as [string, string];

let driver: Driver;

beforeEach(() => {
  const path = workspace.path();
  workspace.open(path).ledger.commit(firstCommit());
  driver = openBunDriver(path);
  driver.exec("PRAGMA foreign_keys = ON");
});

async function run(
  word: CliCommandCode,
  given: Readonly<Record<string, string | boolean>>,
  directory = shop,
) {
  const around = { env: {}, config: async () => defaults };
  const call = {
    given: new Map(Object.entries(given)),
    driver,
    directory,
    nowMs: NOW,
    typed: renderInstalledCommand,
    ...around,
  };
  return word.run(call);
}

const memory = async (given: Readonly<Record<string, string | boolean>>, directory = shop) =>
  (await run(memoryCli, given, directory)).text;

const add = (what: string, given: object = {}, directory = shop) =>
  memory({ do: "add", what, ...given }, directory);

test("a database that can't be written is read: lists and workspaces are shown, and a change is refused", async () => {
  await add("Prices are in cents.");
  driver.exec("PRAGMA query_only = ON");
  driver = withStorageErrors(driver, "runtime.db", () => undefined);
  expect(await memory({})).toContain("Prices are in cents.");
  expect((await run(workspaceCli, {})).text).toStartWith("shop is in no workspace.");
  expect(await add("Tables are singular.").catch(({ code }) => code)).toBe("read_only");
});

test("an action that there isn't is refused with those that there are, and the team's are called so", async () => {
  const refused = await misuse(memory({ do: "pusch" }));
  expect(refused).toContain(
    "export, import or check; with a team's store push, pull or status, too.",
  );
});

/** What is refused, and why. */
async function misuse(work: Promise<string>): Promise<string> {
  try {
    return `It was not refused: ${await work}`;
  } catch (error) {
    expect(error).toBeInstanceOf(UserFacingError);
    return String(error);
  }
}

const numberIn = (text: string) => /memory (\d+)/.exec(text)?.[1] ?? "none";
const refOfNumber = async (number: string) =>
  /m:\w{6}/.exec(await memory({ do: "show", what: number }))?.[0] ?? "none";

describe("session-runtime memory", () => {
  test("Y7: what is added is listed, shown, corrected, archived, restored and forgotten", async () => {
    expect(await memory({})).toBe(
      'Nothing is stored about shop yet. `session-runtime memory add "…"` adds one, and the model adds some by itself.',
    );
    expect((await run(memoryCli, {})).values).toMatchObject({ memories: [], shared: [] });
    const rule = await add("Use pnpm.", { category: "project rules", importance: "80" });
    expect(rule).toBe("Stored as memory 1, under PROJECT_RULES.");
    expect(await add("Prices are in cents.", { permanent: true })).toBe(
      "Stored as memory 2, under ARCHITECTURE.",
    );
    expect(await memory({})).toBe(
      [
        "2 memories of shop",
        "PROJECT_RULES\n  1  Use pnpm. (80)",
        "ARCHITECTURE\n  2  Prices are in cents. (70, permanent)",
        "In brackets: importance, from 0 to 100. `session-runtime memory --help`\nsays how to correct, confirm, archive and forget them.",
      ].join("\n\n"),
    );
    expect((await run(memoryCli, {})).values).toMatchObject({
      memories: [{ member: null }, { member: null }],
    });
    expect(await memory({ do: "edit", what: "1", text: "Use bun.", importance: "90" })).toBe(
      "Updated memory 1.",
    );
    const ref = await refOfNumber("1");
    expect(await memory({ do: "show", what: "1" })).toBe(
      [
        "Use bun.",
        "",
        `memory 1, ${ref}, PROJECT_RULES, importance 90, ordinary, active`,
        "written just now by user",
        "written by a person",
        "changed just now, confirmed just now, never used",
      ].join("\n"),
    );
    expect(await memory({ do: "archive", what: ref })).toBe("Archived memory 1.");
    expect(await memory({})).not.toContain("Use");
    expect(await memory({ do: "list", all: true })).toContain("  1  Use bun. (90, archived)");
    expect(await memory({ do: "restore", what: "1" })).toBe("Restored memory 1.");
    expect(await memory({ do: "forget", what: "1, 2" })).toBe("Deleted memories 1, 2 for good.");
    expect(await memory({ do: "list", all: true })).toStartWith("Nothing is stored");
    expect(await add("Use pnpm.")).toBe("Stored as memory 3, under ARCHITECTURE.");
  });

  test("what is said again in a person's own words is named; an edit may leave the text as it is", async () => {
    await add("Use pnpm, not npm.", { importance: "60" });
    expect(await add("use pnpm, not npm", { importance: "80" })).toBe(
      "Already stored as memory 1: Use pnpm, not npm.",
    );
    expect(await memory({ do: "edit", what: "1", category: "naming" })).toBe("Updated memory 1.");
    expect(await memory({})).toContain("NAMING\n  1  Use pnpm, not npm. (80)");
    await memory({ do: "edit", what: "1", text: "  Use\nbun. " });
    expect((await run(memoryCli, {})).values).toMatchObject({ memories: [{ text: "Use bun." }] });
  });

  test("a memory is named by its whole number, with or without a mark before it", async () => {
    for (let at = 1; at <= 12; at += 1) await add(`The port of service ${at} is ${9_000 + at}.`);
    for (const what of ["12", "#12", " 12 "]) {
      expect(await memory({ do: "show", what })).toStartWith("The port of service 12 is 9012.");
    }
    expect(await misuse(memory({ do: "show", what: "13" }))).toContain("has no memory 13");
  });

  test("a list keeps to the columns of a report, its texts one below the other", async () => {
    await add(`The gateway ${"stores each webhook, and then ".repeat(5)}answers.`);
    const lines = (await memory({})).split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(LINE_WIDTH);
    const first = lines.findIndex((line) => line.startsWith("  1  The gateway stores"));
    expect(lines[first + 1]).toMatch(/^ {5}\w/);
  });

  test("what is asked wrongly is answered, and changes nothing", async () => {
    await add("A fact.");
    const wrong: readonly (readonly [Readonly<Record<string, string | boolean>>, string])[] = [
      [{ do: "ad", what: "x" }, "Use list, show"],
      [{ do: "add" }, "give a text"],
      [{ do: "add", what: "token=abcdefgh12345678" }, "Say where the secret is kept"],
      [{ do: "add", what: "x", category: "stuff" }, 'no category "stuff"'],
      [{ do: "add", what: "x", importance: "101" }, "from 0 to 100"],
      [{ do: "add", what: "x", importance: "-1" }, "from 0 to 100"],
      [{ do: "add", what: "x", importance: "1.5" }, "from 0 to 100"],
      [{ do: "edit", what: "m:000000", text: "x" }, "has no memory m:000000"],
      [{ do: "edit", what: "m:000000" }, "Give at least one of --text"],
      [{ do: "show", what: "?" }, "is neither the number of a memory"],
      [{ do: "show" }, "Name a memory by its number, such as 3; a list shows them."],
      [{ do: "archive" }, "Name a memory by its number"],
      [{ do: "import" }, "Name the file"],
      [{ do: "import", what: "none.md" }, "can't be read (ENOENT)"],
      [{ do: "export", what: "none/m.md" }, "can't be written (ENOENT)"],
      [{ do: "forget", all: true }, "memory forget shop --all"],
      [{ do: "forget", all: true, what: "till" }, "memory forget shop --all"],
    ];
    for (const [given, reason] of wrong) {
      expect(await misuse(memory(given))).toContain(reason);
    }
    expect(await memory({})).toStartWith("1 memory of shop");
  });

  test("I29: another folder's project sees and deletes nothing of it", async () => {
    const ref = await refOfNumber(numberIn(await add("A fact.")));
    expect(await memory({}, till)).toStartWith("Nothing is stored about till yet.");
    for (const action of ["show", "archive", "forget"]) {
      expect(await misuse(memory({ do: action, what: ref }, till))).toContain("has no memory");
    }
    expect(await memory({ do: "forget", what: "till", all: true }, till)).toContain("for good");
    expect(await memory({})).toContain("A fact.");
    expect(await memory({ do: "forget", what: "shop", all: true })).toContain("for good");
    expect(driver.all("SELECT id FROM memory")).toEqual([]);
  });
});

describe("Markdown", () => {
  const exported = async (directory = shop) => memory({ do: "export" }, directory);

  test("Y7: an export is imported as it was, into another project, too", async () => {
    await add("Use pnpm, not npm. <!-- no ref --> ", {
      category: "PROJECT_RULES",
      permanent: true,
    });
    await add("- [ ] A *text* of `Markdown` # and all", { importance: "3" });
    await memory({ do: "archive", what: numberIn(await add("An old fact.")) });
    const store = createSqliteMemoryStore(driver);
    const id = (await store.knownAt(shop)) as never;
    await store.addNote({ project: id, sessionId: null, text: "Come back.", by: "model" }, 1);
    const file = join(root, "memories.md");
    expect(await memory({ do: "export", what: file })).toBe(`Wrote ${file}.`);
    expect(await memory({ do: "export", what: file })).toBe(`Wrote ${file}.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toBe(await exported());

    expect(await memory({ do: "import", what: "../memories.md" }, till)).toBe(
      "Added 3, changed 0, left 0 as they are; 1 new note.",
    );
    const withoutRefs = (text: string) => text.replace(/m:\w{6}/g, "m:").replace(/^# .*/, "");
    expect(withoutRefs(await exported(till))).toBe(withoutRefs(await exported()));
    for (const directory of [shop, till]) {
      expect(await memory({ do: "import", what: file }, directory)).toBe(
        "Added 0, changed 0, left 3 as they are; 0 new notes.",
      );
    }
  });

  test("an export leaves a file alone that holds something else, unless it is told to overwrite it", async () => {
    await add("A fact.");
    const file = join(root, "mine.md");
    writeFileSync(file, "- An edit of an hour.\n");
    const refused = await misuse(memory({ do: "export", what: file }));
    expect(refused).toContain("already exists with other content");
    expect(refused).toContain("--force");
    expect(readFileSync(file, "utf8")).toBe("- An edit of an hour.\n");
    await memory({ do: "export", what: file, force: true });
    expect(readFileSync(file, "utf8")).toContain("- A fact.");
  });

  test("an edited file corrects, archives, restores and adds; a refused line costs no other", async () => {
    await add("The port is 1.", { category: "CONFIG_VALUES" });
    await add("Old.", { category: "CONFIG_VALUES" });
    const [one, two] = [await refOfNumber("1"), await refOfNumber("2")];
    const file = join(root, "edited.md");
    writeFileSync(
      file,
      [
        ...["# Anything", "- not in a section", "## CONFIG_VALUES", ""],
        `* The port is 2. <!-- ${one} -->`,
        "- New by hand.\r",
        "- password: hunter2hunter2",
        ...["## Archived", "### CONFIG_VALUES", `- Old. <!-- ${two} importance=70 -->`],
        ...["## Notes", "- Look at this.", "- Look at this, too."],
      ].join("\n"),
    );
    const answer = await memory({ do: "import", what: file });
    expect(answer).toStartWith("Added 1, changed 2, left 0 as they are; 2 new notes.");
    expect(answer).toContain('"…": Nothing was stored: the text holds what looks like a password');
    expect(answer).not.toContain("hunter2");
    const list = await memory({ do: "list", all: true });
    for (const line of [
      "1  The port is 2. (70)",
      "New by hand. (70)",
      "2  Old. (70, archived)",
      "(project) Look at this, too.",
    ]) {
      expect(list).toContain(line);
    }
  });

  test("whatever a memory says, its line is read as it was written", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1 })
      .map((written) => cleanText(`${written} a <!-- m:abcdef importance=1 --> ${written}`, 2_000))
      .filter((cleaned) => cleaned.kind === "clean")
      .map((cleaned) => cleaned.text);
    const said = fc.record({
      text,
      category: fc.constantFrom(...CATEGORIES),
      importance: fc.integer({ min: 0, max: 100 }),
      permanence: fc.constantFrom("ordinary" as const, "permanent" as const),
      kind: fc.constantFrom("active" as const, "archived" as const, "candidate" as const),
      source: fc.constantFrom(...SOURCES),
      writtenAtMs: fc.integer({ min: 0, max: NOW }),
    });
    fc.assert(
      fc.property(fc.array(said, { maxLength: 5 }), (all) => {
        const memories = all.map(({ kind, ...one }, at) => {
          const ref = deriveRef("m", `${at}`);
          return { ...wording(""), ...one, ref, by: "historian", state: { kind } } as Memory;
        });
        const read = fromMarkdown(toMarkdown("x", memories, []), { importance: 1, by: "user" });
        const expected = memories.map(
          ({ ref, text: words, category, importance, permanence, ...rest }) => ({
            kind: "memory" as const,
            ...{ ref, wording: { category, text: words, importance, permanence } },
            ...{ state: rest.state.kind, by: rest.by, source: rest.source },
            writtenAtMs: rest.writtenAtMs,
          }),
        );
        const key = (one: object) => JSON.stringify(one, Object.keys(one).toSorted());
        expect(read.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))).toEqual(
          expected.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) as never,
        );
      }),
    );
  });
});

describe("session-runtime workspace", () => {
  const at = async (given: Readonly<Record<string, string | boolean>>, directory = shop) =>
    (await run(workspaceCli, given, directory)).text;

  test("Y9: members read what is shared, with the project named, until one leaves", async () => {
    expect(await at({})).toBe("shop is in no workspace.");
    expect(await at({ do: "create", name: "team", share: "naming, config-values" })).toBe(
      "shop is in team, and shares CONFIG_VALUES, NAMING.",
    );
    expect(await at({}, till)).toBe("till is in no workspace. Workspaces: team.");
    expect(await at({ do: "join", name: "team", share: "none" }, till)).toBe(
      "till is in team, and shares nothing.",
    );
    expect(await at({})).toBe(
      [
        "shop is in team:",
        `  shop (${shop}) shares CONFIG_VALUES, NAMING`,
        `  till (${till}) shares nothing`,
      ].join("\n"),
    );
    await add("Tables are singular.", { category: "NAMING" });
    await add("Mine alone.");
    expect(await memory({}, till)).toContain("Tables are singular. (of shop)");
    expect(await memory({}, till)).not.toContain("Mine alone.");
    expect(await at({ do: "leave" }, till)).toBe("till has left team.");
    expect(await memory({}, till)).toStartWith("Nothing is stored about till yet.");
    expect(await at({ do: "join", name: "team" }, till)).toContain("shares all categories");
  });

  test("what is asked wrongly is answered, and changes nothing", async () => {
    await at({ do: "create", name: "team" });
    for (const [given, reason] of [
      [{ do: "create", name: "team" }, "already exists; join it"],
      [{ do: "create", name: "a\u001b[2J" }, "Give the workspace a name"],
      [{ do: "create" }, "Give the workspace a name"],
      [{ do: "join", name: "nowhere" }, "no workspace nowhere"],
      [{ do: "join", name: "team", share: "STUFF" }, 'no category "STUFF"'],
      [{ do: "begin" }, "Unknown action. Use create, join, leave or show"],
    ] as const) {
      expect(await misuse(at(given))).toContain(reason);
    }
    expect(await misuse(at({ do: "leave" }, till))).toContain("in no workspace");
    expect(await at({})).toStartWith("shop is in team");
  });
});

test("the status counts a project's memories, a session's own ones, and its open notes", async () => {
  const { directory } = firstCommit().epoch?.location ?? { directory: "" };
  expect(readMemorySection(driver)(session, NOW, null)).toBeNull();
  const store = createSqliteMemoryStore(driver);
  const project = { id: "commit:c0ffee" as never, name: "x", worktree: directory };
  await store.enter(project, 1);
  const origin = { by: "model", sessionId: session, segment: null, nowMs: 1 } as const;
  const change = (text: string) => [{ kind: "add", wording: wording(text) } as const];
  await store.apply(project.id, change("one"), origin);
  await store.apply(project.id, change("two"), { ...origin, sessionId: SES });
  await store.addNote({ project: project.id, sessionId: session, text: "a", by: "user" }, 1);
  // A note alone, or memories of this session alone, are something to show.
  const short = (id: typeof session) => readMemorySection(driver)(id, NOW, null)?.short;
  expect(short(session)).toBe("2 memories, 1 note");
  for (const memory of await store.list(project.id)) {
    if (memory.sessionId === SES) await store.forget(project.id, memory.id);
  }
  const [note] = await store.openNotes(project.id, session);
  await store.finishNote(project.id, session, note?.ref as never, 2);
  // Another worktree of the project is at work, too.
  await store.enter({ ...project, worktree: "/work/aside" }, 2);
  expect(short(session)).toBe("1 memory");
  await store.apply(project.id, change("two"), { ...origin, sessionId: SES });
  await store.addNote({ project: project.id, sessionId: session, text: "a", by: "user" }, 1);
  expect(readMemorySection(driver)(session, NOW, null)).toEqual({
    label: "Memory",
    text: "2 memories of this project (1 written by this session), 1 open note.",
    short: "2 memories, 1 note",
    mark: { word: "remembered", atMs: 1 },
  });
});
