import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from "bun:test";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import type { ArrivingPrompt } from "../../../src/feature-api/prompt.ts";
import { PromptRefusedError } from "../../../src/features/inbox/arrival.ts";
import { createInboxFeature } from "../../../src/features/inbox/create-inbox.ts";
import type { Inbox } from "../../../src/features/inbox/inbox.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeHost } from "./fake-host.ts";

const workspace = new Workspace();
const clock = new FakeClock();
let timers: Mock<typeof setTimeout>;
let keptAlive = 0;
beforeEach(() => {
  clock.stop();
  keptAlive = 0;
  timers = spyOn(globalThis, "setTimeout").mockImplementation(((
    work: () => void,
    delayMs: number,
  ) => {
    keptAlive += 1;
    clock.later(work, delayMs);
    return { unref: () => (keptAlive -= 1) };
  }) as unknown as typeof setTimeout);
});
afterEach(() => timers.mockRestore());

interface Settings {
  readonly path?: string;
  readonly host?: FakeHost;
  readonly recovery?: "ask" | "auto" | "off";
  readonly onUnavailable?: "block" | "omit";
  readonly toasts?: "shown" | "off" | "refused";
  readonly database?: "opens" | "can't be opened";
}

function opened(settings: Settings = {}) {
  const path = settings.path ?? workspace.path();
  const host = settings.host ?? new FakeHost(session);
  const said: unknown[] = [];
  const jobs: unknown[] = [];
  const changed: unknown[] = [];
  const missing: string[] = ["team/oncall"];
  const open = workspace.open(path);
  let ensured = 0;
  const context = {
    config: {
      recovery: settings.recovery ?? "off",
      onUnavailable: settings.onUnavailable ?? "omit",
      notices: { toast: settings.toasts !== "off" },
    },
    database: {
      ensure: async () => {
        ensured += 1;
        if (settings.database === "can't be opened") throw new Error("no database");
      },
      current: () => open,
    },
    failures: {
      failed: (where: string, error: Error) => said.push([where, error.message]),
      worked: () => undefined,
      storageWorks: () => undefined,
    },
    host: { prompts: host },
    location: { directory: "/project", worktree: "/" },
    log: {
      info: (event: string, facts: object) => said.push([event, facts]),
      warn: (event: string, facts: { error: unknown }) => said.push([event, facts.error]),
    },
    now: clock.now,
    toast: async (...toast: unknown[]) => {
      said.push(["toast", ...toast]);
      if (settings.toasts === "refused") throw new TypeError("no terminal");
    },
    traces: {
      traceJob: async (job: object, work: (note: (facts: object) => void) => Promise<unknown>) => {
        const noted: object[] = [];
        jobs.push([job, noted]);
        return work((facts) => noted.push(facts));
      },
    },
    missingSources: async () => missing,
    changed: (sessionId: string) => changed.push(sessionId),
  } as unknown as FeatureContext;
  const feature = createInboxFeature(context);
  const { hooks } = feature;
  if (!hooks) throw new Error("no hooks");
  host.process = "up";
  host.inbox = hearing(hooks);
  return { feature, hooks, host, said, jobs, changed, missing, path, ensured: () => ensured };
}

/** The host's words to an inbox, as hooks of the feature. */
function hearing(hooks: NonNullable<ReturnType<typeof createInboxFeature>["hooks"]>): Inbox {
  let heard: unknown;
  const inbox: Partial<Inbox> = {
    async onArrival(prompt: ArrivingPrompt) {
      const refusals: string[] = [];
      await hooks.arriving?.(prompt, (why) => refusals.push(why));
      for (const why of refusals) throw new PromptRefusedError("unavailable", why);
    },
    onBoundary: (sessionId, rows) =>
      hooks.boundary?.({ sessionId, history: rows as unknown as readonly HostMessage[] }),
    onEvent: (happening) => {
      heard = hooks.onEvent?.(happening);
    },
    onSettled: async (sessionId) => {
      await heard;
      await hooks.settled?.(sessionId);
    },
  };
  return inbox as Inbox;
}

const readQueue = async ({ feature }: ReturnType<typeof opened>) => feature.provides.queue(session);
const queued = { sessionId: session, id: null, delivery: "queue" } as const;
const text = (words: string) => [{ type: "text", text: words }];

describe("what the host says", () => {
  test("G5: a prompt runs, is promoted 40 ms after its call, and what was queued follows", async () => {
    const stage = opened();
    stage.host.answers = ["hang"];
    await stage.host.prompt({ text: "First" });
    await clock.pass(39);
    await stage.feature.provides.inbox.admit({ ...queued, parts: text("Second") });
    expect(await readQueue(stage)).toEqual({
      activity: "busy",
      waiting: [{ id: expect.any(String), text: "Second", files: 0 }],
      length: 1,
    });
    expect(states(stage.path)).toEqual(["handed", "waiting"]);
    await clock.pass(1);
    expect(states(stage.path)).toEqual(["promoted", "waiting"]);
    stage.host.release("stop");
    await clock.pass(1_000);
    expect(stage.host.texts()).toEqual(["First", "Second"]);
    expect(await readQueue(stage)).toEqual({ activity: "idle", waiting: [], length: 0 });
    expect(states(stage.path)).toEqual(["answered", "answered"]);
    expect(keptAlive).toBe(0);
    expect(stage.said).toEqual([]);
  });

  test("a message that was taken back is no prompt any more; another one's id takes nothing back", async () => {
    const { host, hooks, path, ensured } = opened();
    host.answers = ["fail"];
    await host.prompt({ id: "msg_a", text: "First" });
    await clock.pass(1_000);
    expect(states(path)).toEqual(["promoted"]);
    await hooks.onEvent?.({ kind: "removed", sessionId: session, messageId: "msg_b" });
    expect(states(path)).toEqual(["promoted"]);
    const before = ensured();
    await hooks.onEvent?.({ kind: "removed", sessionId: session, messageId: "msg_a" });
    expect(states(path)).toEqual(["undone"]);
    expect(ensured()).toBe(before + 1);
  });

  test("one that only the host's id names is taken back by that id alone", async () => {
    const { feature, host, hooks, path } = opened();
    host.answers = ["fail"];
    const given = { ...queued, id: "own", parts: text("First") };
    await feature.provides.inbox.admit(given);
    await clock.pass(1_000);
    await hooks.onEvent?.({ kind: "removed", sessionId: session, messageId: "own" });
    expect(states(path)).toEqual(["promoted"]);
  });

  test("nothing of a deleted session is remembered", async () => {
    const { host, hooks, path, feature } = opened();
    host.answers = ["hang"];
    await host.prompt({ id: "msg_a", text: "First" });
    await clock.pass(100);
    await host.prompt({ id: "msg_b", text: "A steer" });
    workspace.open(path).sessions.remove(session);
    await hooks.onEvent?.({ kind: "deleted", sessionId: session });
    const before = timers.mock.calls.length;
    const history = host.rows as unknown as readonly HostMessage[];
    hooks.boundary?.({ sessionId: session, history });
    expect(timers.mock.calls.length).toBe(before);
    expect(await feature.provides.inbox.list(session)).toEqual([]);
  });

  test("the database is opened for what changes rows, and for nothing else", async () => {
    const { hooks, ensured } = opened();
    const ids = { sessionId: session, messageId: "msg_a" };
    await hooks.onEvent?.({ kind: "saved", ...ids });
    await hooks.onEvent?.({ kind: "deleted", ...ids });
    await hooks.onEvent?.({ kind: "compacted", ...ids });
    await hooks.onEvent?.({ kind: "touched", ...ids });
    expect(ensured()).toBe(0);
    await hooks.onEvent?.({ kind: "busy", ...ids });
    await hooks.onEvent?.({ kind: "idle", ...ids });
    await hooks.onEvent?.({ kind: "removed", ...ids });
    expect(ensured()).toBe(3);
  });
});

describe("a prompt", () => {
  test("of one process is none of another's, though both are made at the same moment", async () => {
    const featureInstances = [opened().feature, opened().feature];
    const admissions = await Promise.all(
      featureInstances.map(({ provides }) =>
        provides.inbox.admit({ ...queued, parts: text("First") }),
      ),
    );
    const [one, two] = admissions.map((admission) => admission?.prompt.id);
    expect(one).toBeString();
    expect(one).not.toBe(two);
  });

  test("G10: is refused in words where a required source is missing, and only where that blocks", async () => {
    const stage = opened({ onUnavailable: "block" });
    await expect(stage.host.prompt({ text: "First" })).rejects.toThrow(
      "team/oncall can't be loaded",
    );
    expect(stage.said).toEqual([["prompt.refused", { reason: "unavailable", session }]]);
    expect(states(stage.path)).toEqual(["refused"]);
    stage.missing.pop();
    await stage.host.prompt({ text: "Second" });
    await opened({ onUnavailable: "omit" }).host.prompt({ text: "First" });
  });

  test("that can't be kept fails its hook, which is no refusal", async () => {
    const { hooks } = opened({ database: "can't be opened" });
    const message = { id: "msg_a", role: "user", agent: "build", model: null } as const;
    const asked = { agent: null, model: null, variant: null };
    const prompt = { sessionId: session, message, parts: text("First"), asked };
    const refused: string[] = [];
    const arriving = hooks.arriving?.(prompt as unknown as ArrivingPrompt, (why) => {
      refused.push(why);
    });
    await expect(arriving).rejects.toThrow("no database");
    expect(refused).toEqual([]);
  });
});

describe("looks", () => {
  test("are traced by session with what they came to, and status is shown again after each", async () => {
    const { jobs, changed, hooks } = opened();
    await hooks.reporting?.(session);
    const outcome = { "session_runtime.inbox.outcome": "nothing" };
    expect(jobs).toEqual([[{ name: "inbox", sessionId: session }, [outcome]]]);
    expect(changed).toEqual([session]);
  });

  test("a report is made without one that fails", async () => {
    const { said, hooks } = opened({ database: "can't be opened" });
    await hooks.reporting?.(session);
    expect(said).toEqual([["command.inbox", "Error"]]);
  });

  test("one that fails within is a failure of the inbox", async () => {
    const { said, hooks, host, feature } = opened();
    host.answers = ["fail"];
    await feature.provides.inbox.admit({ ...queued, parts: text("First") });
    await clock.pass(1_000);
    host.history = () => Promise.reject(new Error("no answer"));
    said.splice(0);
    await hooks.reporting?.(session);
    expect(said).toEqual([["inbox", "no answer"]]);
  });

  test("say whether another process drives the session", async () => {
    const one = opened();
    one.host.answers = ["hang"];
    await one.host.prompt({ text: "First" });
    await clock.pass(100);
    expect(await one.feature.provides.isElsewhere(session)).toBe(false);
    const two = opened({ path: one.path });
    // The owner of both is this process, which lives.
    expect(await two.feature.provides.isElsewhere(session)).toBe(true);
  });
});

describe("the start", () => {
  /** A process that was killed after its prompt was saved. */
  async function interrupted(): Promise<Pick<Required<Settings>, "path" | "host">> {
    const { host, path, hooks } = opened();
    host.answers = ["hang"];
    await host.prompt({ text: "First" });
    await clock.pass(1_000);
    await hooks.closed?.();
    host.kill();
    clock.stop();
    return { host, path };
  }

  const settle = () => clock.pass(900);

  test("G6: after a second, once, what an earlier process left is found, and the user hears of it", async () => {
    const { said, jobs, hooks, feature, changed } = opened({
      ...(await interrupted()),
      recovery: "ask",
    });
    hooks.started?.();
    hooks.started?.();
    expect(keptAlive).toBe(0);
    await clock.pass(999);
    expect(jobs).toEqual([]);
    await clock.pass(1);
    const told = expect.stringContaining("1 prompt without an answer");
    expect(said).toEqual([
      ["inbox.reported", { session, text: told }],
      ["toast", told, "info"],
    ]);
    expect(feature.provides.notice(session)).toEqual(told);
    expect(changed.at(-1)).toBe(session);
    expect(jobs[0]).toEqual([{ name: "recovery", sessionId: null }, []]);
    await settle();
    expect(jobs.filter((job) => JSON.stringify(job).includes("recovery"))).toHaveLength(1);
  });

  test("whoever opens the session before that hears what the recovery came to, and nothing else", async () => {
    const { said, hooks, feature } = opened({ ...(await interrupted()), recovery: "auto" });
    const open = hooks.opened?.(session);
    expect(feature.provides.notice(session)).toBeNull();
    hooks.started?.();
    await clock.pass(1_000);
    await open;
    const told = said.flatMap((one) => (JSON.stringify(one).startsWith('["toast"') ? [one] : []));
    expect(told).toEqual([["toast", expect.stringContaining("Continuing after"), "info"]]);
    expect(feature.provides.notice(session)).toBeNull();
  });

  test("toasts that are switched off are not shown, and one that fails is logged", async () => {
    for (const [toasts, after] of [
      ["off", []],
      ["refused", [["inbox.toast_failed", "TypeError"]]],
    ] as const) {
      const { said, hooks } = opened({ ...(await interrupted()), recovery: "ask", toasts });
      hooks.started?.();
      await clock.pass(1_000);
      expect(said.filter((one) => !JSON.stringify(one).startsWith('["toast"'))).toEqual([
        ["inbox.reported", expect.anything()],
        ...after,
      ]);
      expect(said.some((one) => JSON.stringify(one).startsWith('["toast"'))).toBe(toasts !== "off");
    }
  });

  test("a recovery that fails is reported", async () => {
    const { said, hooks } = opened({ recovery: "ask", database: "can't be opened" });
    hooks.started?.();
    await clock.pass(1_000);
    expect(said).toEqual([["recovery", "no database"]]);
  });

  test("once closed, the feature takes up nothing", async () => {
    const { hooks, feature } = opened({ recovery: "ask" });
    await hooks.closed?.();
    await expect(feature.provides.inbox.resume(session)).rejects.toMatchObject({
      code: "unopenable",
    });
  });
});

function states(path: string): readonly unknown[] {
  const reader = openBunDriver(path);
  const rows = reader.all("SELECT state FROM session_input ORDER BY rank");
  reader.close();
  return rows.map(({ state }) => state);
}
