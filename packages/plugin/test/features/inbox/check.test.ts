import { describe, expect, test } from "bun:test";
import { runCheck } from "../../../src/features/inbox/check.ts";
import { decide } from "../../../src/features/inbox/plan.ts";
import type { InputRecord } from "../../../src/features/inbox/records.ts";
import { handToHost } from "../../../src/features/inbox/send.ts";
import { session } from "../../storage/records.ts";
import { found, input, kinds, open, Process, queued } from "./process.ts";

const lookAgain = { kind: "later", delayMs: 11_000 } as const;
const unseen = { input: input("msg_0"), standing: "unanswered" } as const;

describe("one step of a look", () => {
  test("a queued prompt is handed under its own message id, or else a fresh one", async () => {
    const handed = async (head: InputRecord) => {
      const [first, ...rest] = await new Process().looks(found({ head }));
      expect(rest).toMatchObject([{ kind: "send", reply: "wanted" }, lookAgain]);
      return first;
    };
    expect(await handed(queued("q"))).toMatchObject({ kind: "hand", messageId: "fresh_0" });
    const own = { ...queued("q"), messageId: "msg_own" };
    expect(await handed(own)).toMatchObject({ kind: "hand", messageId: "msg_own" });
  });

  test("what was never saved goes in one batch; only the last asks for a reply", async () => {
    const facts = found({ working: open("unsaved", "unsaved") });
    expect(await new Process().looks(facts, { cause: "resume" })).toMatchObject([
      { kind: "send", messageId: "msg_0", reply: "none" },
      lookAgain,
      { kind: "send", messageId: "msg_1", reply: "wanted" },
      lookAgain,
    ]);
  });

  test("what was swallowed or torn is replaced under fresh ids, in order, and sent", async () => {
    const working = open("swallowed", "unanswered", "torn");
    const [, ...did] = await new Process().looks(found({ working }), { cause: "resume" });
    expect(did).toEqual([
      { kind: "replace", id: "msg_0", messageId: "fresh_0" },
      { kind: "replace", id: "msg_2", messageId: "fresh_1" },
      { kind: "send", messageId: "fresh_0", reply: "none" },
      lookAgain,
      { kind: "send", messageId: "fresh_1", reply: "wanted" },
      lookAgain,
    ]);
  });

  test("what is saved runs again by its newest prompt", async () => {
    const facts = found({ working: open("unanswered") });
    expect(await new Process().looks(facts, { cause: "resume" })).toMatchObject([
      { kind: "save", ids: ["msg_0"] },
      { kind: "send", messageId: "msg_0" },
      lookAgain,
    ]);
  });

  test("only what is found and not marked yet is saved", async () => {
    const saves = async (state: InputRecord["state"], promotedAtMs: number | null) => {
      const row = input("a", { state, promotedAtMs });
      const working = [{ input: row, standing: "swallowed" }] as const;
      return kinds(await new Process().looks(found({ working }), { cause: "look" }));
    };
    expect(await saves("handed", null)).toEqual(["save"]);
    expect(await saves("saved", null)).toEqual([]);
    expect(await saves("promoted", 1)).toEqual([]);
  });

  test("what only looks settles rows and takes no step", async () => {
    const facts = found({ working: open("answered", "undone", "unsaved"), head: queued("q") });
    const process = new Process();
    expect(await process.looks(facts, { cause: "look" })).toEqual([
      { kind: "settle", id: "msg_0", state: "answered" },
      { kind: "settle", id: "msg_1", state: "undone" },
    ]);
    expect(process.drive).toMatchObject({ kind: "rest", found: { waiting: 1, unread: 1 } });
  });

  test("while an undo can be taken back, rows settle and nothing is sent", async () => {
    const process = new Process();
    const facts = found({ revert: "undone", head: queued("q"), working: open("answered") });
    expect(kinds(await process.looks(facts, { cause: "resume" }))).toEqual(["settle"]);
    expect(process.drive).toMatchObject({ kind: "undone", found: { waiting: 1 } });
  });

  test("H4: an interrupted look sends nothing; it settles what is answered, and shows a hold", async () => {
    const process = new Process();
    const facts = found({ head: queued("q"), working: open("answered") });
    expect(await process.looks(facts, { leave: "stopped" })).toEqual([
      { kind: "settle", id: "msg_0", state: "answered" },
    ]);
    expect(process.drive).toBeNull();
    const held = found({ head: queued("q"), turn: { end: "failed", openTools: [] } });
    expect(kinds(await process.looks(held, { leave: "stopped" }))).toEqual(["show"]);
    expect(process.drive).toMatchObject({ kind: "hold" });
  });

  test("a prompt on its way is no interruption: the session is looked at again later", async () => {
    const process = new Process();
    await process.comes("msg_0");
    const unsaved = found({ working: open("unsaved") });
    expect(await process.looks(unsaved)).toEqual([lookAgain]);
    process.clock.nowMs += 9_999;
    expect(await process.looks(unsaved)).toEqual([lookAgain]);
    const torn = found({ working: open("torn") });
    expect(await process.looks(torn, { cause: "resume" })).toEqual([lookAgain]);
    expect(process.drive).toMatchObject({ found: { unsaved: 0, unread: 1 } });
    process.clock.nowMs += 1;
    expect(kinds(await process.looks(unsaved))).toEqual(["show"]);
  });

  test("what is looked at again later wakes the session", async () => {
    const process = new Process();
    await process.comes("msg_0");
    await process.looks(found({ working: open("unsaved") }));
    expect(await process.passes(10_999)).toEqual([]);
    expect(await process.passes(1)).toEqual([{ kind: "wake", sessionId: session }]);
  });

  test("one that the history has is waited for two seconds, and not on the user's word", async () => {
    const process = new Process();
    await process.comes("msg_0");
    process.clock.nowMs += 1_999;
    const facts = found({ working: [unseen] });
    expect(kinds(await process.looks(facts))).toEqual(["save", "later"]);
    expect(kinds(await process.looks(facts, { cause: "resume" }))).toEqual([
      "save",
      "send",
      "later",
    ]);
    process.clock.nowMs += 2_000;
    expect(kinds(await process.looks(facts))).toEqual(["save", "show"]);
  });

  test("one that the history has is waited for no longer than two seconds", async () => {
    const process = new Process();
    await process.comes("msg_0");
    process.clock.nowMs += 2_000;
    expect(kinds(await process.looks(found({ working: [unseen] })))).toEqual(["save", "show"]);
  });

  test("where nothing is open, it rests without another look", async () => {
    expect(kinds(await new Process().looks(found()))).toEqual(["release"]);
    const promoted = input("msg_0", { promotedAtMs: 1 });
    const process = new Process();
    await process.comes("msg_0");
    const working = [{ input: promoted, standing: "unanswered" }] as const;
    expect(await process.looks(found({ working }))).toEqual([]);
  });

  test("what waits is looked at again later, while a prompt that has been read is on its way", async () => {
    const process = new Process();
    await process.comes("msg_0");
    const working = [
      { input: input("msg_0", { promotedAtMs: 1 }), standing: "unanswered" },
    ] as const;
    expect(await process.looks(found({ working, head: queued("q") }))).toEqual([lookAgain]);
  });

  test("a row without a message is on nobody's way", async () => {
    const working = [{ input: input("a", { messageId: null }), standing: "unsaved" }] as const;
    expect(kinds(await new Process().looks(found({ working })))).toEqual(["show"]);
  });
});

describe("a hold", () => {
  const failed = { end: "failed", openTools: [] } as const;

  test("is shown once until a prompt is admitted or its text changes", async () => {
    const process = new Process();
    const looks = async (waiting: number) =>
      kinds(await process.looks(found({ head: queued("q"), turn: failed, waiting })));
    expect([await looks(1), await looks(1), await looks(2), await looks(2)]).toEqual([
      ["show"],
      [],
      ["show"],
      [],
    ]);
    await process.comes("msg_a");
    expect(await looks(2)).toEqual(["show"]);
  });

  test("is known until work continues, and not touched by a look that rests", async () => {
    const process = new Process();
    const { holds } = process.instance;
    const held = found({ head: queued("q"), turn: failed });
    await process.looks(held);
    await process.comes("msg_a");
    await process.looks(held);
    const text = holds.findNotice(session);
    expect(text).toContain("The last turn failed");
    await process.looks(found({ working: open("unsaved"), since: "a prompt" }), { cause: "look" });
    expect(holds.findNotice(session)).toBe(text);
    expect(await process.looks(found({ since: "a prompt" }))).toEqual([]);
    expect(holds.findNotice(session)).toBe(text);
    for (const facts of [
      found({ working: open("unsaved") }),
      found({ working: open("swallowed") }),
      found({ working: open("unanswered") }),
      found({ head: queued("q") }),
    ]) {
      await process.looks(held);
      await process.looks(facts, { cause: "resume" });
      expect(holds.findNotice(session)).toBeNull();
    }
  });

  test("of an answer alone that was cut short is no news", async () => {
    const cut = [{ input: input("a", { promotedAtMs: 1 }), standing: "unanswered" }] as const;
    expect(await new Process().looks(found({ working: cut, turn: failed }))).toEqual([]);
    const torn = [{ input: input("a", { promotedAtMs: 1 }), standing: "torn" }] as const;
    expect(kinds(await new Process().looks(found({ working: torn, turn: failed })))).toEqual([
      "show",
    ]);
  });
});

describe("the lease of a session that is looked at", () => {
  const release = { kind: "release", sessionId: session } as const;
  const over = [found(), found({ working: open("answered", "undone") })];

  test("is given back when a look finds nothing open, unless a prompt is about to run", async () => {
    for (const facts of over) {
      const process = new Process();
      expect(await process.looks(facts)).toContainEqual(release);
      expect(process.instance.leases.has(session)).toBe(false);
      await process.comes("msg_a");
      expect(await process.looks(facts)).not.toContainEqual(release);
    }
  });

  test("is given back where there are no rows, once", async () => {
    const process = new Process();
    const looks = () => process.does(() => process.inbox.check(session));
    process.inbox.onEvent({ kind: "busy", sessionId: session });
    process.inbox.onEvent({ kind: "idle", sessionId: session });
    expect(await looks()).toEqual([release]);
    expect(await looks()).toEqual([]);
    process.inbox.onEvent({ kind: "busy", sessionId: session });
    expect(await looks()).toEqual([]);
  });

  test("is kept while a prompt is open, waits, or was admitted during the look", async () => {
    const kept = [
      found({ working: open("unanswered") }),
      found({ head: queued("q") }),
      found({ since: "a prompt" }),
    ];
    for (const facts of kept) {
      const process = new Process();
      expect(await process.looks(facts)).not.toContainEqual(release);
      expect(process.instance.leases.has(session)).toBe(true);
    }
  });
});

describe("a look ends before it decides anything", () => {
  const asked = { sessionId: session, leave: () => "given" as const, decide };

  test("where the session runs by the host's last word, unless somebody asks", async () => {
    const process = new Process();
    process.instance.traffic.recordRun(session);
    const did = await process.looks(found({ head: queued("q") }));
    expect([did, process.drive]).toEqual([[], { kind: "busy" }]);
    await process.looks(found({ head: queued("q") }), { cause: "resume" });
    expect(process.drive).toMatchObject({ kind: "promote" });
  });

  test("where another process has the lease, or the host runs the session", async () => {
    const elsewhere = new Process();
    Object.assign(elsewhere, { lease: "held", working: [input("msg_0")] });
    const looked = runCheck(elsewhere.instance, { ...asked, cause: "settled" });
    expect(await looked).toEqual({ kind: "elsewhere" });
    const busy = new Process();
    Object.assign(busy, { activity: "busy", working: [input("msg_0")] });
    expect(await runCheck(busy.instance, { ...asked, cause: "look" })).toEqual({ kind: "busy" });
  });
});

describe("a queued prompt that is handed", () => {
  test("is on its way; one that the host does not take is not, and no look is planned", async () => {
    const process = new Process();
    process.isBroken = true;
    const newest = { agent: null, model: null, variant: null };
    const handed = handToHost(process.instance, queued("q"), "msg_q", newest);
    expect(process.instance.traffic.mayStillArrive("msg_q", "unsaved")).toBe(true);
    await expect(handed).rejects.toThrow("refused");
    expect(process.instance.traffic.mayStillArrive("msg_q", "unsaved")).toBe(false);
    process.working = [];
    const looks = process.looks(found({ head: queued("q") }));
    await expect(looks).rejects.toThrow("refused");
    expect(kinds(process.did())).toEqual(["hand"]);
  });
});
