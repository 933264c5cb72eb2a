import { describe, expect, test } from "bun:test";
import type { ArrivingPrompt } from "../../../src/features/prompt.ts";
import type { Effect, Facts, Happening } from "../../../src/rooms/inbox/happenings.ts";
import type { StandingInput } from "../../../src/rooms/inbox/plan.ts";
import type { InputRecord } from "../../../src/rooms/inbox/records.ts";
import { reduce } from "../../../src/rooms/inbox/reduce.ts";
import type { Standing } from "../../../src/rooms/inbox/standing.ts";
import { emptyState, type State, sessionOf } from "../../../src/rooms/inbox/state.ts";
import { otherSession, session } from "../../storage/records.ts";

const START_MS = 1_000_000;

/** A process to which things happen, one after the other, while a clock goes on. */
class Process {
  state: State = emptyState;
  nowMs = START_MS;

  happens(...happenings: readonly Happening[]): readonly Effect[] {
    return happenings.flatMap((happening) => {
      const { state, effects } = reduce(this.state, { ...happening, atMs: this.nowMs });
      this.state = state;
      return effects;
    });
  }

  /** A prompt that came from outside, up to the host's own work on it. */
  comes(id: string): readonly Effect[] {
    const prompt = arriving(id);
    const record = input(id);
    if (!sessionOf(this.state, session).unpromoted) {
      this.happens({ kind: "rows read", sessionId: session, unpromoted: [] });
    }
    return this.happens({ kind: "admission", outcome: "admitted", prompt, record });
  }

  /** A look of this cause, up to what it finds. */
  looks(facts: Facts, cause: "settled" | "resume" | "look" = "settled"): readonly Effect[] {
    if (cause === "settled") this.happens({ kind: "woken", sessionId: session });
    else this.happens({ kind: "asked", sessionId: session, cause, ticket: 1 });
    return this.happens({ kind: "looked", sessionId: session, facts });
  }

  ends(end: "done" | "failed" = "done"): readonly Effect[] {
    return this.happens({ kind: "look ended", sessionId: session, end });
  }
}

function input(id: string, change: Partial<InputRecord> = {}): InputRecord {
  return {
    sessionId: session,
    id,
    rank: 1,
    delivery: "steer",
    state: "handed",
    messageId: id,
    digest: "",
    preview: "",
    admittedAtMs: 1,
    promotedAtMs: null,
    ...change,
  };
}

const queued = (id: string) => input(id, { delivery: "queue", state: "waiting", messageId: null });

function arriving(id: string): ArrivingPrompt {
  const model = { providerID: "anthropic", modelID: "claude" };
  const asked = { agent: null, model: null, variant: null };
  return { sessionId: session, message: { id, agent: "build", model }, parts: [], asked };
}

const open = (...standings: readonly Standing[]): readonly StandingInput[] =>
  standings.map((standing, index) => ({ input: input(`msg_${index}`), standing }));

type Found = Extract<Facts, { kind: "found" }>;

function found(change: Partial<Found> = {}): Found {
  return {
    kind: "found",
    revert: "none",
    turn: { end: "clean", openTools: [] },
    working: [],
    head: null,
    waiting: change.head ? 1 : 0,
    since: "nothing",
    newest: { agent: null, model: null, variant: null },
    freshIds: ["fresh_0", "fresh_1", "fresh_2", "fresh_3"],
    ...change,
  };
}

const nothing = { kind: "nothing" } as const;
const woken = { kind: "woken", sessionId: session } as const;
const lookAgain = { kind: "later", happening: woken, delayMs: 11_000 } as const;
const answer = (...tickets: readonly number[]) =>
  ({ kind: "answer", tickets, drive: nothing }) as const;
const look = (cause: "settled" | "resume" | "look" = "settled") =>
  ({ kind: "look", sessionId: session, cause }) as const;
const ask = (cause: "resume" | "look", ticket: number) =>
  ({ kind: "asked", sessionId: session, cause, ticket }) as const;
const interrupt = (ticket: number) =>
  ({ kind: "interrupted", sessionId: session, ticket }) as const;
const status = (to: "busy" | "idle") =>
  ({ kind: "status", sessionId: session, status: to }) as const;
const mine = { kind: "leased", sessionId: session, answer: "mine" } as const;
const saved = (messageId: string) => ({ kind: "saved", sessionId: session, messageId }) as const;
const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);

describe("looks", () => {
  test("H1: those who ask for the same while none has begun are answered together", () => {
    const process = new Process();
    expect(process.happens(ask("resume", 1))).toEqual([look("resume")]);
    expect(process.happens(ask("resume", 2), ask("look", 4), ask("resume", 3))).toEqual([]);
    const looked = { kind: "looked", sessionId: session, facts: { kind: "busy" } } as const;
    expect(process.happens(looked)).toEqual([]);
    const busy = { kind: "answer", tickets: [1], drive: { kind: "busy" } } as const;
    expect(process.ends()).toEqual([busy, look("resume")]);
    expect(process.ends()).toEqual([answer(2, 3), look("look")]);
    expect(process.ends()).toEqual([answer(4)]);
    expect(sessionOf(process.state, session).look).toBeNull();
  });

  test("H2: three wakes during one are one more look, and a look that is asked for is that one", () => {
    const process = new Process();
    expect(process.happens(woken, woken, woken, woken)).toEqual([look()]);
    expect(process.ends()).toEqual([look()]);
    expect(process.ends()).toEqual([]);
    expect(process.happens(woken, woken, ask("resume", 1))).toEqual([look()]);
    expect(process.ends()).toEqual([look("resume")]);
    expect(process.ends()).toEqual([answer(1)]);
  });

  test("H3: to interrupt where nothing is looked at is answered at once, and drops what was asked", () => {
    expect(new Process().happens(interrupt(1))).toEqual([answer(1)]);
  });

  test("H4: whoever interrupts a look hears of its end; what was asked before is dropped, what is asked meanwhile comes after", () => {
    const process = new Process();
    process.happens(woken, woken, ask("look", 1));
    expect(process.happens(interrupt(2), interrupt(3))).toEqual([answer(1)]);
    expect(process.ends()).toEqual([answer(2, 3)]);
    process.happens(woken, interrupt(4), woken);
    expect(process.ends()).toEqual([answer(4), look()]);
    expect(sessionOf(process.state, session).look?.leave).toBe("given");
  });

  test("H4: an interrupted look sends nothing; it settles what is answered, and shows a hold", () => {
    const process = new Process();
    const settled = { kind: "settle", id: "msg_0", state: "answered" } as const;
    process.happens(woken, interrupt(1));
    const facts = found({ head: queued("q"), working: open("answered") });
    expect(process.happens({ kind: "looked", sessionId: session, facts })).toEqual([settled]);
    process.ends();
    process.happens(woken, interrupt(2));
    const held = found({ head: queued("q"), turn: { end: "failed", openTools: [] } });
    expect(kinds(process.happens({ kind: "looked", sessionId: session, facts: held }))).toEqual([
      "show",
    ]);
  });

  test("H5: each session has its own", () => {
    const process = new Process();
    const other = { ...look(), sessionId: otherSession };
    expect(process.happens(woken, { ...woken, sessionId: otherSession })).toEqual([look(), other]);
  });

  test("H6: one that failed answers that nothing came of it, and the next begins", () => {
    const process = new Process();
    process.looks(found({ head: queued("q") }), "resume");
    process.happens(woken);
    expect(process.ends("failed")).toEqual([answer(1), look()]);
  });

  test("a deleted session's asks are answered; its rows are read again if it comes back", () => {
    const process = new Process();
    process.comes("msg_a");
    process.happens(woken, ask("look", 1));
    expect(process.happens({ kind: "deleted", sessionId: session })).toEqual([answer(1)]);
    expect(sessionOf(process.state, session).unpromoted).toBeNull();
  });
});

describe("one step of a look", () => {
  test("a queued prompt is handed under its own message id, or else a fresh one", () => {
    const hand = (head: InputRecord) => {
      const [effect, ...rest] = new Process().looks(found({ head }));
      expect(rest).toEqual([lookAgain]);
      return effect;
    };
    expect(hand(queued("q"))).toMatchObject({ kind: "hand", messageId: "fresh_3" });
    expect(hand({ ...queued("q"), messageId: "msg_own" })).toMatchObject({ messageId: "msg_own" });
  });

  test("what was never saved goes in one batch; only the last asks for a reply", () => {
    const effects = new Process().looks(found({ working: open("unsaved", "unsaved") }), "resume");
    expect(effects).toMatchObject([
      { kind: "send", input: { id: "msg_0" }, as: "batch" },
      lookAgain,
      { kind: "send", input: { id: "msg_1" }, as: "alone" },
      lookAgain,
    ]);
  });

  test("what was swallowed or torn is replaced under fresh ids, in order, and sent", () => {
    const working = open("swallowed", "unanswered", "torn");
    const [, ...effects] = new Process().looks(found({ working }), "resume");
    const fresh = (id: string) =>
      input(id, { id, messageId: id, state: "handed", promotedAtMs: null });
    expect(effects).toEqual([
      { kind: "replace", id: "msg_0", messageId: "fresh_0" },
      { kind: "replace", id: "msg_2", messageId: "fresh_1" },
      { kind: "send", input: fresh("fresh_0"), as: "batch" },
      lookAgain,
      { kind: "send", input: fresh("fresh_1"), as: "alone" },
      lookAgain,
    ]);
  });

  test("what is saved runs again by its newest prompt", () => {
    const effects = new Process().looks(found({ working: open("unanswered") }), "resume");
    expect(effects).toMatchObject([
      { kind: "save", ids: ["msg_0"] },
      { kind: "send", input: { id: "msg_0" }, as: "again" },
      lookAgain,
    ]);
  });

  test("only what is found and not marked yet is saved", () => {
    const saves = (state: InputRecord["state"], promotedAtMs: number | null) => {
      const working = [
        { input: input("a", { state, promotedAtMs }), standing: "swallowed" },
      ] as const;
      return kinds(new Process().looks(found({ working }), "look"));
    };
    expect(saves("handed", null)).toEqual(["save"]);
    expect(saves("saved", null)).toEqual([]);
    expect(saves("promoted", 1)).toEqual([]);
  });

  test("what only looks settles rows and takes no step", () => {
    const working = open("answered", "undone", "unsaved");
    expect(new Process().looks(found({ working, head: queued("q") }), "look")).toEqual([
      { kind: "settle", id: "msg_0", state: "answered" },
      { kind: "settle", id: "msg_1", state: "undone" },
    ]);
  });

  test("while an undo can be taken back, rows settle and nothing is sent", () => {
    const process = new Process();
    const facts = found({ revert: "undone", head: queued("q"), working: open("answered") });
    expect(kinds(process.looks(facts, "resume"))).toEqual(["settle"]);
    expect(process.ends()).toMatchObject([{ drive: { kind: "undone" } }]);
  });

  test("a prompt on its way is no interruption: the session is looked at again later", () => {
    const process = new Process();
    process.comes("msg_0");
    expect(process.looks(found({ working: open("unsaved") }))).toEqual([lookAgain]);
    expect(process.ends()).toEqual([]);
    process.nowMs += 9_999;
    expect(process.looks(found({ working: open("unsaved") }))).toEqual([lookAgain]);
    process.ends();
    expect(process.looks(found({ working: open("torn") }), "resume")).toEqual([lookAgain]);
    expect(process.ends()).toMatchObject([{ drive: { found: { findings: { unsaved: 0 } } } }]);
    process.nowMs += 1;
    expect(kinds(process.looks(found({ working: open("unsaved") })))).toEqual(["show"]);
  });

  test("one that the history has is waited for two seconds, and not on the user's word", () => {
    const process = new Process();
    process.comes("msg_0");
    process.nowMs += 1_999;
    const facts = found({ working: [{ input: input("msg_0"), standing: "unanswered" }] });
    expect(kinds(process.looks(facts))).toEqual(["save", "later"]);
    process.ends();
    expect(kinds(process.looks(facts, "resume"))).toEqual(["save", "send", "later"]);
    process.ends();
    process.nowMs += 1;
    expect(kinds(process.looks(facts))).toEqual(["save", "show"]);
  });

  test("where nothing is open, it rests without another look", () => {
    expect(new Process().looks(found())).toEqual([]);
    const promoted = input("msg_0", { promotedAtMs: 1 });
    const process = new Process();
    process.comes("msg_0");
    const working = [{ input: promoted, standing: "unanswered" }] as const;
    expect(process.looks(found({ working }))).toEqual([]);
  });

  test("what waits is looked at again later, while a prompt that has been read is on its way", () => {
    const process = new Process();
    process.comes("msg_0");
    const working = [
      { input: input("msg_0", { promotedAtMs: 1 }), standing: "unanswered" },
    ] as const;
    expect(process.looks(found({ working, head: queued("q") }))).toEqual([lookAgain]);
  });

  test("a row without a message is on nobody's way", () => {
    const working = [{ input: input("a", { messageId: null }), standing: "unsaved" }] as const;
    expect(kinds(new Process().looks(found({ working })))).toEqual(["show"]);
  });
});

describe("a hold", () => {
  const failed = { end: "failed", openTools: [] } as const;

  test("is shown once until a prompt is admitted or its text changes", () => {
    const process = new Process();
    const looks = (waiting: number) => {
      const effects = process.looks(found({ head: queued("q"), turn: failed, waiting }));
      process.ends();
      return kinds(effects);
    };
    expect([looks(1), looks(1), looks(2), looks(2)]).toEqual([["show"], [], ["show"], []]);
    process.comes("msg_a");
    expect(looks(2)).toEqual(["show"]);
  });

  test("of an answer alone that was cut short is no news", () => {
    const cut = [{ input: input("a", { promotedAtMs: 1 }), standing: "unanswered" }] as const;
    expect(new Process().looks(found({ working: cut, turn: failed }))).toEqual([]);
    const torn = [{ input: input("a", { promotedAtMs: 1 }), standing: "torn" }] as const;
    expect(kinds(new Process().looks(found({ working: torn, turn: failed })))).toEqual(["show"]);
  });
});

describe("the lease", () => {
  const renewal = { kind: "later", happening: { kind: "renewal due" }, delayMs: 20_000 } as const;
  const acquire = { kind: "acquire", sessionId: session } as const;
  const release = { kind: "release", sessionId: session } as const;

  test("is taken with a prompt and with a turn, and renewed by one timer while it is held", () => {
    const process = new Process();
    expect(process.comes("msg_a")).toContainEqual(acquire);
    expect(process.happens(status("busy"))).toEqual([acquire]);
    expect(process.happens(mine)).toEqual([renewal]);
    expect(process.happens(mine, { ...mine, sessionId: otherSession })).toEqual([]);
    expect(process.happens(status("busy"))).toEqual([]);
    const other = { ...acquire, sessionId: otherSession };
    expect(process.happens({ kind: "renewal due" })).toEqual([renewal, acquire, other]);
  });

  test("that another process has taken is not renewed, and the timer ends", () => {
    const process = new Process();
    expect(process.happens({ ...mine, answer: "held" })).toEqual([]);
    process.happens(mine, { ...mine, answer: "held" });
    expect(process.happens({ kind: "renewal due" })).toEqual([]);
    expect(process.happens(mine)).toEqual([renewal]);
  });

  test("is given back when a look finds nothing open, unless a prompt is about to run", () => {
    for (const facts of [nothing, found(), found({ working: open("answered", "undone") })]) {
      const process = new Process();
      process.happens(mine);
      expect(process.looks(facts)).toContainEqual(release);
      expect(sessionOf(process.state, session).lease).toBe("none");
      process.ends();
      expect(process.looks(facts)).not.toContainEqual(release);
      process.comes("msg_a");
      process.happens(mine);
      process.ends();
      expect(process.looks(facts)).not.toContainEqual(release);
    }
  });

  test("is kept while a prompt is open, waits, or was admitted during the look", () => {
    const kept = [
      found({ working: open("unanswered") }),
      found({ head: queued("q") }),
      found({ since: "a prompt" }),
    ];
    for (const facts of kept) {
      const process = new Process();
      process.happens(mine);
      expect(process.looks(facts)).not.toContainEqual(release);
    }
  });

  test("of each session is given back when the inbox is closed", () => {
    const process = new Process();
    process.happens(mine, { ...mine, sessionId: otherSession });
    const other = { ...release, sessionId: otherSession };
    expect(process.happens({ kind: "closed" })).toEqual([release, other]);
    expect(process.state.life).toBe("closed");
    expect(process.happens({ kind: "closed" })).toEqual([]);
  });
});

describe("a prompt that comes", () => {
  const record = input("msg_a");
  const prompt = arriving("msg_a");
  const sending = (how: "first" | "whole" | "again") =>
    ({ kind: "sending", sessionId: session, messageId: "msg_a", how }) as const;
  const arrives = (known: InputRecord | null) => ({ kind: "arrives", prompt, known }) as const;

  test("from outside is admitted before anything else", () => {
    expect(new Process().happens(arrives(record))).toEqual([{ kind: "admit", prompt }]);
  });

  test("reads the session's rows where they are not known, takes the lease, and asks for its sources", () => {
    const process = new Process();
    const admitted = { kind: "admission", outcome: "admitted", prompt, record } as const;
    expect(kinds(process.happens(admitted))).toEqual(["read rows", "acquire", "check sources"]);
    const rows = { kind: "rows read", sessionId: session, unpromoted: ["msg_z"] } as const;
    expect(process.happens(rows)).toEqual([]);
    expect(kinds(process.happens(admitted))).toEqual(["acquire", "check sources"]);
    expect([...(sessionOf(process.state, session).unpromoted ?? [])]).toEqual(["msg_z", "msg_a"]);
  });

  test("and that we sent is brought in, once", () => {
    const process = new Process();
    process.happens(sending("first"));
    expect(process.happens(arrives(record)).slice(-2)).toEqual([
      { kind: "check sources", prompt, record },
      { kind: "bring in", prompt, record },
    ]);
    expect(kinds(process.happens(arrives(record)))).toEqual(["admit"]);
  });

  test("and whose row is gone is admitted like one from outside", () => {
    const process = new Process();
    expect(process.happens(sending("whole"))).toEqual([]);
    expect(kinds(process.happens(arrives(null)))).toEqual(["admit"]);
    expect(kinds(process.happens(arrives(record)))).toEqual(["admit"]);
  });

  test("of the queue waits on where the session has become busy, and nothing else does", () => {
    const row = input("msg_a", { delivery: "queue" });
    const outcome = (how: "first" | "whole", known: InputRecord, taken: Happening) => {
      const process = new Process();
      process.happens(taken, sending(how));
      return kinds(process.happens(arrives(known)));
    };
    const brought: Effect["kind"][] = ["read rows", "acquire", "check sources", "bring in"];
    expect(outcome("first", row, status("busy"))).toEqual(["turn back", "refuse"]);
    expect(outcome("first", row, status("idle"))).toEqual(brought);
    expect(outcome("whole", row, status("busy"))).toEqual(brought);
    expect(outcome("first", record, status("busy"))).toEqual(brought);
  });

  test("is taken for arriving for two seconds, or until the session has run", () => {
    const held = (lateMs: number, between: readonly Happening[]) => {
      const process = new Process();
      process.comes("msg_b");
      process.nowMs += lateMs;
      process.happens(...between, sending("first"));
      const row = input("msg_a", { delivery: "queue" });
      return kinds(process.happens(arrives(row))).includes("refuse");
    };
    expect(held(1_999, [])).toBe(true);
    expect(held(2_000, [])).toBe(false);
    expect(held(0, [status("idle")])).toBe(false);
  });

  test("without its sources goes back into the inbox, and is on its way no longer", () => {
    const process = new Process();
    process.comes("msg_0");
    const [zero, keys] = [arriving("msg_0"), ["team/a", "team/b"]];
    const event = { kind: "sources missing", prompt: zero, record: input("msg_0"), keys } as const;
    expect(process.happens(event)).toEqual([
      { kind: "turn back", id: "msg_0" },
      {
        kind: "refuse",
        reason: "unavailable",
        text: 'The prompt was kept and not sent: team/a, team/b can\'t be loaded, and onUnavailable is "block". /ctx-resume tries again; onUnavailable: "omit" sends prompts without it.',
      },
    ]);
    expect(kinds(process.looks(found({ working: open("unsaved") })))).toEqual(["show"]);
  });

  test("under a taken id is a conflict that says of what", () => {
    const text = (other: InputRecord) => {
      const event = { kind: "admission", outcome: "conflict", prompt, record: other } as const;
      const [effect] = new Process().happens(event);
      return effect?.kind === "refuse" ? effect.text : "";
    };
    expect(text({ ...record, sessionId: otherSession })).toContain("a prompt of another session.");
    expect(text({ ...record, delivery: "queue" })).toContain("a prompt of the queue.");
    expect(text(record)).toContain("a different prompt of this session.");
  });

  test("again asks the host what it has, and completes that", () => {
    const process = new Process();
    const retry = { kind: "admission", outcome: "retry", prompt, record } as const;
    expect(process.happens(retry)).toEqual([{ kind: "read retry", prompt, record }]);
    const host = { info: {}, partIds: [] };
    const current = input("msg_a", { state: "saved" });
    const read = { kind: "retry read", prompt, record, current, saved: host } as const;
    expect(process.happens(read).slice(-2)).toEqual([
      { kind: "check sources", prompt, record: current },
      { kind: "complete", prompt, record: current, saved: host },
    ]);
  });

  test("again is a new prompt where the host has lost it, or it is over and was taken back", () => {
    const again = (
      before: InputRecord["state"],
      now: InputRecord["state"],
      host: "has" | "lost",
    ) => {
      const saved = host === "has" ? { info: {}, partIds: [] } : null;
      const rows = {
        record: input("msg_a", { state: before }),
        current: input("msg_a", { state: now }),
      };
      const effects = new Process().happens({ kind: "retry read", prompt, saved, ...rows });
      return effects[0]?.kind === "admit again";
    };
    for (const state of ["saved", "promoted", "answered", "recorded", "undone"] as const) {
      expect(again(state, state, "lost")).toBe(true);
      expect(again(state, state, "has")).toBe(false);
    }
    for (const state of ["handed", "refused"] as const) {
      expect(again(state, state, "lost")).toBe(false);
    }
    // The host was asked before it saved it.
    expect(again("handed", "saved", "lost")).toBe(false);
  });
});

describe("a prompt by code", () => {
  const by = (kind: "admitted" | "retry" | "conflict", record: InputRecord) =>
    ({ kind: "by code", admission: { kind, record }, reply: "wanted" }) as const;

  test("of the queue wakes the session; a conflict does nothing", () => {
    expect(new Process().happens(by("admitted", queued("q")))).toEqual([look()]);
    expect(new Process().happens(by("conflict", queued("q")))).toEqual([]);
  });

  test("is sent, and recorded where it wants no reply", () => {
    const admitted = by("admitted", input("msg_a"));
    const sent = { kind: "send", as: "alone" };
    expect(new Process().happens(admitted)).toMatchObject([sent, lookAgain]);
    expect(new Process().happens({ ...admitted, reply: "none" })).toMatchObject([
      sent,
      lookAgain,
      { kind: "settle", id: "msg_a", state: "recorded" },
    ]);
  });

  test("again is sent only where nothing comes of it by itself", () => {
    const sends = (state: InputRecord["state"], ...before: readonly Happening[]) => {
      const process = new Process();
      process.happens(...before);
      return process.happens(by("retry", input("msg_a", { state }))).length > 0;
    };
    const sending = {
      kind: "sending",
      sessionId: session,
      messageId: "msg_a",
      how: "first",
    } as const;
    const lost = { kind: "not sent", messageId: "msg_a" } as const;
    const unsent = input("msg_a", { messageId: null });
    expect(new Process().happens(by("retry", unsent))).toEqual([]);
    const first = new Process();
    expect(first.happens(sending, by("admitted", input("msg_a")))).toHaveLength(2);
    expect(first.happens(lost)).toEqual([]);
    for (const state of ["handed", "refused"] as const) {
      expect([sends(state), sends(state, sending), sends(state, sending, lost)]).toEqual([
        true,
        false,
        true,
      ]);
    }
    for (const state of ["saved", "promoted"] as const) {
      expect([sends(state), sends(state, status("busy"))]).toEqual([true, false]);
    }
    for (const state of ["recorded", "answered", "dropped", "undone", "swallowed"] as const) {
      expect(sends(state)).toBe(false);
    }
  });
});

describe("a saved prompt", () => {
  const timer = (effects: readonly Effect[]) =>
    effects.flatMap((effect) => (effect.kind === "later" ? [effect.happening] : []));
  const other = { kind: "status", sessionId: otherSession, status: "busy" } as const;

  test("that was never admitted here, or is promoted, is not followed", () => {
    const process = new Process();
    expect(process.happens(saved("msg_a"))).toEqual([]);
    process.comes("msg_a");
    process.happens({ kind: "promoted", sessionId: session, messageIds: ["msg_a"] });
    expect(process.happens(saved("msg_a"))).toEqual([]);
  });

  test("G7: asked for no reply where its session stays idle for a second in a quiet process", () => {
    const process = new Process();
    process.comes("msg_a");
    const effects = process.happens(saved("msg_a"));
    expect(kinds(effects)).toEqual(["later", "follow parts"]);
    expect(effects[0]).toMatchObject({ delayMs: 1_000 });
    process.nowMs += 1_000;
    expect(process.happens(...timer(effects))).toMatchObject([{ kind: "check idle" }]);
    expect(process.happens(...timer(effects))).toEqual([]);
    for (const state of ["handed", "saved"] as const) {
      const event = { kind: "still idle", input: input("msg_a", { state }) } as const;
      expect(process.happens(event)).toEqual([{ kind: "settle", id: "msg_a", state: "recorded" }]);
    }
    for (const row of [input("msg_a", { state: "promoted" }), null]) {
      expect(process.happens({ kind: "still idle", input: row })).toEqual([]);
    }
  });

  test("G7: in a turn that runs asks for a reply", () => {
    const process = new Process();
    process.comes("msg_a");
    expect(kinds(process.happens(status("busy"), saved("msg_a")))).toEqual([
      "acquire",
      "follow parts",
    ]);
  });

  test("G7: is waited for while its session is not known to have run, and not when it has", () => {
    const process = new Process();
    process.comes("msg_0");
    const due = timer(process.happens(saved("msg_0")));
    process.nowMs += 500_000;
    const facts = found({ working: [{ input: input("msg_0"), standing: "unanswered" }] });
    expect(kinds(process.looks(facts))).toEqual(["save", "later"]);
    process.ends();
    process.happens({ ...other }, { ...other, status: "idle" });
    expect(kinds(process.looks(facts))).toEqual(["save", "later"]);
    process.ends();
    process.happens(status("busy"), status("idle"));
    expect(kinds(process.looks(facts))).toEqual(["save", "show"]);
    expect(process.happens(...due)).toEqual([]);
  });

  test("G7: is not affected by another session's turn", () => {
    const process = new Process();
    process.comes("msg_0");
    const due = timer(process.happens(saved("msg_0")));
    expect(process.happens({ ...other, status: "idle" })).toEqual([]);
    process.happens(other);
    process.nowMs += 1_000;
    const again = timer(process.happens(...due));
    process.nowMs += 1_000;
    expect(kinds(process.happens(...again))).toEqual(["check idle"]);
    process.nowMs += 500_000;
    const torn = found({ working: open("torn") });
    expect(kinds(process.looks(torn))).toEqual(["show"]);
  });

  test("G7: that seems to want no reply may still run until two seconds have passed", () => {
    const process = new Process();
    process.comes("msg_0");
    const due = timer(process.happens(saved("msg_0")));
    process.nowMs += 1_000;
    process.happens(...due);
    const facts = found({ working: [{ input: input("msg_0"), standing: "unanswered" }] });
    process.nowMs += 999;
    expect(kinds(process.looks(facts))).toEqual(["save", "later"]);
  });

  test("G7: whose parts are missing is not waited for because its session is quiet", () => {
    const process = new Process();
    process.comes("msg_0");
    process.happens(saved("msg_0"));
    process.nowMs += 500_000;
    expect(kinds(process.looks(found({ working: open("torn") })))).toEqual(["show"]);
  });

  test("G7: the wait begins again when a prompt comes, is saved or begins to run, or the timer is late", () => {
    const stirred = (lateMs: number, ...between: readonly Happening[]) => {
      const process = new Process();
      process.comes("msg_a");
      process.comes("msg_b");
      const due = timer(process.happens(saved("msg_a")));
      process.happens(...between);
      process.nowMs += 1_000 + lateMs;
      return kinds(process.happens(...due))[0] === "later";
    };
    const admitted = { kind: "admission", outcome: "admitted" } as const;
    const comes = { ...admitted, prompt: arriving("msg_c"), record: input("msg_c") };
    expect(stirred(0)).toBe(false);
    expect(stirred(250)).toBe(false);
    expect(stirred(251)).toBe(true);
    expect(stirred(0, comes)).toBe(true);
    expect(stirred(0, saved("msg_b"))).toBe(true);
    expect(stirred(0, other)).toBe(true);
    expect(stirred(0, comes, saved("msg_b"))).toBe(true);
    expect(stirred(0, other, saved("msg_b"))).toBe(true);
    expect(stirred(0, { ...other, status: "idle" })).toBe(false);
  });

  test("G7: a session that runs on begins nothing, and thirty waits are enough", () => {
    const process = new Process();
    process.happens(other);
    process.comes("msg_a");
    let due = timer(process.happens(saved("msg_a")));
    process.happens(other);
    for (let waits = 1; waits < 30; waits += 1) {
      process.happens({ ...other, status: "idle" }, other);
      process.nowMs += 1_000;
      due = timer(process.happens(...due));
      expect(due).toHaveLength(1);
    }
    process.happens({ ...other, status: "idle" }, other);
    expect(process.happens(...due)).toMatchObject([{ kind: "check idle" }]);
    const calm = new Process();
    calm.happens(other);
    calm.comes("msg_a");
    const timers = timer(calm.happens(saved("msg_a")));
    calm.happens(other);
    expect(calm.happens(...timers)).toMatchObject([{ kind: "check idle" }]);
  });
});

describe("promotion", () => {
  test("is written after the send, with the time at which the boundary held the prompt", () => {
    const process = new Process();
    const boundary = { kind: "boundary", sessionId: session, afterSendMs: 40 } as const;
    expect(process.happens({ ...boundary, whole: [] })).toEqual([]);
    const happening = {
      kind: "call sent",
      sessionId: session,
      messageIds: ["msg_a"],
      foundAtMs: START_MS,
    } as const;
    expect(process.happens({ ...boundary, whole: ["msg_a"] })).toEqual([
      { kind: "later", happening, delayMs: 40 },
    ]);
    process.nowMs += 40;
    expect(process.happens(happening)).toMatchObject([
      { kind: "promote", messageIds: ["msg_a"], foundAtMs: START_MS },
    ]);
  });

  test("of a turn that is over already wakes the session: it was looked at too early", () => {
    const process = new Process();
    process.comes("msg_a");
    process.comes("msg_b");
    const promoted = { kind: "promoted", sessionId: session, messageIds: ["msg_a"] } as const;
    process.happens({ kind: "rows read", sessionId: session, unpromoted: ["msg_a", "msg_b"] });
    process.happens(status("busy"));
    expect(process.happens(promoted)).toEqual([]);
    expect([...(sessionOf(process.state, session).unpromoted ?? [])]).toEqual(["msg_b"]);
    process.happens(status("idle"));
    expect(process.happens(promoted)).toEqual([look()]);
  });

  test("is not waited for of a message that was taken back", () => {
    const process = new Process();
    const row = input("msg_a");
    expect(process.happens({ kind: "removed", input: row, messageId: "msg_a" })).toEqual([
      { kind: "settle", id: "msg_a", state: "undone" },
    ]);
    process.comes("msg_a");
    process.happens({ kind: "removed", input: row, messageId: "msg_a" });
    expect([...(sessionOf(process.state, session).unpromoted ?? [])]).toEqual([]);
  });
});

test("prompts that are long over are forgotten once a thousand are known; those still on their way stay", () => {
  const process = new Process();
  process.comes("msg_quiet");
  process.happens(saved("msg_quiet"));
  process.happens({ kind: "sending", sessionId: session, messageId: "msg_sent", how: "whole" });
  for (let index = 0; index < 998; index += 1) process.comes(`msg_${index}`);
  process.nowMs += 10_000;
  process.comes("msg_late");
  expect(process.state.passages.size).toBe(1_001);
  process.nowMs += 1;
  process.comes("msg_last");
  expect([...process.state.passages.keys()]).toEqual([
    "msg_quiet",
    "msg_sent",
    "msg_late",
    "msg_last",
  ]);
});
