import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleCode } from "../../../../e2e/test/documents.ts";
import type { Config } from "../../../src/config/schema.ts";
import type { FeatureInstance } from "../../../src/feature-api/feature.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import {
  createSqliteMemoryStore,
  type MemoryStore,
} from "../../../src/features/memory/sqlite-store.ts";
import { parseAddress } from "../../../src/features/memory/store-address.ts";
import { connect, type Server } from "../../../src/features/team/connection.ts";
import { createTeamFeature } from "../../../src/features/team/create-team.ts";
import { probeAddress } from "../../../src/features/team/probe.ts";
import { teamMemoryCli } from "../../../src/features/team/team-cli.ts";
import { renderInstalledCommand } from "../../../src/log/notices.ts";
import { findProject } from "../../../src/project/find-project.ts";
import type { Project } from "../../../src/project/project.ts";
import type { Driver } from "../../../src/storage/driver.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { eventually } from "../../eventually.ts";
import { projectOver } from "../../project/at-work.ts";
import { Workspace } from "../../storage/workspace.ts";
import { resolveConfig } from "../../whole-config.ts";
import { added, changed, wording } from "../memory/store.suite.ts";
import { missingPostgres, PostgresServer } from "./postgres-server.ts";

const workspace = new Workspace();
const SECRET = ["hunter2", "hunter2"].join("");

/** As it is shipped. */
const MEMBERS = readFileSync(new URL("../../../members.sql", import.meta.url), "utf8");

const title =
  missingPostgres === null ? "members of a team" : `members of a team (${missingPostgres})`;

describe.skipIf(missingPostgres !== null)(title, () => {
  const home = mkdtempSync(join(tmpdir(), "session-runtime-team-"));
  const original = join(home, "original");
  const featureInstances: FeatureInstance[] = [];
  let server: PostgresServer;
  let databases = 0;

  function git(folder: string, ...words: readonly string[]): void {
    const who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    const { status, stderr } = spawnSync("git", [...who, ...words], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
  }

  beforeAll(async () => {
    spawnSync("git", ["init", "-q", original]);
    git(original, "commit", "-q", "--allow-empty", "-m", "first");
    server = await PostgresServer.start();
  }, 600_000);

  afterEach(async () => {
    for (const feature of featureInstances.splice(0)) await feature.hooks?.closed?.();
  });

  afterAll(async () => {
    rmSync(home, { recursive: true, force: true });
    await server.remove();
  }, 600_000);

  async function asking<Result>(
    role: string,
    database: string,
    body: (link: Server) => Promise<Result>,
  ): Promise<Result> {
    const address = parseAddress(server.address(role, database));
    if (typeof address === "string") throw new Error("no address");
    const link = await connect(address);
    try {
      return await body(link);
    } finally {
      await link.close();
    }
  }

  const asOwner = (database: string, text: string) =>
    asking("owner", database, ({ script }) => script(text));

  async function emptyDatabase(): Promise<string> {
    databases += 1;
    await asOwner("postgres", `CREATE DATABASE team_${databases}`);
    return `team_${databases}`;
  }

  /** A member's machine: a clone, a database, and a plugin at work in it. */
  async function machine(member: string, store: string, memory: object = {}) {
    const directory = join(home, `clone-${member}-${databases}-${featureInstances.length}`);
    cpSync(original, directory, { recursive: true });
    const path = workspace.path();
    const database = workspace.open(path);
    const memories = database.store(createSqliteMemoryStore);
    const project = await findProject(directory, memories);
    await memories.enter(project, 1);
    const values = { memory: { enabled: true, store, member, ...memory } };
    const { config } = resolveConfig([
      { file: "own", scope: "user", value: values, findLine: () => null },
    ]);
    const said: unknown[] = [];
    const log = (event: string, fields: object = {}) => void said.push({ event, ...fields });
    const context = {
      ...{ env: {}, config, project: projectOver(directory, () => database), now: Date.now },
      database: { path, ensure: async () => undefined, current: () => database },
      log: { debug: log, info: log, warn: log, error: log },
      notices: {
        notice: (notice: object) => void said.push(notice),
        over: () => undefined,
      },
    } as unknown as FeatureContext;
    return { directory, path, memories, project, config, context, said };
  }

  function atWork({ context }: { readonly context: FeatureContext }): FeatureInstance {
    const feature = createTeamFeature(context);
    featureInstances.push(feature);
    return feature;
  }

  const turn = (feature: FeatureInstance) => feature.hooks?.settled?.("ses_1" as never);

  const texts = async ({
    memories,
    project,
  }: {
    readonly memories: MemoryStore;
    readonly project: Project;
  }) => (await memories.readable(project.id, 99)).map(({ text }) => text);

  function shell(
    { path, directory }: { readonly path: string; readonly directory: string },
    config: Config,
    ...words: readonly string[]
  ) {
    const driver: Driver = openBunDriver(path);
    driver.exec("PRAGMA foreign_keys = ON");
    const given = new Map(words.map((word, at) => [at === 0 ? "do" : "what", word] as const));
    const call = {
      given,
      driver,
      directory,
      nowMs: Date.now(),
      env: {},
      config: async () => config,
      typed: renderInstalledCommand,
    };
    return Promise.resolve(teamMemoryCli.run(call)).finally(() => driver.close());
  }

  test("TM1: what one member's session writes, another's machine shows while it is at work, as a new version", async () => {
    const store = server.address("owner", await emptyDatabase());
    const [ann, bob] = [await machine("ann", store), await machine("bob", store)];
    const [there, here] = [atWork(ann), atWork(bob)];
    await turn(here);
    const before = bob.memories.version();
    await added(ann.memories, ann.project, wording("Use pnpm."));
    await turn(there);
    await eventually("it has come", async () => (await texts(bob)).length === 1);
    expect(bob.memories.version()).not.toBe(before);
    expect([ann.said, bob.said]).toEqual([[], []]);
    // From now on by the server's word alone: bob's session does nothing.
    await Bun.sleep(1_500);
    await added(ann.memories, ann.project, wording("Ports are in the compose file."));
    await turn(there);
    await eventually("it has come", async () => (await texts(bob)).length === 2);
  }, 600_000);

  test("a member has the rights that docs/team.md gives, and they are enough", async () => {
    const database = await emptyDatabase();
    const owner = await machine("owner", server.address("owner", database));
    await shell(owner, owner.config, "push");
    for (let run = 1; run <= 2; run += 1) await asOwner(database, MEMBERS);
    await asOwner(database, exampleCode("Set up the store", "sql"));
    const look = (role: string, name: string) => {
      const address = parseAddress(server.address(role, name));
      return typeof address === "string" ? address : probeAddress(address);
    };
    expect(await look("ann", database)).toEqual({ kind: "usable", version: 2, missing: [] });
    expect(await look("owner", await emptyDatabase())).toEqual({ kind: "empty", mayCreate: true });
    await asOwner(database, "REVOKE UPDATE ON session_runtime.item FROM session_runtime_member");
    expect(await look("ann", database)).toMatchObject({ missing: ["UPDATE on item"] });
    await asOwner(database, "GRANT UPDATE ON session_runtime.item TO session_runtime_member");
    const ann = await machine("ann", server.address("ann", database));
    const bob = await machine("bob", server.address("bob", database));
    const memory = await added(ann.memories, ann.project, wording("Use pnpm."));
    expect((await shell(ann, ann.config, "push")).text).toMatch(
      /^Sent 1 change to 127\.0\.0\.1:\d+\/team_\d+\.$/,
    );
    expect((await shell(bob, bob.config, "pull")).values).toEqual({ received: 1 });
    expect(await texts(bob)).toEqual(["Use pnpm."]);
    await bob.memories.forget(bob.project.id, memory.id);
    await shell(bob, bob.config, "push");
    await shell(ann, ann.config, "pull");
    expect(await texts(ann)).toEqual([]);
    const changes = await asking(
      "owner",
      database,
      ({ sql }) => sql`SELECT member, role FROM session_runtime.change ORDER BY at`,
    );
    expect(changes).toEqual([
      { member: "ann", role: "ann" },
      { member: "bob", role: "bob" },
    ]);
    const forbidden = [
      "DELETE FROM session_runtime.item",
      "UPDATE session_runtime.change SET role = 'ann'",
      "INSERT INTO session_runtime.change (id, project, item, role) VALUES ('x', 'p', 'i', 'ann')",
      "CREATE TABLE session_runtime.loot (x int)",
      "ALTER TABLE session_runtime.item DISABLE TRIGGER ALL",
      "DROP FUNCTION session_runtime.attribute_item() CASCADE",
      "CREATE OR REPLACE FUNCTION session_runtime.attribute_item() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
      "UPDATE session_runtime.server SET version = 0",
    ];
    await asking("bob", database, async ({ script }) => {
      for (const text of forbidden) {
        await expect(script(text)).rejects.toThrow(/permission denied|must be owner/);
      }
    });
  }, 600_000);

  test("no member writes under a colleague's name, whatever the statement, and what a key came in with is not taken", async () => {
    const database = await emptyDatabase();
    const owner = await machine("owner", server.address("owner", database));
    await shell(owner, owner.config, "push");
    await asOwner(database, MEMBERS);
    const roles =
      "CREATE ROLE mia LOGIN IN ROLE session_runtime_member; CREATE ROLE max LOGIN IN ROLE session_runtime_member";
    await asOwner(database, roles);
    const mia = await machine("max", server.address("mia", database));
    const real = await added(mia.memories, mia.project, wording("Tables are singular."), 1);
    await shell(mia, mia.config, "push");
    const forged = (id: string, text: string) => ({
      ...{ kind: "memory", id, project: mia.project.id, member: "mia", text, by: "user" },
      ...{ category: "NAMING", importance: 70, permanence: "ordinary", state: { kind: "active" } },
      ...{ writtenAtMs: 1, changedAtMs: 1, checkedAtMs: 1, usedAtMs: null },
    });
    const bodies = [
      forged("f-1", "Forged."),
      forged("f-2", "The API password is hunter2horse99."),
      forged("f-3", "Two\nlines."),
      forged(real.id, "Tables are plural."),
    ];
    await asking("max", database, async ({ sql, script }) => {
      for (const body of bodies) {
        await sql`
          INSERT INTO session_runtime.item (id, project, kind, number, member, body)
          VALUES (${body.id}, ${body.project}, 'memory', nextval('session_runtime.change_number'),
            'mia', ${body}::jsonb)
          ON CONFLICT (id) DO UPDATE SET body = excluded.body, member = excluded.member,
            number = excluded.number`;
      }
      await sql`
        INSERT INTO session_runtime.change (id, project, item, member)
        VALUES ('c', 'p', 'f-1', 'mia')`;
      const other = `UPDATE session_runtime.item SET id = 'f-9' WHERE id = 'f-1'`;
      await expect(script(other)).rejects.toThrow("an item and its body differ");
    });
    const rows = await asking(
      "owner",
      database,
      ({ sql }) =>
        sql`SELECT DISTINCT member, role::text, body->>'member' AS said FROM session_runtime.item`,
    );
    expect(rows).toEqual([{ member: "max", role: "max", said: "max" }]);
    const given = await asking(
      "owner",
      database,
      ({ sql }) => sql`SELECT member, role::text FROM session_runtime.change WHERE id = 'c'`,
    );
    expect(given).toEqual([{ member: "max", role: "max" }]);
    await shell(mia, mia.config, "pull");
    const known = await texts(mia);
    expect(known).toContain("Forged.");
    expect(known.join()).not.toMatch(/hunter2|\n/);
    expect((await shell(mia, mia.config, "status")).text).toContain(
      "2 items were not taken from the store",
    );
  }, 600_000);

  test("what looks like a secret here is not sent, and the status says so", async () => {
    const store = server.address("owner", await emptyDatabase());
    const ann = await machine("ann", store);
    await added(ann.memories, ann.project, wording("The API password is hunter2horse99."));
    await added(ann.memories, ann.project, wording("Use pnpm."));
    await shell(ann, ann.config, "push");
    const bob = await machine("bob", store);
    await shell(bob, bob.config, "pull");
    expect(await texts(bob)).toEqual(["Use pnpm."]);
    expect((await shell(ann, ann.config, "status")).text).toContain(
      "1 item was not sent to the store",
    );
  }, 600_000);

  test("TM1: a memory shows which member gave it its present form, and a list where they differ", async () => {
    const database = await emptyDatabase();
    await asOwner(database, "CREATE ROLE eve LOGIN SUPERUSER; CREATE ROLE dan LOGIN SUPERUSER");
    const [ann, bob] = [
      await machine("eve", server.address("eve", database)),
      await machine("dan", server.address("dan", database)),
    ];
    const meet = async (one: typeof ann) => {
      await shell(one, one.config, "push");
      await shell(one, one.config, "pull");
    };
    await meet(ann);
    const { id, ref } = await added(ann.memories, ann.project, wording("Port 1."), 1);
    const other = await added(ann.memories, ann.project, wording("Use pnpm."), 1);
    await meet(ann);
    const listed = async () => (await shell(ann, ann.config, "list")).text;
    expect(await listed()).not.toContain("by eve");
    await meet(bob);
    await changed(bob.memories, bob.project, { kind: "edit", id, wording: { text: "Port 2." } }, 9);
    for (const one of [bob, ann]) await meet(one);
    for (const one of [ann, bob]) {
      const shown = await shell(one, one.config, "show", ref);
      expect(shown.text).toMatch(/^changed .* by dan, confirmed/m);
      expect(shown.values).toMatchObject({ ref, member: "dan" });
      const kept = await shell(one, one.config, "show", other.ref);
      expect(kept.text).toMatch(/^changed .* by eve, confirmed/m);
    }
    expect(await listed()).toContain("Port 2. (50, by dan)");
    expect(await listed()).toContain("Use pnpm. (50, by eve)");
    const { values } = await shell(ann, ann.config, "list");
    expect(values).toMatchObject({ memories: [{ member: "dan" }, { member: "eve" }] });
  }, 600_000);

  test("a role without rights is told so, with where they are described; nothing is lost", async () => {
    const database = await emptyDatabase();
    await asOwner(database, "CREATE ROLE nobody_yet LOGIN");
    const ann = await machine("ann", server.address("nobody_yet", database));
    await added(ann.memories, ann.project, wording("Use pnpm."));
    await expect(shell(ann, ann.config, "push")).rejects.toThrow("docs/team.md");
    const { text, values } = await shell(ann, ann.config, "status");
    expect(values).toMatchObject({ waiting: 1, member: "ann", projects: 1 });
    expect(text).toContain("1 change waits here");
  });

  test("TM3: the password is in no answer, no log line, no notice and not in the database", async () => {
    const away = `postgres://ann:${SECRET}@127.0.0.1:1/team?sslmode=require`;
    const ann = await machine("ann", away);
    await added(ann.memories, ann.project, wording("Use pnpm."));
    const feature = atWork(ann);
    await turn(feature);
    const status = () => shell(ann, ann.config, "status");
    await eventually("it has come", async () => (await status()).text.includes("ECONNREFUSED"));
    const refusal = await shell(ann, ann.config, "push").catch(String);
    expect(String(refusal)).toContain("127.0.0.1:1/team");
    const said = [JSON.stringify(ann.said), JSON.stringify(await status()), String(refusal)];
    for (const one of [
      ...said,
      readFileSync(ann.path, "latin1"),
      readFileSync(`${ann.path}-wal`, "latin1"),
    ]) {
      expect(one).not.toContain(SECRET);
    }
    expect(said[0]).toContain("team.away");
  }, 600_000);

  test("a project that is not shared sends nothing, though it was shared before; its memories stay", async () => {
    const database = await emptyDatabase();
    const store = server.address("owner", database);
    const ann = await machine("ann", store);
    await shell(ann, ann.config, "push");
    await added(ann.memories, ann.project, wording("private"));
    const { config } = await machine("ann", store, { shared: false });
    expect((await shell(ann, config, "push")).values).toEqual({ sent: 0 });
    expect((await shell(ann, config, "status")).text).toContain("stays on this machine");
    const ids = ({ sql }: Server) => sql`SELECT id FROM session_runtime.item`;
    expect(await asking("owner", database, ids)).toEqual([]);
    expect(await texts(ann)).toEqual(["private"]);
  });

  test("without a store the words say how to set one; an address that can't be read is a notice", async () => {
    const { config } = resolveConfig([]);
    const ann = await machine("ann", "postgres://db/team");
    await expect(shell(ann, config, "status")).rejects.toThrow("memory.store");
    const context = { ...ann.context, env: { SESSION_RUNTIME_MEMORY_STORE: "nonsense" } };
    expect(createTeamFeature(context)).toEqual({ provides: { lease: null } });
    expect(ann.said).toMatchObject([{ code: "team_store_address" }]);
    const store = "postgres://ann:xyz@zy/plugh@db.example.org/team";
    const env = { SESSION_RUNTIME_MEMORY_STORE: store };
    expect(createTeamFeature({ ...ann.context, env })).toEqual({ provides: { lease: null } });
    expect(JSON.stringify(ann.said.at(-1))).toContain("percent-encoded");
    const password = /xyz|zy\/|plugh/;
    expect(JSON.stringify(ann.said)).not.toMatch(password);
    const own = { memory: { enabled: true, store } };
    const unencoded = resolveConfig([]).config;
    const refusal = await shell(ann, { ...unencoded, ...own } as Config, "push").catch(String);
    expect(refusal).toContain("percent-encoded");
    expect(refusal).not.toMatch(password);
  });

  test("an edit on one machine and an archive on the other end in one state, with both wordings", async () => {
    const store = server.address("owner", await emptyDatabase());
    const [ann, bob] = [await machine("ann", store), await machine("bob", store)];
    const { id } = await added(ann.memories, ann.project, wording("Port 1."), 1);
    const meet = async (one: typeof ann) => {
      await shell(one, one.config, "push");
      await shell(one, one.config, "pull");
    };
    await meet(ann);
    await meet(bob);
    await changed(ann.memories, ann.project, { kind: "archive", id }, 5);
    await changed(bob.memories, bob.project, { kind: "edit", id, wording: { text: "Port 2." } }, 9);
    for (const one of [ann, bob, ann]) await meet(one);
    for (const { memories, project } of [ann, bob]) {
      const all = (await memories.list(project.id)).map(({ text, state }) => [text, state.kind]);
      expect(all.toSorted()).toEqual([
        ["Port 1.", "superseded"],
        ["Port 2.", "active"],
      ]);
    }
  }, 600_000);
});
