import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initialize, reconcile } from "../../../src/context/operations.ts";
import type { Snapshot } from "../../../src/context/snapshot.ts";
import { observe } from "../../../src/context/system-context.ts";
import type { FeatureInstance } from "../../../src/feature-api/feature.ts";
import type { FeatureContext, JobToAdd } from "../../../src/feature-api/feature-context.ts";
import type { ModelPort } from "../../../src/feature-api/job.ts";
import { UserFacingError } from "../../../src/feature-api/user-facing-error.ts";
import { createSmartNotesFeature } from "../../../src/features/memory/create-smart-notes.ts";
import { smartNotesFeature } from "../../../src/features/memory/feature.ts";
import { createSmartNoteStore } from "../../../src/features/memory/smart-note-store.ts";
import { toFolderId } from "../../../src/project/project.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { StorageError } from "../../../src/storage/errors.ts";
import type { JobRecord } from "../../../src/storage/job-records.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { eventually } from "../../eventually.ts";
import { assistant, text, user } from "../../ledger/history.ts";
import { projectOver } from "../../project/at-work.ts";
import { Workspace } from "../../storage/workspace.ts";
import { parseConfig, resolveConfig } from "../../whole-config.ts";

const workspace = new Workspace();
const SES = "ses_1" as SessionId;
const OTHER = "ses_2" as SessionId;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const DAY = 24 * 3_600_000;
const COMMANDS = ["test -f built", "exit 1"];

let directory: string;
let path: string;
let database: RuntimeDatabase;
let feature: FeatureInstance;
let nowMs: number;
let state: "open" | "locked";
let jobs: JobToAdd[];
let logged: string[];
/** How often somebody asked for the project. */
let asked: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "session-runtime-notes-"));
  path = workspace.path();
  database = workspace.open(path);
  nowMs = 1_000_000_000;
  state = "open";
  jobs = [];
  logged = [];
  asked = 0;
  feature = opened();
});

const TALK = [user("u1", text("Ship it")), assistant("a1", text("Shipped"))];

const projectId = () => toFolderId(realpathSync(directory));

function opened(
  settings: object = { commands: COMMANDS, questions: true },
  talk = TALK,
): FeatureInstance {
  const project = projectOver(directory, () => database);
  return createSmartNotesFeature({
    location: { directory, worktree: directory },
    config: parseConfig({ smartNotes: { enabled: true, ...settings } }),
    database: {
      current() {
        if (state === "locked") throw new StorageError("locked", "locked");
        return database;
      },
    },
    host: { messages: async () => talk },
    jobs: { add: (job: JobToAdd) => jobs.push(job) },
    env: process.env,
    project: {
      id: () => {
        asked += 1;
        return project.id();
      },
    },
    log: { warn: (code: string) => logged.push(code) },
    now: () => nowMs,
  } as unknown as FeatureContext);
}

async function remind(given: object, sessionId = SES): Promise<string> {
  const abort = new AbortController().signal;
  const call = { sessionId, messageId: "msg_1", agent: "build", abort };
  return (await feature.tools?.[0]?.run(given, call))?.text ?? "";
}

const refused = (given: object) => remind(given).catch((error: unknown) => error);

async function command(args: string): Promise<string> {
  const [found] = feature.commands ?? [];
  if (found?.kind !== "action") throw new Error("no command");
  const call = { sessionId: SES, args, files: [], process: "stays" } as const;
  return (await found.act(call)).text;
}

function observed(sessionId = SES) {
  const context = feature.sources?.({ sessionId } as never);
  if (!context) throw new Error("no sources");
  return observe(context);
}

async function begun(sessionId = SES): Promise<{ text: string; snapshot: Snapshot }> {
  const baseline = initialize(await observed(sessionId));
  if (baseline.kind !== "initialized") throw new Error(baseline.kind);
  return { text: baseline.parts.map((part) => part.text).join("\n"), snapshot: baseline.snapshot };
}

async function told(snapshot: Snapshot, sessionId = SES): Promise<string> {
  const news = reconcile(await observed(sessionId), snapshot);
  return news.kind === "updated" ? news.parts.map((part) => part.text).join("\n") : news.kind;
}

const refIn = (said: string) => /n:\w{6}/.exec(said)?.[0] ?? "none";

describe("HT2: smart notes", () => {
  test("they are off until the user asks for them, and a project's file allows no command", () => {
    expect(smartNotesFeature.isOn?.(parseConfig({}))).toBe(false);
    const value = { smartNotes: { enabled: true, commands: ["rm -rf /"] } };
    const given = { file: "x", scope: "project", findLine: () => null, value } as const;
    const { config, warnings } = resolveConfig([given]);
    expect(Reflect.get(config, "smartNotes")).toMatchObject({ enabled: false, commands: [] });
    expect(warnings.map(({ kind, key }) => [kind, key])).toEqual([
      ["refused", "smartNotes.enabled"],
      ["refused", "smartNotes.commands"],
    ]);
  });

  test("a date: nothing before it, one update once it has come, the Baseline of a later session, gone when it is done", async () => {
    const before = await begun();
    expect(before.text).toBe("");
    const ref = refIn(await remind({ text: "Renew the key", when: "in 2 days", for: "project" }));
    expect(await told(before.snapshot)).toBe("unchanged");
    nowMs += 2 * DAY - 1;
    expect(await told(before.snapshot)).toBe("unchanged");
    nowMs += 1;
    expect(await told(before.snapshot)).toMatch(
      new RegExp(
        `^<due-notes>\\nNotes that are due; .*\\n- \\[${ref}\\] Renew the key \\(the time is \\d{4}-.*\\)\\n</due-notes>$`,
      ),
    );
    const later = await begun(OTHER);
    expect(later.text).toContain(`[${ref}] Renew the key`);
    expect(await told(later.snapshot, OTHER)).toBe("unchanged");
    expect(await remind({ done: ref })).toBe(`Done: ${ref}.`);
    expect(await told(later.snapshot, OTHER)).toBe("No notes are due any more.");
    expect((await begun(OTHER)).text).toBe("");
  });

  test("a note of a session is that session's alone; a second one that comes due is announced by itself", async () => {
    const first = refIn(await remind({ text: "One", when: "in 1 minute" }));
    nowMs += 60_000;
    const { text: said, snapshot } = await begun();
    expect(said).toContain(first);
    expect((await begun(OTHER)).text).toBe("");
    const second = refIn(await remind({ text: "Two", when: "in 1 minute" }));
    nowMs += 60_000;
    const update = await told(snapshot);
    expect(update).toContain(`Now due:\n- [${second}] Two`);
    expect(update).not.toContain(first);
  });

  test("what is due stays due after a restart, also where the condition holds no more", async () => {
    await remind({ text: "Look at it", when: "file out.txt" });
    const { snapshot } = await begun();
    writeFileSync(join(directory, "out.txt"), "1");
    expect(await told(snapshot)).toContain("Look at it (out.txt is there)");
    rmSync(join(directory, "out.txt"));
    database.close();
    database = workspace.open(path);
    feature = opened();
    expect(await told(snapshot)).toContain("Look at it (out.txt is there)");
  });

  test("a file that is there has to change; a file outside the project is refused", async () => {
    const file = join(directory, "a.txt");
    writeFileSync(file, "one");
    const { snapshot } = await begun();
    expect(await remind({ text: "Read it", when: "file a.txt" })).toContain("a.txt has changed");
    expect(await told(snapshot)).toBe("unchanged");
    writeFileSync(file, "one");
    expect(await told(snapshot)).toBe("unchanged");
    writeFileSync(file, "two");
    expect(await told(snapshot)).toContain("Read it (a.txt has changed)");
    expect(String(await refused({ text: "x", when: "file ../b.txt" }))).toContain(
      "inside the project",
    );
  });

  test("what a link out of the project leads to is not looked into", async () => {
    const outside = mkdtempSync(join(tmpdir(), "session-runtime-outside-"));
    writeFileSync(join(outside, "key.txt"), "one");
    symlinkSync(join(outside, "key.txt"), join(directory, "link.txt"));
    const { snapshot } = await begun();
    await remind({ text: "Read it", when: "file link.txt" });
    writeFileSync(join(outside, "key.txt"), "another");
    expect(await told(snapshot)).toBe("unchanged");
    rmSync(outside, { recursive: true });
  });

  test("a command that the user allows runs after a turn, at most once a minute; others are refused", async () => {
    const { snapshot } = await begun();
    expect(String(await refused({ text: "x", when: "command rm -rf ." }))).toContain(
      "the user allows commands",
    );
    await remind({ text: "Publish", when: "command test -f built" });
    await remind({ text: "Never", when: "command exit 1" });
    await runTurns();
    expect(await told(snapshot)).toBe("unchanged");
    writeFileSync(join(directory, "built"), "");
    await runTurns();
    expect(await told(snapshot)).toBe("unchanged");
    nowMs += 60_000;
    await runTurns();
    const update = await told(snapshot);
    expect(update).toContain("Publish (`test -f built` exits with 0)");
    expect(update).not.toContain("Never");
  });

  test("a command that is allowed no longer isn't run", async () => {
    await remind({ text: "Publish", when: "command test -f built" });
    writeFileSync(join(directory, "built"), "");
    feature = opened({ commands: [] });
    await runTurns({ commands: [] });
    expect((await begun()).text).toBe("");
  });

  test("a question is asked of a model by a job, every half hour at most, until it says yes", async () => {
    await remind({ text: "Announce it", when: "ask Is 2.0 released?" });
    await runTurns();
    await runTurns();
    expect(jobs).toHaveLength(1);
    nowMs += 30 * 60_000;
    await runTurns();
    expect(jobs).toHaveLength(2);
    expect(new Set(jobs.map(({ key }) => key)).size).toBe(2);
    expect(await answered("no")).toEqual({ kind: "done", output: expect.anything() });
    expect((await begun()).text).toBe("");
    expect(await answered("perhaps")).toEqual({ kind: "given_up", code: "bad_answer" });
    await answered("Yes.");
    expect((await begun()).text).toContain("Announce it (a model says yes to: Is 2.0 released?)");
  });

  test("a wrong call is answered in words and stores nothing; so is a secret", async () => {
    const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const wrong: readonly (readonly [object, string])[] = [
      [{}, "Give a text"],
      [{ text: "x" }, "Say when"],
      [{ text: "x", when: "soon" }, "Say when"],
      [{ text: `The token is ${token}`, when: "in 1 day" }, "where the secret is kept"],
      [{ text: "x", when: `ask Is ${token} valid?` }, "where the secret is kept"],
      [{ text: "", when: "in 1 day" }, "Give a text"],
      [{ text: "…", when: "in 1 day" }, "give a text with a letter"],
      [{ done: "n:000000" }, "No open note: n:000000"],
    ];
    for (const [given, reason] of wrong) {
      const refusal = await refused(given);
      expect(refusal).toBeInstanceOf(UserFacingError);
      expect(String(refusal)).toContain(reason);
    }
    feature = opened({ commands: [], questions: false });
    expect(String(await refused({ text: "x", when: "ask Done?" }))).toContain("Questions are off");
    expect(database.store(createSmartNoteStore).open(projectId(), SES)).toEqual([]);
  });

  test("people list, add and finish them", async () => {
    expect(await command("")).toContain("There are no such notes");
    const ref = refIn(await command("project file dist/app.js -> Publish -> it"));
    expect(await command("")).toBe(`[${ref}] (project) Publish -> it (when dist/app.js is there)`);
    expect(await command(`done ${ref}, n:000000; ${ref}`)).toBe(
      `Done: ${ref}. No open note: n:000000.`,
    );
    expect(await command("publish it")).toContain("Type /ctx-remind alone");
  });

  test("their words may stand apart by spaces and lines of any number", async () => {
    const stored = () =>
      database
        .store(createSmartNoteStore)
        .open(projectId(), SES)
        .map(({ sessionId, text: said, condition }) => [sessionId, said, condition.kind]);
    for (const said of [
      "in 2 days->Two",
      "  in 1 day  ->  One\nmore  ",
      "project \n in 1 week ->W",
    ]) {
      expect(await command(said)).toStartWith("Stored as ");
    }
    expect(stored()).toEqual([
      [SES, "Two", "date"],
      [SES, "One more", "date"],
      [null, "W", "date"],
    ]);
    const [ref] = (await command("")).match(/n:\w{6}/g) ?? [];
    expect(await command(`  done   ${ref}\n`)).toBe(`Done: ${ref}.`);
    expect(await command(`undone ${ref}`)).toContain("Type /ctx-remind alone");
    const [left] = (await command(" ")).split("\n");
    expect(left).toMatch(/^\[n:\w{6}\] One more \(when the time is /);
    nowMs += 2 * DAY;
    await begun();
    expect((await command("")).split("\n")[0]).toContain("One more (due since the time is ");
  });

  test("thirty wait or are due at once, and no more", async () => {
    for (let at = 0; at < 30; at += 1) await remind({ text: `Note ${at}`, when: "in 1 day" });
    expect(String(await refused({ text: "One more", when: "in 1 day" }))).toContain(
      "There are 30 open notes already",
    );
    expect(await remind({ text: "Elsewhere", when: "in 1 day" }, OTHER)).toContain("Stored as");
  });

  test("a call's title is its text, or what is done, cut", async () => {
    const abort = new AbortController().signal;
    const call = { sessionId: SES, messageId: "msg_1", agent: "build", abort };
    const run = async (given: object) => (await feature.tools?.[0]?.run(given, call))?.title;
    const words = "Look at it, ".repeat(20);
    expect(await run({ text: words, when: "in 1 day" })).toBe(words.slice(0, 80));
    const ref = refIn(await remind({ text: "x", when: "in 1 day" }));
    expect(await run({ done: ref })).toBe(ref);
  });

  test("what a question rests on: the commits since, or none, and the end of the talk, without secrets", async () => {
    const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const promptFor = async (said: string) => {
      feature = opened({ questions: true }, [user("u1", text(said))]);
      await remind({ text: `Announce ${jobs.length}`, when: "ask Is 2.0 released?" });
      const before = jobs.length;
      await feature.hooks?.settled?.(SES);
      await eventually("the question is asked", () => jobs.length > before);
      let prompt = "";
      const model: ModelPort = {
        ask: async (asked) => {
          ({ prompt } = asked);
          return { kind: "failed", code: "timeout", inputTokens: 0, outputTokens: 0 };
        },
      };
      const end = await feature.jobs?.[0]?.run(model, jobs.at(-1)?.input, 1);
      expect(end).toEqual({ kind: "failed", code: "timeout" });
      return prompt;
    };
    const prompt = await promptFor(`first\n\n  \nThe key is ${token}`);
    expect(prompt).toContain("Commits since then, newest first:\nnone\n");
    expect(prompt).toContain("Question, asked at ");
    expect(prompt).toMatch(/user: first\n.*The key is \[secret\]$/);
    expect(prompt).not.toContain(token);
    const long = await promptFor(`BEGIN ${"x".repeat(6_000)} END`);
    expect(long).toContain("END");
    expect(long).not.toContain("BEGIN");
    const git = (...words: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], {
        cwd: directory,
      });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "Release 2.0");
    expect(await promptFor("So")).toMatch(/newest first:\n.*[0-9a-f]{7} Release 2\.0\n/);
  });

  test("a command has the user's path and home, and nothing else of the environment", async () => {
    const line = 'test "$PATH" = "$(printenv PATH)" -a -n "$HOME" -a -z "$SESSION_TOKEN"';
    process.env.SESSION_TOKEN = "x";
    try {
      feature = opened({ commands: [line] });
      await remind({ text: "All is well", when: `command ${line}` });
      await runTurns({ commands: [line] });
      expect((await begun()).text).toContain("All is well");
    } finally {
      delete process.env.SESSION_TOKEN;
    }
  });

  test("a feature that closes ends what still runs, and a look that fails is a line of the log", async () => {
    // A command may take a minute: without that limit, only closing ends this one.
    const wait = globalThis.setTimeout;
    const begin = (body: () => void, ms?: number) => wait(body, ms === 60_000 ? 3_600_000 : ms);
    const patience = spyOn(globalThis, "setTimeout").mockImplementation(begin as typeof setTimeout);
    const noted = join(directory, "sleeping.pid");
    const line = `echo $$ > ${noted}; exec sleep 3600`;
    feature = opened({ commands: [line] });
    await remind({ text: "Late", when: `command ${line}` });
    await feature.hooks?.settled?.(SES);
    await eventually("it runs", () => existsSync(noted) && readFileSync(noted, "utf8") !== "");
    await feature.hooks?.closed?.();
    patience.mockRestore();
    const id = Number(readFileSync(noted, "utf8"));
    await eventually("it has ended", () => !isAlive(id));
    feature = opened();
    state = "locked";
    await feature.hooks?.settled?.(SES);
    await feature.hooks?.closed?.();
    expect(logged).toEqual(["smart_notes.failed"]);
  });

  test("while the database is locked nothing is said and nothing is forgotten", async () => {
    await remind({ text: "One", when: "in 1 minute" });
    nowMs += 60_000;
    const { snapshot } = await begun();
    state = "locked";
    expect(await told(snapshot)).toBe("unchanged");
  });

  test("what an earlier version stored by the host's name of the project still comes up", async () => {
    // As the migration to one table leaves it.
    const driver = openBunDriver(path);
    driver.exec(`
      INSERT INTO memory_project (id, name, worktree, seen_at_ms) VALUES ('host:project', '', '', 0);
      INSERT INTO note (id, ref, project, text, by, condition, state, written_at_ms)
      VALUES ('a', 'n:00000a', 'host:project', 'Renew the key.', 'user', '{"kind":"date","atMs":9}', 'waiting', 1)`);
    driver.close();
    expect((await begun()).text).toContain("Renew the key.");
  });

  test("the notes of a session go with it", async () => {
    await remind({ text: "One", when: "in 1 minute" });
    await remind({ text: "Two", when: "in 1 minute", for: "project" });
    database.sessions.remove(SES);
    const left = database.store(createSmartNoteStore).open(projectId(), SES);
    expect(left.map((note) => note.text)).toEqual(["Two"]);
  });
});

/** After a turn, once all that it started has ended: the next one's looks ask for the project only then. */
async function runTurns(settings: object = { commands: COMMANDS, questions: true }): Promise<void> {
  const before = asked;
  for (let turn = 0; turn < 2; turn += 1) await feature.hooks?.settled?.(SES);
  await eventually("the turn's looks have ended", () => asked === before + 2);
  await feature.hooks?.closed?.();
  feature = opened(settings);
}

/** The newest job, run and kept as the runner does. */
async function answered(said: string) {
  const [job] = feature.jobs ?? [];
  const model: ModelPort = {
    ask: async ({ prompt }) => {
      expect(prompt).toContain("Is 2.0 released?");
      expect(prompt).toContain("assistant: Shipped");
      return { kind: "answered", text: said, inputTokens: 1, outputTokens: 1 };
    },
  };
  const end = await job?.run(model, jobs.at(-1)?.input, 1);
  if (end?.kind === "done") {
    const driver = openBunDriver(path);
    job?.keep(driver, end.output, {} as JobRecord);
    driver.close();
  }
  return end;
}
