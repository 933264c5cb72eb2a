import { describe, expect, test } from "bun:test";
import type { SourcedFact } from "../../../src/features/memory/promote.ts";
import type { MemoryPort } from "../../../src/features/summaries/memory-port.ts";
import { createResummaryStore } from "../../../src/features/summaries/resummary.ts";
import { readHistorianSection } from "../../../src/features/summaries/section.ts";
import { createResummaryJob } from "../../../src/features/summaries/work.ts";
import { measureParts } from "../../../src/history/measured-history.ts";
import { countWorkTokens } from "../../../src/history/work.ts";
import type { HostPart } from "../../../src/ledger/message.ts";
import { toCommitId, toForkId } from "../../../src/project/project.ts";
import { createProjectStore } from "../../../src/project/store.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { assistant, text, user } from "../../ledger/history.ts";
import { Workspace } from "../../storage/workspace.ts";
import { segmentXml, wrapInHistory } from "./answers.ts";
import { given, HistorianStage, PLACE, session, turns, wellWritten } from "./stage.ts";

const workspace = new Workspace();
const open = (deps: ConstructorParameters<typeof HistorianStage>[1] = {}) =>
  new HistorianStage(workspace, deps);

describe("a batch", () => {
  test("W1: is what lies beyond the tail, ends with a turn, and is written once", async () => {
    const stage = open();
    await stage.sent(turns(10));
    expect(stage.jobs()).toEqual([]);
    await stage.sent(turns(14));
    expect(stage.calls.map(given)).toEqual([16]);
    expect(stage.ranges()).toEqual(["0-3", "4-7", "8-11", "12-15"]);
    await stage.sent(turns(14));
    await stage.sent(turns(15));
    expect(stage.calls).toHaveLength(1);
    await stage.sent(turns(22));
    expect(stage.calls.map(given)).toEqual([16, 16]);
    expect(stage.ranges().at(-1)).toBe("28-31");
  });

  test("holds the session's words, its place, and the model that wrote it", async () => {
    const stage = open();
    await stage.sent(turns(14));
    const [first] = stage.segments();
    expect(first).toMatchObject({
      ...{ firstId: "u0", lastId: "a1", place: 0, messageCount: 4, model: "mock/small" },
      ...{ kind: "fix", importance: 50, generation: 0, project: "folder:/project" },
    });
    const written = stage.read(stage.messages);
    expect(written).toHaveLength(4);
    expect(stage.read(stage.messages)).toBe(written);
  });

  test("I29: is the joined project's where a fork is joined while the model is asked", async () => {
    const [id, root] = [toForkId("c0ffee", "h/b"), toCommitId("c0ffee")];
    const fork = { id, name: "clone", worktree: "/work/clone" };
    const stage = open({ project: fork });
    const projects = createProjectStore(stage.driver);
    projects.enter({ id: root, name: "shop", worktree: "/work/shop" }, 1);
    projects.enter(fork, 1);
    projects.claimRemote(id, "h/b", "h/a");
    stage.answer = (call) => {
      projects.joinFork(id);
      return wellWritten(call);
    };
    await stage.sent(turns(14));
    expect(new Set(stage.segments().map(({ project }) => project))).toEqual(new Set([root]));
  });

  test("gives the segments before it to the model", async () => {
    const stage = open();
    await stage.sent(turns(14));
    await stage.sent(turns(24));
    expect(stage.calls[0]?.prompt).toContain("<earlier_segments></earlier_segments>");
    const said = stage.calls[1]?.prompt.match(/<segment kind="fix">[^<]+/g) ?? [];
    expect([...said]).toEqual([
      ...Array.from({ length: 3 }, () => '<segment kind="fix">It was done.'),
      '<segment kind="fix">What was done, shorter.',
    ]);
  });

  test("W9: of a child session of the host's is never asked for", async () => {
    const stage = open();
    stage.children.add(session);
    await stage.sent(turns(30));
    expect(stage.jobs()).toEqual([]);
  });

  test("three quarters as large is enough for a session that comes to rest", async () => {
    const stage = open();
    await stage.sent(turns(10));
    expect(stage.jobs()).toEqual([]);
    stage.watch.onSettled(session);
    stage.watch.onSettled(session);
    await stage.runAll();
    expect(stage.calls.map(given)).toEqual([12]);
    const less = open();
    await less.sent(turns(9));
    less.watch.onSettled(session);
    expect(less.jobs()).toEqual([]);
  });

  test("of a third is enough where a fold is near, which is asked as the session grows", async () => {
    const stage = open();
    await stage.sent(turns(8));
    await stage.sent(turns(8));
    expect([stage.looks, stage.jobs().length]).toEqual([1, 0]);
    stage.foldIsNear = true;
    await stage.sent(turns(9));
    expect([stage.looks, stage.calls.length]).toEqual([2, 1]);
    expect(stage.ranges()).toEqual(["0-3", "4-7", "8-9"]);
  });

  test("is not asked for while one waits", async () => {
    const stage = open();
    await stage.watch.onSent(session, turns(14));
    await stage.watch.onSent(session, turns(20));
    await stage.watch.onSent(session, turns(30));
    expect(stage.jobs()).toHaveLength(1);
  });

  test("W7: whose messages are gone or read differently is not written", async () => {
    for (const changed of [turns(14, 900), turns(2)]) {
      const stage = open();
      await stage.watch.onSent(session, turns(14));
      stage.messages = changed;
      await stage.runAll();
      expect(stage.calls).toEqual([]);
      expect(stage.jobs()).toMatchObject([{ state: "settled" }]);
    }
  });

  test("W4: leaves its last segment for the next one, where its messages end no turn", async () => {
    const stage = open();
    const [prompt, ...rest] = turns(30).filter(({ info }, at) => at === 0 || info.role !== "user");
    const headless = prompt ? [prompt, ...rest] : [];
    await stage.sent(headless);
    const [first = ""] = stage.ranges();
    // The newest prompt is no segment's: it stays as it is.
    expect(first).toBe("1-4");
    const covered = stage.segments().reduce((sum, { messageCount }) => sum + messageCount, 0);
    expect(covered).toBeLessThan(given(stage.calls[0] ?? { system: "", prompt: "" }));
    await stage.sent(headless);
    expect(stage.ranges()[0]).toBe("1-4");
    const ends = stage.segments().map(({ place, messageCount }) => place + messageCount);
    expect(
      stage
        .segments()
        .slice(1)
        .map(({ place }) => place),
    ).toEqual(ends.slice(0, -1));
  });

  test("is not held up by a short one that a long turn follows", async () => {
    const stage = open();
    const long = turns(30).filter(({ info }, at) => at < 14 || info.role !== "user");
    await stage.sent(long.slice(0, 26));
    expect(stage.ranges()).toEqual(["0-3", "4-7", "8-11"]);
    await stage.sent(long);
    expect(stage.ranges()[3]).toBe("13-16");
  });

  test("I27: of a session that two processes have open is written once", async () => {
    const one = open();
    const other = open({ path: one.path });
    await Promise.all([
      one.watch.onSent(session, turns(14)),
      other.watch.onSent(session, turns(14)),
    ]);
    expect(one.jobs()).toHaveLength(1);
    one.messages = turns(14);
    await one.runAll();
    await other.sent(turns(15));
    expect([one.calls.length, other.calls.length]).toEqual([1, 0]);
    expect(other.read(turns(15))).toHaveLength(4);
  });

  test("W7: of a fork is what its parent has none for", async () => {
    const stage = open();
    await stage.sent(turns(14));
    const fork = "ses_fork" as SessionId;
    const copies = turns(24, 1_000, fork).map((message, index) => ({
      ...message,
      info: { ...message.info, id: `fork${index}` },
    }));
    await stage.sent(copies);
    expect(stage.ranges(fork)[0]).toBe("16-19");
    expect(stage.calls).toHaveLength(2);
  });
});

describe("a session", () => {
  test("with less work than it takes has no model asked, and has from then on", async () => {
    const stage = open({ leastTokens: 20_000 });
    await stage.sent(turns(18));
    expect(stage.calls).toEqual([]);
    await stage.sent(turns(21));
    expect(stage.calls).toHaveLength(1);
    // Once it has had so much, an undo doesn't end it.
    await stage.sent(turns(24).slice(22));
    expect(stage.jobs()).not.toEqual([]);
  });

  test("that the host has compacted has had a window full of work", async () => {
    const stage = open({ leastTokens: 400_000 });
    const [prompt, ...rest] = turns(14);
    if (!prompt) throw new Error("no prompt");
    const compaction = { ...prompt.parts[0], type: "compaction" } as HostPart;
    await stage.sent([{ ...prompt, parts: [compaction] }, ...rest]);
    expect(stage.calls).toHaveLength(1);
  });

  test("its words are no work", () => {
    const talk = [
      user("u", text("word ".repeat(9_000))),
      assistant("a", text("No. ".repeat(9_000))),
    ];
    expect(countWorkTokens(talk, measureParts)).toBe(0);
    expect(countWorkTokens(turns(2), measureParts)).toBeGreaterThan(2_000);
  });
});

describe("an answer", () => {
  const bad = wrapInHistory(segmentXml(2, 3));

  test("W3: that is bad is sent back once, with what is wrong", async () => {
    const stage = open();
    stage.answer = (call) => (stage.calls.length === 1 ? bad : wellWritten(call));
    await stage.sent(turns(14));
    expect(stage.calls).toHaveLength(2);
    expect(stage.calls[1]?.prompt).toContain("- Segment 1 starts at m2, not m1.");
    expect(stage.calls[1]?.prompt).toContain("&lt;segment from=&quot;m2&quot;");
    expect(stage.ranges()).toHaveLength(4);
  });

  test.each([
    ["bad twice", bad],
    ["prose", "No."],
    ["a megabyte", "x".repeat(1_000_000)],
  ])(
    "that stays bad (%s) is given up after two calls, which end the session's summaries over restarts",
    async (_, text) => {
      const stage = open();
      stage.answer = () => text;
      await stage.sent(turns(14));
      await stage.sent(turns(15));
      expect(stage.calls).toHaveLength(2);
      expect(stage.jobs()).toMatchObject([{ state: "given_up", error: "bad_answer", attempts: 1 }]);
      expect(stage.calls.every(({ prompt }) => prompt.length < 60_000)).toBe(true);
      stage.answer = (call) => wellWritten(call);
      await stage.sent(turns(24));
      const restarted = open({ path: stage.path });
      await restarted.sent(turns(34));
      expect([stage.calls.length, restarted.calls.length]).toEqual([2, 0]);
      // Other sessions have theirs.
      await restarted.sent(turns(14, 1_000, "ses_2" as SessionId));
      expect(restarted.calls).toHaveLength(1);
    },
  );

  test("that stays bad ends them until the user has the session written again", async () => {
    const stage = open();
    stage.answer = () => bad;
    await stage.sent(turns(14));
    stage.answer = (call) => wellWritten(call);
    createResummaryStore(stage.driver).begin(session, PLACE, 5);
    await stage.runAll();
    expect(stage.segments(session, 1).length).toBeGreaterThan(0);
    const calls = stage.calls.length;
    await stage.sent(turns(34));
    expect(stage.calls.length).toBeGreaterThan(calls);
  });

  test("that stays bad when the user has the session written again ends them as well", async () => {
    const stage = open();
    stage.answer = () => bad;
    await stage.sent(turns(14));
    createResummaryStore(stage.driver).begin(session, PLACE, 5);
    await stage.runAll();
    expect(stage.calls).toHaveLength(4);
    await stage.sent(turns(34));
    expect(stage.calls).toHaveLength(4);
    expect(readHistorianSection(stage.driver)(session, 1, null)?.text).toContain(
      "Ended for this session after two unusable answers",
    );
  });

  test("that is bad once and good when it is sent back ends nothing", async () => {
    const stage = open();
    stage.answer = (call) => (stage.calls.length % 2 === 1 ? bad : wellWritten(call));
    await stage.sent(turns(14));
    await stage.sent(turns(24));
    expect(stage.calls).toHaveLength(4);
    expect(stage.jobs().map(({ state }) => state)).toEqual(["settled", "settled"]);
  });

  test.each(["timeout", "unavailable", "rate_limited", "refused", "too_long"] as const)(
    "that does not come (%s) is asked for once more, later",
    async (fails) => {
      const stage = open();
      stage.answer = () => ({ fails });
      await stage.sent(turns(14));
      expect(stage.calls).toHaveLength(2);
      expect(stage.jobs()).toMatchObject([
        { state: "given_up", error: `${fails},${fails}`, attempts: 2 },
      ]);
    },
  );

  test("that comes late and is bad is not asked for a third time", async () => {
    const stage = open();
    stage.answer = () => (stage.calls.length === 1 ? { fails: "timeout" } : bad);
    await stage.sent(turns(14));
    expect(stage.calls).toHaveLength(2);
    expect(stage.jobs()).toMatchObject([{ state: "given_up", error: "timeout,bad_answer" }]);
  });

  test("that is empty counts as a bad one", async () => {
    const stage = open();
    stage.answer = () => ({ fails: "empty" });
    await stage.sent(turns(14));
    expect(stage.calls).toHaveLength(2);
    expect(stage.jobs()).toMatchObject([{ state: "given_up", error: "bad_answer" }]);
  });

  test("W10: comes from the next model of the chain where one fails, and from that one from then on", async () => {
    const stage = open({ models: ["a/one", "b/two"] });
    stage.answer = (call) => (call.model === "a/one" ? { fails: "refused" } : wellWritten(call));
    await stage.sent(turns(14));
    await stage.sent(turns(24));
    expect(stage.calls.map(({ model }) => model)).toEqual(["a/one", "b/two", "b/two"]);
    expect(stage.ranges()).not.toEqual([]);
  });

  test("is not asked for where there is no model, and nothing is lost", async () => {
    const stage = open();
    stage.answer = () => ({ fails: "no_model" });
    await stage.sent(turns(14));
    expect(stage.segments()).toEqual([]);
    expect(stage.jobs()).toMatchObject([{ state: "given_up", attempts: 3 }]);
  });
});

describe("facts", () => {
  const fact = '<fact category="CONSTRAINTS" importance="60">Node 20 or later.</fact>';
  const memory: MemoryPort = {
    known: async () => [{ category: "NAMING", text: "Rooms are folders." }],
    keep: async () => undefined,
    candidates: async () => [],
  };

  test("W6: are a job of their own, added with the settlement; what memory holds is in the request", async () => {
    const stage = open({ memory });
    stage.answer = (call) => wellWritten(call, fact);
    await stage.sent(turns(14));
    expect(stage.calls[0]?.prompt).toContain(
      '<memory category="NAMING">Rooms are folders.</memory>',
    );
    const rests = { source: "tool", segment: null } as const;
    const facts: readonly SourcedFact[] = [
      { category: "CONSTRAINTS", importance: 60, text: "Node 20 or later.", ...rests },
    ];
    expect(stage.jobs()).toMatchObject([
      { kind: "historian" },
      { kind: "historian-facts", key: "job 1", input: { sessionId: session, facts } },
    ]);
  });

  test("W8: are forgotten where memory is off, and where a session is written again", async () => {
    const off = open();
    off.answer = (call) => wellWritten(call, fact);
    await off.sent(turns(14));
    const again = open({ memory });
    again.answer = off.answer;
    again.messages = turns(14);
    again.add(
      createResummaryJob({ purpose: "recomp", sessionId: session, generation: 1, afterId: null }),
    );
    await again.runAll();
    const kinds = [...off.jobs(), ...again.jobs()].map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["historian"]));
  });
});

describe("a session that is written again", () => {
  const recomp = createResummaryJob({
    purpose: "recomp",
    sessionId: session,
    generation: 1,
    afterId: null,
  });

  test("W8: goes batch by batch to its tail; then what was written before goes", async () => {
    const stage = open();
    await stage.sent(turns(14));
    stage.messages = turns(30);
    stage.add(recomp);
    await stage.runAll();
    expect(stage.segments(session, 0)).toEqual([]);
    const records = stage.segments(session, 1);
    const ends = records.map(({ place, messageCount }) => place + messageCount);
    expect([0, ...ends.slice(0, -1)]).toEqual(records.map(({ place }) => place));
    expect(ends.at(-1)).toBeGreaterThan(48);
    expect(stage.read(stage.messages)).toHaveLength(records.length);
    // What comes later is written as ever.
    await stage.sent(turns(42));
    expect(stage.ranges(session, 1).length).toBeGreaterThan(records.length);
  });

  test("that is stopped keeps what was written before, and the newer of two", async () => {
    const stage = open();
    await stage.sent(turns(14));
    stage.messages = turns(30);
    stage.add(recomp);
    stage.answer = (call) => (stage.calls.length > 2 ? "No." : wellWritten(call));
    await stage.runAll();
    expect(stage.segments(session, 0)).toHaveLength(4);
    expect(stage.segments(session, 1)).toHaveLength(4);
    expect(stage.read(stage.messages)[0]?.place).toBe(12);
  });
});
