import { describe, expect, test } from "bun:test";
import { CheckScheduler } from "../../../src/features/inbox/check-scheduler.ts";
import type { CheckCause, Outcome, SendPermission } from "../../../src/features/inbox/plan.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { otherSession, session } from "../../storage/records.ts";
import { quiet } from "./fake-clock.ts";

const BUSY: Outcome = { kind: "busy" };
const NOTHING: Outcome = { kind: "nothing" };

interface RunningCheck {
  readonly sessionId: SessionId;
  readonly cause: CheckCause;
  readonly leave: () => SendPermission;
  readonly end: (drive: Outcome | null) => void;
}

/** Looks that end when a test says so; what callers are answered is noted by their name. */
function stage() {
  const begun: RunningCheck[] = [];
  const answers: [string, Outcome | "stopped"][] = [];
  const looks = new CheckScheduler((sessionId, cause, leave) => {
    const { promise, resolve } = Promise.withResolvers<Outcome | null>();
    begun.push({ sessionId, cause, leave, end: resolve });
    return promise;
  });
  return {
    looks,
    /** Those that have begun since this was asked last. */
    begun: () => begun.splice(0),
    causes: () => begun.splice(0).map(({ cause }) => cause),
    ask: (name: string, cause: CheckCause) =>
      void looks.ask(session, cause).then((drive) => answers.push([name, drive])),
    interrupt: (name: string) =>
      void looks.interrupt(session).then(() => answers.push([name, "stopped"])),
    answered: async () => {
      await quiet();
      return answers.splice(0);
    },
  };
}

/** Of the only one that goes on. */
function only(going: readonly RunningCheck[]): RunningCheck {
  const [one, ...others] = going;
  if (!one || others.length > 0) throw new Error(`${going.length} looks go on.`);
  return one;
}

describe("looks", () => {
  test("H1: those who ask for the same while none has begun are answered together", async () => {
    const { looks, begun, ask, answered } = stage();
    ask("1", "resume");
    const first = only(begun());
    expect(first.cause).toBe("resume");
    ask("2", "resume");
    ask("4", "look");
    ask("3", "resume");
    expect(await answered()).toEqual([]);
    first.end(BUSY);
    expect(await answered()).toEqual([["1", BUSY]]);
    const second = only(begun());
    expect(second.cause).toBe("resume");
    second.end(NOTHING);
    expect(await answered()).toEqual([
      ["2", NOTHING],
      ["3", NOTHING],
    ]);
    const third = only(begun());
    expect(third.cause).toBe("look");
    third.end(BUSY);
    expect(await answered()).toEqual([["4", BUSY]]);
    expect(begun()).toEqual([]);
    looks.wake(session);
    expect(only(begun()).cause).toBe("settled");
  });

  test("H2: three wakes during one are one more look, and a look that is asked for is that one", async () => {
    const { looks, begun, causes, ask, answered } = stage();
    for (let wake = 0; wake < 4; wake += 1) looks.wake(session);
    only(begun()).end(null);
    await quiet();
    only(begun()).end(null);
    await quiet();
    expect(begun()).toEqual([]);
    looks.wake(session);
    looks.wake(session);
    ask("1", "resume");
    only(begun()).end(null);
    await quiet();
    const asked = only(begun());
    expect(asked.cause).toBe("resume");
    asked.end(null);
    expect(await answered()).toEqual([["1", NOTHING]]);
    expect(causes()).toEqual([]);
  });

  test("H3: to interrupt where nothing is looked at is answered at once, and drops what was asked", async () => {
    const { begun, interrupt, answered } = stage();
    interrupt("1");
    expect(await answered()).toEqual([["1", "stopped"]]);
    expect(begun()).toEqual([]);
  });

  test("H4: whoever interrupts a look hears of its end; what was asked before is dropped, what is asked meanwhile comes after", async () => {
    const { looks, begun, ask, interrupt, answered } = stage();
    looks.wake(session);
    looks.wake(session);
    ask("1", "look");
    interrupt("2");
    interrupt("3");
    expect(await answered()).toEqual([["1", NOTHING]]);
    const stopped = only(begun());
    expect(stopped.leave()).toBe("stopped");
    stopped.end(BUSY);
    expect(await answered()).toEqual([
      ["2", "stopped"],
      ["3", "stopped"],
    ]);
    expect(begun()).toEqual([]);
    looks.wake(session);
    interrupt("4");
    looks.wake(session);
    ask("5", "look");
    only(begun()).end(null);
    expect(await answered()).toEqual([["4", "stopped"]]);
    const next = only(begun());
    expect([next.cause, next.leave()]).toEqual(["look", "given"]);
    next.end(BUSY);
    expect(await answered()).toEqual([["5", BUSY]]);
    expect(begun()).toEqual([]);
  });

  test("H5: each session has its own", () => {
    const { looks, begun } = stage();
    looks.wake(session);
    looks.wake(otherSession);
    expect(begun().map(({ sessionId }) => sessionId)).toEqual([session, otherSession]);
  });

  test("H6: one that failed answers that nothing came of it, and the next begins", async () => {
    const { looks, begun, ask, answered } = stage();
    ask("1", "resume");
    looks.wake(session);
    only(begun()).end(null);
    expect(await answered()).toEqual([["1", NOTHING]]);
    expect(only(begun()).cause).toBe("settled");
  });

  test("those who asked for one that has not begun are answered when it is dropped, and it never begins", async () => {
    const { looks, begun, ask, answered } = stage();
    looks.drop(session);
    looks.wake(session);
    ask("1", "look");
    looks.drop(session);
    expect(await answered()).toEqual([["1", NOTHING]]);
    only(begun()).end(null);
    await quiet();
    expect(begun()).toEqual([]);
  });
});
