import { describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { createCompactionFeature } from "../../../src/features/compaction/create-compaction.ts";
import type { HistoryMessage } from "../../../src/features/compaction/runtime-facts.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { briefRecord, firstCommit, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { answer, compaction, prompt, summary } from "./history.ts";
import { type Files, writeFiles } from "./workspace.ts";

const workspace = new Workspace();
const folder = scratchFolders();

interface AskedModel {
  readonly history?: readonly HistoryMessage[] | Error;
  readonly todos?: unknown;
  readonly continuity?: object;
  readonly files?: Files;
  readonly queued?: readonly string[];
}

function opened({
  history = [],
  todos = [],
  continuity = {},
  files = {},
  queued = [],
}: AskedModel = {}) {
  const said: unknown[] = [];
  const traced: unknown[] = [];
  const path = workspace.path();
  const database = workspace.open(path);
  database.ledger.commit(firstCommit());
  const directory = writeFiles(folder(), files);
  const waiting = queued.map((preview) => ({ preview }));
  const current = { briefs: database.briefs, store: () => ({ waiting: () => waiting }) };
  const answered = <T>(what: T | Error) =>
    what instanceof Error ? Promise.reject(what) : Promise.resolve(what);
  const featureContext = {
    config: {
      continuity: {
        ...{ enabled: true, workflows: [], prompt: "inject" },
        ...continuity,
      },
    },
    location: { directory, worktree: directory },
    database: { current: () => current },
    host: {
      messages: (id: string, asked: object) => {
        said.push(["messages", id, asked]);
        return answered(history as readonly HostMessage[] | Error);
      },
      todos: (id: string, asked: object) => {
        said.push(["todos", id, asked]);
        return answered(todos);
      },
    },
    log: { warn: (event: string, facts: object) => said.push([event, facts]) },
    failures: {
      failed: (where: string, error: Error) => said.push([where, error.message]),
      worked: () => undefined,
    },
    notices: {
      notice: (notice: { message: string }) => said.push(notice.message),
      over: () => undefined,
    },
    now: () => 7_000,
    traces: {
      traceJob: async (about: object, work: (note: (facts: object) => void) => Promise<void>) => {
        traced.push(about);
        await work((facts) => traced.push(facts));
      },
    },
  } as unknown as FeatureContext;
  const feature = createCompactionFeature(featureContext);
  const push = async () => {
    const output: { context: string[]; prompt?: string } = { context: [] };
    await feature.hooks?.compacting?.(session, output);
    return output;
  };
  const report = () => {
    const [command] = feature.commands ?? [];
    if (command?.kind !== "report") throw new Error("a report");
    return command.report({ sessionId: session } as never);
  };
  return { feature, push, report, database, said, traced, directory, path };
}

const history = [
  prompt("u1", "Write the importer."),
  answer("u1", "stop"),
  compaction("c0"),
  summary("c0", "So far."),
  prompt("u2", "Test it."),
  compaction("c1"),
  answer("c1", undefined),
];

describe("a compaction's brief", () => {
  test("is stored with the row that asked for it, then pushed", async () => {
    const { push, database, traced } = opened({ history });
    const { context, prompt: replaced } = await push();
    const stored = database.briefs.newest(session);
    expect(context).toEqual([stored?.text ?? ""]);
    expect(replaced).toBeUndefined();
    expect(stored).toMatchObject({ compactionId: "c1", madeAtMs: 7_000 });
    expect(stored?.carried.objective).toBe("The user's request: “Test it.”");
    const { length } = context[0] ?? "";
    expect(traced).toEqual([
      { name: "brief", sessionId: session },
      { "session_runtime.brief.chars": length },
    ]);
  });

  test("K3: after one that is damaged is made all the same, and of the damaged one nothing is read", async () => {
    const { push, database, said, path } = opened({ history });
    const { carried } = briefRecord("msg_1");
    const former = { ...carried, objective: "The former objective." };
    database.briefs.append({ ...briefRecord("msg_1"), carried: former });
    const driver = openBunDriver(path);
    driver.exec("DROP TRIGGER brief_is_never_updated");
    driver.exec("UPDATE brief SET carried = replace(carried, 'former', 'fermer')");
    driver.close();
    const { context } = await push();
    expect(context).toHaveLength(1);
    expect(context[0]).not.toContain("fermer");
    expect(said).toContainEqual(["storage", expect.stringContaining("brief (ses_one, 1)")]);
    expect(database.briefs.newest(session)).toMatchObject({ seq: 2, text: context[0] });
  });

  test("is stored with the words that the compaction takes out of the history", async () => {
    const { push, database } = opened({ history });
    await push();
    expect(database.briefs.newest(session)?.carried.statements).toEqual([
      { kind: "prompt", messageId: "u1", saidAtMs: 0, text: "Write the importer." },
      { kind: "prompt", messageId: "u2", saidAtMs: 0, text: "Test it." },
    ]);
  });

  test("is stored with the row that asked for it, though others came after it", async () => {
    const { push, database } = opened({ history: [...history, prompt("u9", "And on")] });
    await push();
    expect(database.briefs.newest(session)?.compactionId).toBe("c1");
  });

  test("names a file of the project that leads out of it, and does not read it", async () => {
    const { push, said, directory } = opened({ history });
    const outside = join(folder(), "notes.md");
    writeFileSync(outside, "**Focus:** a secret\n");
    symlinkSync(outside, join(directory, "SESSION.md"));
    const { context } = await push();
    expect(context[0]).not.toContain("a secret");
    expect(said).toContain(
      `${join(directory, "SESSION.md")} points outside the project, so continuity briefs leave it out.`,
    );
  });

  test("is of a session that the host gives no rows of what its files and its last brief say", async () => {
    const { push, database, said } = opened({ history: new Error("no answer"), todos: "x" });
    database.briefs.append(briefRecord("c0"));
    const { context } = await push();
    expect(context[0]).toContain("## Primary Objective\n- Fix the bug.");
    expect(database.briefs.newest(session)?.compactionId).toBeNull();
    expect(said).toEqual([
      ["messages", session, { count: 2_000, timeoutMs: 15_000 }],
      ["continuity.host", expect.objectContaining({ what: "messages", error: "Error" })],
      ["todos", session, { timeoutMs: 15_000 }],
    ]);
  });

  test("stands in the place of the host's prompt where that is asked for, with the summary before", async () => {
    const { push, database } = opened({ history, continuity: { prompt: "replace" } });
    const { context, prompt: replaced } = await push();
    expect(context).toEqual([]);
    expect(replaced).toContain(`${database.briefs.newest(session)?.text}`);
    expect(replaced).toContain("keep what still holds:\n\nSo far.\n\n");
    const first = opened({ history: history.slice(0, 2), continuity: { prompt: "replace" } });
    expect((await first.push()).prompt?.split("\n\n")[2]).toBe(
      "The state of the work, from its files and the session:",
    );
  });

  test("has the host's todo list, and the prompts that wait", async () => {
    const todos = [{ content: "write the parser", status: "pending" }];
    const { push } = opened({ history, todos, queued: ["And then?"] });
    const { context } = await push();
    expect(context[0]).toContain("- Todo: write the parser\n- Queued prompt: “And then?”");
  });

  test("doesn't ask for a list that the history shows", async () => {
    const todos = [{ content: "test it", status: "pending" }];
    const place = { id: "p", messageID: "", sessionID: "ses", callID: "c" };
    const state = { status: "completed", input: { todos }, output: "", time: {} };
    const part = { ...place, type: "tool", tool: "todowrite", state } as never;
    const { push, said } = opened({ history: [prompt("u1", "Go."), answer("u1", "stop", part)] });
    expect((await push()).context[0]).toContain("- Todo: test it");
    expect(said).toHaveLength(1);
  });

  test("is not made where that is switched off", async () => {
    const off = opened({ continuity: { enabled: false } });
    expect([off.feature.hooks, off.feature.policies]).toEqual([{}, []]);
    expect((await off.report()).text).toContain("continuity.enabled is false");
  });
});

test("the report shows the brief as it would be, and stores nothing", async () => {
  const { report, database } = opened({ history, files: { "SESSION.md": "Now: parse it\n" } });
  const { text } = await report();
  expect(text).toContain("- Parse it");
  expect(text).toContain("No compaction of this session has had a brief yet.");
  expect(database.briefs.newest(session)).toBeNull();
  database.briefs.append(briefRecord("c0"));
  expect((await report()).text).toContain("The last one had a brief");
});
