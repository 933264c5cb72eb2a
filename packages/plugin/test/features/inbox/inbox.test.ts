import { describe, expect, test } from "bun:test";
import { runQueueCommand } from "../../../src/features/inbox/queue.ts";
import { createInboxStore } from "../../../src/features/inbox/store.ts";
import type { Driver } from "../../../src/storage/driver.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { timesAsLong } from "../../processor-time.ts";
import { otherSession, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { FakeHost } from "./fake-host.ts";
import { inputRecord } from "./records.ts";
import { openStage, type Stage, type StageSettings } from "./stage.ts";

const workspace = new Workspace();

async function queue({ inbox }: Stage, args: string): Promise<string> {
  const call = { sessionId: session, args, files: [], process: "stays" } as const;
  return (await runQueueCommand(inbox, call)).text;
}

async function interrupt(stage: Stage): Promise<string> {
  const stopped = stage.inbox.interrupt(session);
  await stage.rest();
  return stopped;
}

/** The driver, which counts its statements and the rows that they return. */
function counted(driver: Driver, work: { statements: number; rows: number }): Driver {
  const count = <Rows extends readonly unknown[]>(rows: Rows): Rows => {
    work.statements += 1;
    work.rows += rows.length;
    return rows;
  };
  return {
    ...driver,
    get: (sql, ...binds) => count([driver.get(sql, ...binds)] as const)[0],
    all: (sql, ...binds) => count(driver.all(sql, ...binds)),
    run: (sql, ...binds) => count(driver.run(sql, ...binds)),
  };
}

/** A session whose first turn hangs. */
async function busy(settings: Partial<StageSettings> = {}): Promise<Stage> {
  const stage = openStage(workspace, settings);
  stage.host.answers = ["hang"];
  await stage.host.prompt({ id: "msg_first", text: "First" });
  await stage.clock.pass(100);
  expect(await stage.host.activity()).toBe("busy");
  return stage;
}

describe("admission", () => {
  test("G1: the row is there before the host saves the prompt or schedules anything", async () => {
    const stage = openStage(workspace);
    const seen: unknown[] = [];
    stage.host.during = () => void seen.push(stage.states());
    stage.host.answers = [];
    const saved = stage.host.prompt({ id: "msg_a", text: "Hello" });
    await saved;
    await stage.rest();
    expect(seen).toEqual([["handed"]]);
    expect(stage.rows()).toEqual([
      { id: "msg_a", delivery: "steer", state: "answered", message_id: "msg_a" } as never,
    ]);
  });

  test("G1: where the prompt can't be kept, the host goes on without us", async () => {
    const failing = () => Promise.reject(new Error("the disk is full"));
    const stage = openStage(workspace, { deps: { ensure: failing } });
    await stage.host.prompt({ text: "Hello" });
    await stage.rest();
    expect(stage.host.calls).toEqual([["Hello"]]);
    expect(stage.rows()).toEqual([]);
  });

  test("G9: rows that the host makes, and our own reports, are no admissions", async () => {
    const stage = openStage(workspace);
    const note = { type: "text", text: "A report", ignored: true };
    await stage.host.prompt({ parts: [note], noReply: true });
    await stage.rest();
    expect(stage.rows()).toEqual([]);
  });

  test("G2: promoted once, by its presence in the history of a boundary, after the send", async () => {
    const stage = await busy();
    expect(stage.states()).toEqual(["promoted"]);
    stage.inbox.onBoundary(session, [{ info: { id: "msg_first" }, parts: [] }], 40);
    stage.host.release("stop");
    await stage.rest();
    expect(stage.states()).toEqual(["answered"]);
  });

  test("G3: an exact retry returns the first admission, adds nothing, and wakes", async () => {
    const stage = openStage(workspace);
    stage.host.answers = ["abort"];
    await stage.host.prompt({ id: "msg_a", text: "Hello" });
    await stage.rest();
    expect(stage.states()).toEqual(["promoted"]);
    await stage.host.prompt({ id: "msg_a", text: "Hello" });
    await stage.rest();
    expect(stage.host.texts()).toEqual(["Hello"]);
    expect(stage.host.rows[0]?.parts).toHaveLength(1);
    expect(stage.host.calls).toHaveLength(2);
    expect(stage.states()).toEqual(["answered"]);
  });

  test("G3: a retry of what is answered calls no model and changes nothing", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ id: "msg_a", text: "Hello" });
    await stage.rest();
    const before = structuredClone(stage.host.rows);
    await stage.host.prompt({ id: "msg_a", text: "Hello" });
    await stage.rest();
    expect(stage.host.rows).toEqual(before);
    expect(stage.host.calls).toHaveLength(1);
  });

  test("G3: a retry of a prompt that the host never saved brings it in whole", async () => {
    const stage = openStage(workspace);
    const host = stage.host;
    const arrive = host.inbox?.onArrival.bind(host.inbox);
    if (!host.inbox || !arrive) throw new Error("no inbox");
    host.inbox.onArrival = async (prompt) => {
      await arrive(prompt);
      throw Object.assign(new Error("killed"), { name: "PromptRefused" });
    };
    host.kill();
    await expect(host.prompt({ id: "msg_a", text: "Hello" })).rejects.toThrow("killed");
    const again = openStage(workspace, { path: stage.path, host, clock: stage.clock });
    await again.clock.pass(1);
    await again.host.prompt({ id: "msg_a", text: "Hello" });
    await again.rest();
    expect(again.host.texts()).toEqual(["Hello"]);
    expect(again.states()).toEqual(["answered"]);
  });

  const byCode = {
    sessionId: session,
    id: "once",
    parts: [{ type: "text", text: "Hello" }],
    delivery: "steer",
    reply: "wanted",
  } as const;

  test("G3: a retry by code of a steer that could not be sent brings it in", async () => {
    const stage = openStage(workspace);
    const send = stage.host.send.bind(stage.host);
    stage.host.send = async () => {
      stage.host.send = send;
      throw new Error("fetch failed");
    };
    await expect(stage.inbox.admit(byCode)).rejects.toThrow("fetch failed");
    expect(await stage.inbox.admit(byCode)).toMatchObject({ kind: "retry" });
    await stage.rest();
    expect(stage.host.calls).toEqual([["Hello"]]);
    expect(stage.states()).toEqual(["answered"]);
  });

  test("G3: a retry by code of a steer that was stopped wakes the session, and adds nothing", async () => {
    const stage = openStage(workspace);
    stage.host.answers = ["abort"];
    await stage.inbox.admit(byCode);
    await stage.rest();
    expect(stage.states()).toEqual(["promoted"]);
    await stage.inbox.admit(byCode);
    await stage.rest();
    expect(stage.host.calls).toEqual([["Hello"], ["Hello"]]);
    expect(stage.host.rows[0]?.parts).toHaveLength(1);
    expect(stage.states()).toEqual(["answered"]);
  });

  test("G3: a retry by code of a steer that is on its way, runs or is answered sends nothing", async () => {
    const stage = openStage(workspace);
    const send = stage.host.send.bind(stage.host);
    const sent: string[] = [];
    stage.host.send = async (dispatch) => {
      sent.push(dispatch.messageId);
      await send(dispatch);
    };
    stage.host.answers = ["hang"];
    await Promise.all([stage.inbox.admit(byCode), stage.inbox.admit(byCode)]);
    await stage.clock.pass(20_000);
    expect(stage.states()).toEqual(["promoted"]);
    await stage.inbox.admit(byCode);
    stage.host.release("stop");
    await stage.rest();
    await stage.inbox.admit(byCode);
    await stage.rest();
    expect(sent).toHaveLength(1);
    expect(stage.host.calls).toEqual([["Hello"]]);
  });

  test("G3, G10: a retry by code of a steer that was turned back brings it in; until then it is told of", async () => {
    let missing: readonly string[] = ["team/oncall"];
    const stage = openStage(workspace, { deps: { missingSources: async () => missing } });
    await stage.inbox.admit(byCode);
    await stage.rest();
    expect(stage.states()).toEqual(["refused"]);
    expect(stage.told).toEqual([expect.stringContaining("/ctx-resume")]);
    missing = [];
    await stage.inbox.admit(byCode);
    await stage.rest();
    expect(stage.host.calls).toEqual([["Hello"]]);
    expect(stage.states()).toEqual(["answered"]);
  });

  test("G4: a different prompt under one id is a conflict that says so, and nothing is stored", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ id: "msg_a", text: "Hello" });
    await stage.rest();
    const other = stage.host.prompt({ id: "msg_a", text: "Something else" });
    await expect(other).rejects.toThrow(
      "msg_a is already used by a different prompt of this session",
    );
    const settings = stage.host.prompt({ id: "msg_a", text: "Hello", agent: "plan" });
    await expect(settings).rejects.toThrow("use a new id");
    expect(stage.host.texts()).toEqual(["Hello"]);
    expect(stage.rows()).toHaveLength(1);
  });

  test("G4: a different session under one id is a conflict", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ id: "msg_a", text: "Hello" });
    await stage.rest();
    const host = new FakeHost(otherSession);
    const other = openStage(workspace, { path: stage.path, host });
    await expect(other.host.prompt({ id: "msg_a", text: "Hello" })).rejects.toThrow(
      "a prompt of another session",
    );
  });

  test("G4: a different delivery under one id is a conflict", async () => {
    const stage = await busy();
    const parts = [{ type: "text", text: "Later" }];
    const own = { sessionId: session, id: "msg_q", parts, reply: "wanted" } as const;
    expect((await stage.inbox.admit({ ...own, delivery: "queue" })).kind).toBe("admitted");
    expect((await stage.inbox.admit({ ...own, delivery: "queue" })).kind).toBe("retry");
    expect((await stage.inbox.admit({ ...own, delivery: "steer" })).kind).toBe("conflict");
    await expect(stage.host.prompt({ id: "msg_q", text: "Later" })).rejects.toThrow(
      "a prompt of the queue",
    );
    expect(stage.rows()).toHaveLength(2);
  });

  test("G7: record-only when asked: no model call, and nothing to go on with", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ id: "msg_a", text: "For the record", noReply: true });
    await stage.rest();
    expect(stage.states()).toEqual(["recorded"]);
    const parts = [{ type: "text", text: "And this" }];
    const own = { sessionId: session, id: null, parts, delivery: "steer", reply: "none" } as const;
    await stage.inbox.admit(own);
    expect(stage.states()).toEqual(["recorded", "recorded"]);
    await stage.rest();
    expect(stage.states()).toEqual(["recorded", "recorded"]);
    expect(stage.host.texts()).toEqual(["For the record", "And this"]);
    expect(stage.host.calls).toEqual([]);
    expect((await stage.inbox.resume(session)).kind).toBe("nothing");
    await stage.host.prompt({ text: "Now" });
    await stage.rest();
    expect(stage.host.calls).toEqual([["For the record", "And this", "Now"]]);
    expect(stage.states()).toEqual(["answered", "answered", "answered"]);
  });

  test("G7: a look at the session that finds it saved makes it no interruption", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ text: "Hello" });
    await stage.clock.pass(10);
    await stage.host.prompt({ text: "For the record", noReply: true });
    stage.inbox.onSettled(session);
    await stage.clock.pass(100);
    expect(stage.states()).toEqual(["answered", "saved"]);
    await stage.rest();
    expect(stage.states()).toEqual(["answered", "recorded"]);
    expect(stage.told).toEqual([]);
  });

  test("G7: while prompts of other sessions begin, one that waits for its turn is not taken for one without a reply", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ text: "Hello", noReply: true });
    for (let turn = 0; turn < 5; turn += 1) {
      await stage.clock.pass(900);
      stage.inbox.onEvent({ kind: "busy", sessionId: otherSession });
      stage.inbox.onEvent({ kind: "idle", sessionId: otherSession });
      // A look at it finds nothing that was interrupted.
      stage.inbox.onSettled(session);
    }
    await stage.clock.pass(900);
    expect(stage.states()).toEqual(["saved"]);
    await stage.rest();
    expect(stage.states()).toEqual(["recorded"]);
    expect(stage.told).toEqual([]);
  });

  test("G7: nor is it by a process that falls behind", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ text: "Hello", noReply: true });
    stage.clock.nowMs += 1_300;
    await stage.clock.pass(900);
    expect(stage.states()).toEqual(["handed"]);
    await stage.clock.pass(200);
    expect(stage.states()).toEqual(["recorded"]);
  });

  test("G7: in a process that is never quiet, one that has not run for half a minute asked for no reply", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ text: "Hello", noReply: true });
    const busyFor = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        stage.inbox.onEvent({ kind: "busy", sessionId: otherSession });
        stage.inbox.onEvent({ kind: "idle", sessionId: otherSession });
        await stage.clock.pass(1_000);
      }
    };
    await busyFor(29);
    expect(stage.states()).toEqual(["handed"]);
    await busyFor(1);
    expect(stage.states()).toEqual(["recorded"]);
  });

  test("G7: what was cut off before its first call asked for a reply, and is offered again", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ text: "Before" });
    await stage.rest();
    // The turn is stopped before there is a call.
    await stage.host.prompt({ text: "Hello", noReply: true });
    stage.inbox.onEvent({ kind: "busy", sessionId: session });
    stage.inbox.onEvent({ kind: "idle", sessionId: session });
    await stage.rest();
    expect(stage.states()).toEqual(["answered", "handed"]);
    await stage.inbox.resume(session);
    await stage.rest();
    expect(stage.host.calls).toEqual([["Before"], ["Before", "Hello"]]);
    expect(stage.states()).toEqual(["answered", "answered"]);
  });

  test("G7: what was saved in a turn that was stopped is offered again", async () => {
    const stage = await busy();
    await stage.host.prompt({ text: "A steer", noReply: true });
    stage.host.release("abort");
    await stage.rest();
    expect(stage.states()).toEqual(["promoted", "saved"]);
    await stage.inbox.resume(session);
    await stage.rest();
    expect(stage.host.calls.at(-1)).toEqual(["First", "A steer"]);
  });

  test("G10: a blocked prompt stays pending and retryable", async () => {
    let missing: readonly string[] = ["team/oncall"];
    const stage = openStage(workspace, { deps: { missingSources: async () => missing } });
    await expect(stage.host.prompt({ id: "msg_a", text: "Hello" })).rejects.toThrow(
      "team/oncall can't be loaded",
    );
    await stage.rest();
    expect(stage.states()).toEqual(["refused"]);
    expect(stage.host.texts()).toEqual([]);
    await stage.inbox.resume(session);
    await stage.rest();
    expect(stage.states()).toEqual(["refused"]);
    missing = [];
    await stage.host.prompt({ id: "msg_a", text: "Hello" });
    await stage.rest();
    expect(stage.states()).toEqual(["answered"]);
    expect(stage.host.texts()).toEqual(["Hello"]);
  });

  test("G10: /ctx-resume sends a blocked prompt, and a blocked one of the queue keeps its place", async () => {
    let missing: readonly string[] = ["team/oncall"];
    const stage = openStage(workspace, { deps: { missingSources: async () => missing } });
    await expect(stage.host.prompt({ text: "Hello" })).rejects.toThrow("/ctx-resume tries again");
    await queue(stage, "Queued one");
    await queue(stage, "Queued two");
    await stage.rest();
    expect(stage.states()).toEqual(["refused", "waiting", "waiting"]);
    missing = [];
    await stage.inbox.resume(session);
    await stage.rest();
    expect(stage.host.calls.map((texts) => texts.at(-1))).toEqual([
      "Hello",
      "Queued one",
      "Queued two",
    ]);
  });
});

/** Many in one transaction: what a test of ten thousand needs of the rest. */
function admitAtOnce(path: string, count: number): void {
  const driver = openBunDriver(path);
  const store = createInboxStore(driver);
  driver.transaction(() => {
    for (let index = 0; index < count; index += 1) store.admit(inputRecord(`q${index}`, "queue"));
  });
  driver.close();
}

describe("the queue", () => {
  test("G5: queued prompts go singly, in order, each when the one before has settled", async () => {
    const stage = await busy();
    for (const text of ["One", "Two", "Three"]) await queue(stage, text);
    await stage.rest();
    expect(stage.host.texts()).toEqual(["First"]);
    stage.host.release("stop");
    await stage.rest();
    expect(stage.host.calls).toEqual([
      ["First"],
      ["First", "One"],
      ["First", "One", "Two"],
      ["First", "One", "Two", "Three"],
    ]);
    expect(new Set(stage.states())).toEqual(new Set(["answered"]));
  });

  test("G5: steers join the running queued activity, and go before what waits", async () => {
    const stage = await busy();
    await queue(stage, "One");
    await queue(stage, "Two");
    stage.host.answers = ["hang"];
    stage.host.release("stop");
    await stage.clock.pass(100);
    await stage.host.prompt({ text: "A steer" });
    stage.host.release("stop");
    await stage.rest();
    expect(stage.host.texts()).toEqual(["First", "One", "A steer", "Two"]);
    expect(stage.host.calls.map((texts) => texts.length)).toEqual([1, 2, 3, 4]);
  });

  test("G5: steers up to the cutoff are one batch; one behind it is promoted with the next", async () => {
    const stage = await busy();
    await stage.host.prompt({ id: "msg_b", text: "Before the cutoff" });
    await stage.host.prompt({ id: "msg_c", text: "Before it too" });
    stage.host.during = async () => {
      stage.host.during = () => undefined;
      await stage.host.prompt({ id: "msg_d", text: "Behind it" });
    };
    stage.host.answers = ["hang"];
    stage.host.release("stop");
    await stage.clock.pass(100);
    expect(stage.states()).toEqual(["promoted", "promoted", "promoted", "handed"]);
    stage.host.release("stop");
    await stage.rest();
    expect(new Set(stage.states())).toEqual(new Set(["answered"]));
    expect(stage.host.calls.at(-1)).toHaveLength(4);
  });

  test("an idle session takes the prompt at once, with its id and settings stored before", async () => {
    const stage = openStage(workspace);
    await stage.host.prompt({ text: "Hello", agent: "plan" });
    await stage.rest();
    expect(await queue(stage, "Go on")).toContain("sent now");
    await stage.rest();
    const row = stage.host.rows.findLast(({ info }) => info.role === "user");
    expect(row?.info.agent).toBe("plan");
    expect(row?.info.id).toMatch(/^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
    expect(stage.states()).toEqual(["answered", "answered"]);
  });

  test("alone it lists what waits; edit, drop and move change it", async () => {
    const stage = await busy();
    for (const text of ["One", "Two", "Three", "Four"]) await queue(stage, text);
    expect(await queue(stage, "edit 2 Zwei")).toContain("has the new text");
    expect(await queue(stage, "move 4 1")).toBe("Moved prompt 4 to place 1.");
    expect(await queue(stage, "drop 2")).toContain("from the queue");
    expect(await queue(stage, "")).toContain("   1  Four\n   2  Zwei\n   3  Three");
    for (const wrong of ["drop 9", "edit 0 x", "move 1 7", "move 0 1"]) {
      expect(await queue(stage, wrong)).toContain("Nothing was changed");
    }
    stage.host.release("stop");
    await stage.rest();
    expect(stage.host.texts()).toEqual(["First", "Four", "Zwei", "Three"]);
    expect(await queue(stage, "")).toContain("The queue is empty.");
  });

  test("a prompt may begin with the words of a change", async () => {
    const stage = await busy();
    await queue(stage, "drop the table of contents");
    await queue(stage, "move it up");
    await queue(stage, "-- drop 2 of them");
    expect(stage.rows()).toHaveLength(4);
    expect(await queue(stage, "")).toContain("   3  drop 2 of them");
    expect(await queue(stage, "drop all")).toBe("Removed 3 prompts from the queue.");
    expect(await queue(stage, "list")).toContain("The queue is empty.");
  });

  test("D5: a malformed change says what is wrong and the usage, and never becomes a prompt", async () => {
    const stage = await busy();
    await queue(stage, "One");
    const before = stage.rows();
    for (const wrong of ["edit 1", "edit", "move x 1", "move 1", "drop", "drop 2 of them"]) {
      const said = await queue(stage, wrong);
      expect(said).toStartWith(`\`${wrong}\` was not understood: \`${wrong.split(" ")[0]}\` takes`);
      expect(said).toContain("Nothing was changed or queued.");
      expect(said).toContain("/ctx-queue edit N TEXT");
    }
    expect(stage.rows()).toEqual(before);
  });

  test("D5: drop takes a range, and nothing where a place of it is missing", async () => {
    const stage = await busy();
    for (const text of ["One", "Two", "Three", "Four", "Five"]) await queue(stage, text);
    for (const wrong of ["drop 4-6", "drop 0-2"]) {
      expect(await queue(stage, wrong)).toContain("Nothing was changed");
    }
    expect(await queue(stage, "drop 4-2")).toContain("starts with the lower number");
    expect(await queue(stage, "drop 2-4")).toBe("Removed prompts 2 to 4 from the queue.");
    expect(await queue(stage, "")).toContain("   1  One\n   2  Five\n\n");
  });

  test("what waits is read with all of its text and its files, as an edit needs it", async () => {
    const stage = await busy();
    const text = `Two\nlines ${"and more ".repeat(40)}`.trim();
    const file = { type: "file", url: "file:///a.txt", mime: "text/plain" };
    const call = { sessionId: session, files: [file], process: "stays" } as const;
    await runQueueCommand(stage.inbox, { ...call, args: text });
    await queue(stage, "Second");
    const waiting = (await stage.inbox.readQueue(session)).listPrompts(10);
    expect(waiting.map(({ text, files }) => [text, files])).toEqual([
      [text, 1],
      ["Second", 0],
    ]);
    expect((await stage.inbox.readQueue(session)).listPrompts(1)).toEqual(waiting.slice(0, 1));
  });

  test("D5: where OpenCode ends with the command, a prompt is stored and not sent", async () => {
    const stage = openStage(workspace);
    const call = { sessionId: session, args: "Later", files: [], process: "ends" } as const;
    const { text: said } = await runQueueCommand(stage.inbox, call);
    expect(said).toStartWith("Queued as number 1. OpenCode ends with this command");
    expect(said).toContain(`opencode --session ${session}`);
    await stage.rest();
    expect(stage.states()).toEqual(["waiting"]);
    expect(stage.host.calls).toEqual([]);
  });

  test("a prompt of the user that comes between goes first, and the queued one waits on", async () => {
    const stage = openStage(workspace);
    const send = stage.host.send.bind(stage.host);
    let between = true;
    stage.host.answers = ["hang"];
    stage.host.send = async (dispatch) => {
      if (between) {
        between = false;
        await stage.host.prompt({ text: "The user's own" });
      }
      await send(dispatch);
    };
    await queue(stage, "Queued");
    await stage.clock.pass(100);
    expect(stage.host.texts()).toEqual(["The user's own"]);
    expect(stage.states()).toEqual(["waiting", "promoted"]);
    stage.host.release("stop");
    await stage.rest();
    expect(stage.host.texts()).toEqual(["The user's own", "Queued"]);
  });

  /** What it asks of the database to put 50 prompts behind so many, and then to list, to move and to promote the last. */
  async function workWith(waiting: number) {
    const work = { statements: 0, rows: 0 };
    const stage = await busy({ openDriver: (path) => counted(openBunDriver(path), work) });
    const count = async (what: () => Promise<unknown>) => {
      const { statements, rows } = work;
      await what();
      return { statements: work.statements - statements, rows: work.rows - rows };
    };
    const total = waiting + 50;
    const admit = async () => {
      for (let index = waiting; index < total; index += 1) {
        const parts = [{ type: "text", text: `Prompt ${index}` }];
        const own = { sessionId: session, id: `q${index}`, parts } as const;
        await stage.inbox.admit({ ...own, delivery: "queue", reply: "wanted" });
      }
    };
    const list = async () => {
      const listed = await queue(stage, "");
      expect(listed).toContain(`… and ${total - 20} more`);
      expect(listed.length).toBeLessThan(2_000);
    };
    const promote = async () => {
      stage.host.answers = ["hang"];
      stage.host.release("stop");
      await stage.clock.pass(50);
      expect(stage.host.texts()).toEqual(["First", `Prompt ${total - 1}`]);
    };
    admitAtOnce(stage.path, waiting);
    return {
      admission: await count(admit),
      listing: await count(list),
      move: await count(() => queue(stage, `move ${total} 1`)),
      promotion: await count(promote),
    };
  }

  test("ten thousand prompts: admission, listing, moves and promotion ask no more of the database than with fifty", async () => {
    expect(await workWith(9_950)).toEqual(await workWith(0));
  }, 600_000);

  test("admission takes at most three times as long behind ten thousand prompts as behind none", async () => {
    const into = async (waiting: number) => {
      const stage = await busy();
      admitAtOnce(stage.path, waiting);
      let index = waiting;
      return async () => {
        for (const end = index + 50; index < end; index += 1) {
          const parts = [{ type: "text", text: `Prompt ${index}` }];
          const own = { sessionId: session, id: `q${index}`, parts } as const;
          await stage.inbox.admit({ ...own, delivery: "queue", reply: "wanted" });
        }
      };
    };
    const mostTimes = 3;
    const times = await timesAsLong(await into(10_000), await into(0), mostTimes);
    expect(times).toBeLessThan(mostTimes);
  }, 600_000);

  test("a prompt of megabytes is kept whole and shown short", async () => {
    const stage = await busy();
    const long = "word ".repeat(1_000_000);
    await queue(stage, long);
    expect((await queue(stage, "")).length).toBeLessThan(1_000);
    stage.host.release("stop");
    await stage.rest();
    expect(stage.host.texts()[1]).toBe(long.trim());
  });
});

describe("interruption", () => {
  test("G6: queued and steering input survives it: held, told, and sent on /ctx-resume", async () => {
    const stage = await busy();
    await queue(stage, "Queued");
    await stage.host.prompt({ text: "A steer" });
    expect(await interrupt(stage)).toBe("stopped");
    expect(stage.host.calls).toEqual([["First"]]);
    expect(stage.states()).toEqual(["promoted", "waiting", "saved"]);
    expect(stage.told).toEqual([expect.stringContaining("1 prompt waits in the queue")]);
    await stage.inbox.resume(session);
    await stage.rest();
    expect(stage.host.texts()).toEqual(["First", "A steer", "Queued"]);
    expect(stage.host.calls.slice(1)).toEqual([
      ["First", "A steer"],
      ["First", "A steer", "Queued"],
    ]);
    expect(new Set(stage.states())).toEqual(new Set(["answered"]));
  });

  test("H1: whoever asks to go on while a look is under way, and another one due, hears what came of it", async () => {
    const stage = await busy();
    await queue(stage, "Queued");
    await interrupt(stage);
    const looked = stage.inbox.check(session);
    stage.inbox.onSettled(session);
    const went = await stage.inbox.resume(session);
    expect(went).toMatchObject({ kind: "again" });
    expect(await looked).toMatchObject({ kind: "rest" });
  });

  test("H3: a look that is under way is nothing to stop, and records and tells what it finds", async () => {
    const stage = await busy();
    await queue(stage, "Queued");
    await stage.host.prompt({ text: "A steer" });
    await interrupt(stage);
    stage.inbox.onSettled(session);
    expect(await stage.inbox.interrupt(session)).toBe("idle");
    expect(stage.states()).toEqual(["promoted", "waiting", "saved"]);
    expect(stage.told).toEqual([expect.stringContaining("1 prompt waits in the queue")]);
  });

  test("H4: a look that was about to send sends nothing any more", async () => {
    const stage = await busy();
    stage.host.release("stop");
    await stage.rest();
    const queued = queue(stage, "Queued");
    await stage.inbox.interrupt(session);
    await queued;
    await stage.inbox.interrupt(session);
    await stage.rest();
    expect(stage.host.calls).toEqual([["First"]]);
    expect(stage.states()).toEqual(["answered", "waiting"]);
  });

  test("a prompt that is about to run is waited for, and its turn is stopped", async () => {
    const stage = openStage(workspace);
    stage.host.answers = ["hang"];
    await stage.host.prompt({ text: "First" });
    stage.host.activity = async () => (activity.shift() ? "idle" : stopped ? "idle" : "busy");
    const activity = ["not yet", "not yet"];
    let stopped = false;
    stage.host.abort = async () => {
      stopped = true;
      stage.host.release("abort");
    };
    expect(await interrupt(stage)).toBe("stopped");
    expect(stopped).toBe(true);
  });

  test("an idle session is left as it is", async () => {
    const stage = openStage(workspace);
    expect(await stage.inbox.interrupt(session)).toBe("idle");
  });

  test("the user's next prompt takes the stranded ones along, and the queue goes on after it", async () => {
    const stage = await busy();
    await queue(stage, "Queued");
    await stage.host.prompt({ text: "A steer" });
    await interrupt(stage);
    await stage.host.prompt({ text: "Something new" });
    await stage.rest();
    expect(stage.host.calls.slice(1)).toEqual([
      ["First", "A steer", "Something new"],
      ["First", "A steer", "Something new", "Queued"],
    ]);
  });

  test("a turn that fails holds the queue, so that a provider that is down does not eat it", async () => {
    const stage = await busy();
    await queue(stage, "Queued");
    stage.host.release("fail");
    await stage.rest();
    expect(stage.states()).toEqual(["promoted", "waiting"]);
    expect(stage.told[0]).toContain("The last turn failed");
    await stage.inbox.resume(session);
    await stage.rest();
    expect(stage.host.texts()).toEqual(["First", "Queued"]);
    expect(new Set(stage.states())).toEqual(new Set(["answered"]));
  });

  test("G9: a prompt that a repeated compaction swallowed is offered again, once, under a new id", async () => {
    const stage = openStage(workspace);
    stage.host.answers = ["hang"];
    await stage.host.prompt({ id: "msg_a", text: "Hello" });
    await stage.clock.pass(100);
    const answer = stage.host.rows.findLast(({ info }) => info.role === "assistant");
    if (answer) answer.info = { ...answer.info, summary: true };
    stage.host.release("stop");
    await stage.rest();
    expect(stage.states()).toEqual(["promoted"]);
    await stage.inbox.resume(session);
    await stage.rest();
    expect(stage.host.texts()).toEqual(["Hello", "Hello"]);
    expect(stage.states()).toEqual(["swallowed", "answered"]);
    expect(stage.host.calls).toHaveLength(2);
  });

  test("what the user took back is not offered again", async () => {
    const stage = await busy();
    await stage.host.prompt({ id: "msg_b", text: "A steer" });
    await interrupt(stage);
    stage.host.rows.splice(0);
    expect((await stage.inbox.resume(session)).kind).toBe("rest");
    await stage.rest();
    expect(stage.states()).toEqual(["undone", "undone"]);
    expect(stage.host.texts()).toEqual([]);
  });

  test("while an undo can be taken back, nothing is sent by itself", async () => {
    const stage = await busy();
    await queue(stage, "Queued");
    stage.host.revert = "undone";
    stage.host.release("stop");
    await stage.rest();
    expect((await stage.inbox.resume(session)).kind).toBe("undone");
    expect(stage.states()).toEqual(["answered", "waiting"]);
  });
});
