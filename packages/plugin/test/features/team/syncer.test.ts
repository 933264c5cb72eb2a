import { afterEach, describe, expect, test } from "bun:test";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import type { Server } from "../../../src/features/team/connection.ts";
import { createLocalCopy } from "../../../src/features/team/local-copy.ts";
import { readTeamSection, renderSyncState } from "../../../src/features/team/section.ts";
import { SERVER_VERSION } from "../../../src/features/team/server-schema.ts";
import { TeamSyncer } from "../../../src/features/team/syncer.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { StorageError } from "../../../src/storage/errors.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { added, entered, projectAt, wording } from "../memory/store.suite.ts";

const workspace = new Workspace();
const shop = projectAt("shop");
const MINUTE = 60_000;
const SECRET = ["hunter2", "hunter2"].join("");
const ADDRESS = `postgres://ann:${SECRET}@db.example.org/team`;

/** A syncer whose server is away, and a clock that is moved by hand. */
async function stage(
  connect: () => Promise<Server> = () =>
    Promise.reject(new Error(`connect ECONNREFUSED ${ADDRESS}`)),
) {
  const path = workspace.path();
  const database = workspace.open(path);
  const copy = database.store(createLocalCopy);
  copy.name("ann");
  const store = await entered(database.store(createSqliteMemoryStore), shop);
  copy.share(shop.id);
  let nowMs = 0;
  const attemptsAtMs: number[] = [];
  const timers: { readonly atMs: number; readonly body: () => void }[] = [];
  const lines: unknown[] = [];
  const notices: { readonly code: string; readonly message: string; readonly remedy: string }[] =
    [];
  const over: string[] = [];
  const log = (event: string, fields: object = {}) => void lines.push({ event, ...fields });
  const source = { copy: async () => copy };
  const syncer = new TeamSyncer({
    copy: () => source.copy(),
    connect() {
      attemptsAtMs.push(nowMs);
      return connect();
    },
    log: { debug: log, info: log, warn: log, error: log },
    notices: {
      notice: (notice) => void notices.push(notice),
      mention: () => undefined,
      over: (code) => void over.push(code),
      all: () => [],
    },
    now: () => nowMs,
    later(body, ms) {
      const timer = { atMs: nowMs + ms, body };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  });
  async function pass(ms: number): Promise<void> {
    const endMs = nowMs + ms;
    for (;;) {
      const next = timers.toSorted((one, other) => one.atMs - other.atMs)[0];
      if (next === undefined || next.atMs > endMs) break;
      timers.splice(timers.indexOf(next), 1);
      nowMs = Math.max(nowMs, next.atMs);
      next.body();
      await Bun.sleep(1);
    }
    nowMs = endMs;
  }
  const attempts = () => attemptsAtMs.length;
  return {
    ...{ path, copy, store, syncer, pass, lines, notices, over, timers, attempts, attemptsAtMs },
    ...{ source, nowMs: () => nowMs },
  };
}

/** A server of this version that holds nothing; `words` are what it was asked to listen to. */
function empty(close: () => Promise<void> = async () => undefined) {
  const words: string[] = [];
  const enders: (() => void)[] = [];
  const heard: (() => void)[] = [];
  const sql = async (parts: TemplateStringsArray) => {
    const text = parts.join("?");
    if (text.includes("SELECT 1 FROM pg_catalog")) return [{}];
    if (text.includes("SELECT version")) return [{ version: SERVER_VERSION }];
    return text.includes("server.id::text") ? [{ id: "one", last: 0, role: "ann" }] : [];
  };
  const server: Server = {
    sql,
    begin: async (body) => body(),
    script: async () => undefined,
    async listen(channel, body) {
      words.push(channel);
      heard.push(body);
    },
    ended: (body) => void enders.push(body),
    close,
  };
  const end = () => {
    for (const body of enders.splice(0)) body();
  };
  return { server, words, end, hear: () => heard.at(-1)?.() };
}

describe("rounds of sync", () => {
  test("gather for a second, listen once, and look again at what came before that", async () => {
    const { server, words, hear } = empty();
    const { syncer, pass, timers, attempts, copy, nowMs } = await stage(async () => server);
    syncer.wake();
    await pass(999);
    expect(attempts()).toBe(0);
    await pass(1);
    expect([attempts(), words, copy.link().reachedAtMs]).toEqual([1, ["session_runtime"], 1_000]);
    await pass(1_000);
    expect([timers.length, copy.link().reachedAtMs]).toEqual([0, 2_000]);
    await pass(MINUTE);
    hear();
    await pass(1_000);
    expect(copy.link().reachedAtMs).toBe(nowMs());
    expect([attempts(), words.length, timers.length]).toEqual([1, 1, 0]);
  });

  test("begin again over another connection where one has ended", async () => {
    const { server, words, end } = empty();
    const { syncer, pass, timers, attemptsAtMs, copy } = await stage(async () => server);
    syncer.wake();
    await pass(2_000);
    end();
    await pass(2_000);
    expect(attemptsAtMs).toEqual([1_000, 3_000]);
    expect(words).toHaveLength(2);
    expect(copy.link().awaySinceMs).toBeNull();
    syncer.close();
    end();
    expect(timers).toEqual([]);
  });

  test("come after 5 s, then twice as long each time, 5 min at most; once it is there, with each turn again", async () => {
    const { server } = empty();
    let isThere = false;
    const { syncer, pass, attemptsAtMs, copy, lines } = await stage(async () => {
      if (!isThere) throw new Error("connect ECONNREFUSED");
      return server;
    });
    syncer.wake();
    await pass(20 * MINUTE);
    const waits = attemptsAtMs.slice(1).map((atMs, at) => atMs - (attemptsAtMs[at] ?? 0));
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1_000));
    isThere = true;
    await pass(5 * MINUTE);
    expect(copy.link()).toMatchObject({ awaySinceMs: null, problem: null });
    const reachedAtMs = copy.link().reachedAtMs ?? 0;
    syncer.wake();
    await pass(1_000);
    expect(copy.link().reachedAtMs).toBeGreaterThan(reachedAtMs);
    expect(lines).toHaveLength(1);
  });

  test("wait for a turn where this machine's copy can't be had, and say so", async () => {
    const { syncer, pass, timers, lines, source, copy, attempts } = await stage();
    source.copy = () => Promise.reject(new RangeError("locked"));
    syncer.wake();
    await pass(MINUTE);
    expect([attempts(), timers.length]).toEqual([0, 0]);
    expect(lines).toMatchObject([{ event: "team.copy_failed", error: "RangeError" }]);
    source.copy = async () => {
      syncer.close();
      throw new RangeError("closed");
    };
    syncer.wake();
    await pass(MINUTE);
    expect(lines).toHaveLength(1);
    expect(copy.link().awaySinceMs).toBeNull();
  });

  test("come again in a second where a session was writing, which is no word on the server", async () => {
    const { server } = empty();
    let isBusy = true;
    const busy = {
      ...server,
      sql: async (...given: Parameters<Server["sql"]>) => {
        if (isBusy) throw new StorageError("locked", "Another process is writing.");
        return server.sql(...given);
      },
    };
    const { syncer, pass, copy, lines, nowMs } = await stage(async () => busy);
    syncer.wake();
    await pass(1_000);
    isBusy = false;
    expect(copy.link()).toMatchObject({ awaySinceMs: null, reachedAtMs: null });
    await pass(1_000);
    expect(copy.link().reachedAtMs).toBe(nowMs());
    expect(lines).toEqual([]);
  });

  test("end with the connection; one that can't be closed is in the log", async () => {
    const closed = Promise.withResolvers<void>();
    const { server } = empty(() => closed.promise);
    const { syncer, pass, lines, timers } = await stage(async () => server);
    syncer.wake();
    await pass(1_000);
    syncer.close();
    expect(timers).toEqual([]);
    closed.reject(new Error("Connection terminated"));
    await Bun.sleep(1);
    expect(lines).toEqual([{ event: "team.not_closed", problem: "Connection terminated (Error)" }]);
  });
});

describe("while the team's server is away", () => {
  test("attempts grow rare, one word is said after a quarter of an hour, and no word has the password", async () => {
    const { syncer, pass, notices, lines, attempts, copy, store } = await stage();
    await added(store, shop, wording("a fact"));
    syncer.wake();
    syncer.wake();
    await pass(1_000);
    expect(attempts()).toBe(1);
    for (let turn = 0; turn < 20; turn += 1) syncer.wake();
    await pass(10 * MINUTE);
    expect(attempts()).toBeGreaterThan(4);
    expect(attempts()).toBeLessThan(10);
    expect(notices).toEqual([]);
    await pass(4 * MINUTE);
    expect(notices).toEqual([]);
    await pass(16 * MINUTE);
    const [notice] = notices;
    expect(notice?.code).toBe("team_store_away");
    expect(notice?.remedy).toContain("1 change");
    expect(copy.link()).toMatchObject({ awaySinceMs: 1_000 });
    const said = JSON.stringify([
      lines,
      notices,
      copy.link(),
      renderSyncState({ ...copy.link(), waiting: 1 }, 0),
    ]);
    expect(said).toContain("ECONNREFUSED");
    expect(said).not.toContain(SECRET);
    expect(lines).toHaveLength(1);
  });

  test("the warning of it ends when the server is reached", async () => {
    let isThere = false;
    const { server } = empty();
    const { syncer, pass, notices, over } = await stage(async () => {
      if (!isThere) throw new Error("connect ECONNREFUSED");
      return server;
    });
    syncer.wake();
    await pass(30 * MINUTE);
    expect([notices.length > 0, over]).toEqual([true, []]);
    isThere = true;
    await pass(6 * MINUTE);
    expect(new Set(over)).toEqual(new Set(["team_store_away"]));
  });

  test("a write costs what it costs with the server there: nothing asks for it, nothing waits for it", async () => {
    const { syncer, store, attempts } = await stage(() => new Promise(() => undefined));
    syncer.wake();
    for (let n = 0; n < 20; n += 1) {
      await added(store, shop, wording(`fact ${n}`));
      syncer.wake();
    }
    expect(attempts()).toBe(0);
  });

  test("a server that never answers holds up no other round's caller, and closing ends it", async () => {
    const { syncer, pass, timers, attempts } = await stage(() => new Promise(() => undefined));
    syncer.wake();
    await pass(MINUTE);
    syncer.wake();
    await pass(MINUTE);
    expect(attempts()).toBe(1);
    syncer.close();
    syncer.wake();
    expect(timers).toEqual([]);
  });

  test("another process that is at it is left to it", async () => {
    const { path, syncer, pass, attempts } = await stage();
    const other = workspace.open(path).store(createLocalCopy);
    other.begin(0, 10 * MINUTE);
    syncer.wake();
    await pass(2 * MINUTE);
    expect(attempts()).toBe(0);
    other.end();
    syncer.wake();
    await pass(2_000);
    expect(attempts()).toBe(1);
  });
});

describe("the status", () => {
  const SES = "ses_1" as SessionId;
  const drivers: ReturnType<typeof openBunDriver>[] = [];
  afterEach(() => {
    for (const driver of drivers.splice(0)) driver.close();
  });
  const section = (path: string, nowMs: number) => {
    const driver = openBunDriver(path);
    drivers.push(driver);
    return readTeamSection(driver)(SES, nowMs, null);
  };

  test("says nothing without a store, then what waits, since when it is away, and that it is in step", async () => {
    const { path, copy, store } = await stage();
    expect(section(path, 0)).toBeNull();
    await added(store, shop, wording("a fact"));
    copy.away(0, "no answer");
    expect(section(path, 20 * MINUTE)).toEqual({
      label: "Team store",
      text: "Offline since 20 min ago: no answer. Sessions continue with this machine's copy; 1 change waits here.",
      short: "offline since 20 min ago, 1 waiting",
    });
    copy.relink("a server");
    copy.reached(25 * MINUTE);
    expect(section(path, 30 * MINUTE)).toMatchObject({
      text: "1 change waits, reached 5 min ago.",
      short: "1 waiting",
    });
    copy.sent(copy.batch(shop.id, 9).rows);
    expect(section(path, 30 * MINUTE)).toMatchObject({
      text: "In step, reached 5 min ago.",
      short: "in step",
    });
    const never = { waiting: 0, reachedAtMs: null, awaySinceMs: null, problem: null };
    expect(renderSyncState(never, 0)).toBe("Not reached yet; nothing to send.");
  });
});
