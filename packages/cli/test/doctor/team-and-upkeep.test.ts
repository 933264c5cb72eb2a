import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { createSqliteMemoryStore } from "@session-runtime/opencode/features/memory/sqlite-store";
import { parseAddress } from "@session-runtime/opencode/features/memory/store-address";
import { connect } from "@session-runtime/opencode/features/team/connection";
import { createLocalCopy } from "@session-runtime/opencode/features/team/local-copy";
import { migrateServer } from "@session-runtime/opencode/features/team/server-schema";
import { findProject } from "@session-runtime/opencode/project/find-project";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import {
  missingPostgres,
  PostgresServer,
} from "../../../plugin/test/features/team/postgres-server.ts";
import { schema } from "../../../plugin/test/schema.ts";
import { collectFindings, diagnose, toExitCode } from "../../src/doctor/diagnosis.ts";
import { settingsFacts } from "../../src/doctor/facts/settings.ts";
import { teamFacts } from "../../src/doctor/facts/team.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { runCli } from "../command-line.ts";
import { CONFIG, makeHome } from "../throwaway-home.ts";
import { healthy } from "./facts.ts";

// From a settings file to what doctor says of it, for a team's store and for upkeep.
setDefaultTimeout(600_000);

const SECRET = ["hunter2", "hunter2"].join("");

interface Set {
  readonly name: string;
  readonly settings: object | string;
  /** Each with its cause and its fix. */
  readonly findings: readonly (readonly [code: string, cause: RegExp, fix: RegExp])[];
}

async function findings(settings: object | string): Promise<readonly Finding[]> {
  const home = makeHome();
  const text = typeof settings === "string" ? settings : JSON.stringify(settings);
  home.write(`${CONFIG}/session-runtime.jsonc`, text);
  const env = { HOME: home.root };
  const read = await settingsFacts(home.root, env, []);
  const facts = healthy({ settings: read, team: await teamFacts(read.config, env) });
  const diagnosis = diagnose(facts);
  const found = collectFindings(diagnosis);
  expect(toExitCode(diagnosis)).toBe(found.some(({ severity }) => severity !== "note") ? 3 : 0);
  return found;
}

async function expectFindings({ name, settings, findings: expected }: Set): Promise<void> {
  const found = await findings(settings);
  note(name, found);
  expect(found.map(({ code }) => code)).toEqual(expected.map(([code]) => code));
  for (const [at, [, cause, fix]] of expected.entries()) {
    expect(found[at]?.cause).toMatch(cause);
    expect(found[at]?.fix).toMatch(fix);
  }
  expect(JSON.stringify(found)).not.toContain(SECRET);
}

/** With TABLE=file in the environment, each row is appended to it as Markdown, as docs/lab/doctor.md has them. */
function note(name: string, found: readonly Finding[]): void {
  const file = process.env.TABLE;
  if (file === undefined) return;
  const cell = (text: (finding: Finding) => string) => found.map(text).join("<br>");
  const finding = cell(({ code, what }) => `\`${code}\` ${what}`);
  const row = [name, finding, cell(({ cause }) => cause), cell(({ fix }) => fix)].join(" | ");
  const plain = row.replaceAll(/127\.0\.0\.1:\d+/g, "db.example.org");
  appendFileSync(file, `| ${plain.replaceAll(/\S+\/home-\w+\//g, "~/")} |\n`);
}

const task = { memory: { enabled: true }, jobs: { model: "a/b" } };
const upkeep = (tasks: object, more: object = {}) => ({ ...task, ...more, upkeep: { tasks } });

const UPKEEP: readonly Set[] = [
  {
    name: "A schedule of upkeep names no time",
    settings: upkeep({ verify: { schedule: "61 3 * * *" } }),
    findings: [
      ["upkeep-schedule", /"61 3 \* \* \*" does not work: .*61/, /cron expression of five fields/],
    ],
  },
  {
    name: "A schedule of upkeep names a day that never comes",
    settings: upkeep({ verify: { schedule: "0 3 31 2 *" } }),
    findings: [
      ["upkeep-schedule", /matches no time in the future/, /cron expression of five fields/],
    ],
  },
  {
    name: "A schedule of upkeep is in words",
    settings: upkeep({ verify: { schedule: "every night" } }),
    findings: [["setting-invalid", /xpected five fields of cron/, /./]],
  },
  {
    name: "A task of upkeep that there is not",
    settings: upkeep({ verfy: {} }),
    findings: [["setting-invalid", /verify/, /./]],
  },
  {
    name: "Upkeep is set, and no model is named",
    settings: upkeep({ verify: {} }, { jobs: {} }),
    findings: [
      ["upkeep-no-model", /Neither the task nor `jobs\.model` names one/, /`jobs\.model`/],
    ],
  },
  {
    name: "Upkeep is set, and memory is off",
    settings: upkeep({ verify: {} }, { memory: { enabled: false } }),
    findings: [["upkeep-no-memory", /`memory\.enabled` is false/, /Set `memory\.enabled` to true/]],
  },
];

describe("upkeep: finding, cause and fix", () => {
  for (const set of UPKEEP) test(set.name, () => expectFindings(set));
});

const store = (address: string) => ({ memory: { enabled: true, store: address } });

describe("a team's store without a server: finding, cause and fix", () => {
  test("The address of the team's store is of another kind", () =>
    expectFindings({
      name: "The address of the team's store is of another kind",
      settings: store(`mysql://ann:${SECRET}@db/team`),
      findings: [["setting-invalid", /postgres:\/\//, /./]],
    }));

  test("Nobody answers at the address of the team's store", () =>
    expectFindings({
      name: "Nobody answers at the address of the team's store",
      settings: store(`postgres://ann:${SECRET}@127.0.0.1:1/team`),
      findings: [["team-store-away", /ECONNREFUSED/, /Check the address, the network/]],
    }));

  test("The connection to the team's store is open, and there is no such host", () =>
    expectFindings({
      name: "The connection to the team's store is open, and there is no such host",
      settings: store(`postgres://ann:${SECRET}@store.invalid/team`),
      findings: [
        ["team-store-plain", /asks for no encryption/, /sslmode=verify-full/],
        ["team-store-away", /ENOTFOUND|EAI_AGAIN/, /Check the address/],
      ],
    }));
});

const title = `a team's store on a server${missingPostgres === null ? "" : ` (${missingPostgres})`}`;

describe.skipIf(missingPostgres !== null)(`${title}: finding, cause and fix`, () => {
  let server: PostgresServer;

  async function asOwner(database: string, text: string): Promise<void> {
    const address = parseAddress(server.address("owner", database));
    if (typeof address === "string") throw new Error("no address");
    const link = await connect(address);
    if (text === "migrate") await migrateServer(link);
    else await link.script(text);
    await link.close();
  }

  beforeAll(async () => {
    server = await PostgresServer.start();
    await asOwner("postgres", "CREATE DATABASE team");
    await asOwner("postgres", "CREATE ROLE bob LOGIN");
    await asOwner("team", "migrate");
    await asOwner("team", "GRANT USAGE ON SCHEMA session_runtime TO bob");
    await asOwner("team", "GRANT SELECT ON ALL TABLES IN SCHEMA session_runtime TO bob");
  }, 600_000);

  afterAll(async () => {
    await server.remove();
  }, 600_000);

  const found = (name: string, address: string, ...expected: readonly Set["findings"][number][]) =>
    expectFindings({ name, settings: store(address), findings: expected });

  test("a store that is as it should be has no finding", async () => {
    await found("", server.address("owner", "team"));
  });

  test("the server speaks no TLS, and the address demands it", async () => {
    const address = `${server.address("owner", "team")}?sslmode=verify-full`;
    const name = "The server of the team's store speaks no TLS, and the address demands it";
    await found(name, address, ["team-store-tls", /SSL/, /TLS.*sslrootcert/]);
  });

  test("a role that the server doesn't know", async () => {
    const address = server.address(`cem:${SECRET}`, "team");
    const name = "A wrong user or password of the team's store";
    await found(name, address, ["team-store-login", /28/, /Correct the user and the password/]);
  });

  test("a database that there is not", async () => {
    const name = "The database of the team's store was never created";
    const address = server.address("owner", "tema");
    await found(name, address, ["team-store-no-database", /"tema"/, /createdb/]);
  });

  test("a database without a schema, for whoever may make it and whoever may not", async () => {
    const name = "The team's store has not been set up";
    const address = (role: string) => server.address(role, "postgres");
    await found(name, address("owner"), [
      "team-store-empty",
      /no schema/,
      /memory push` creates it/,
    ]);
    const other = "The team's store has not been set up, and your role can't";
    await found(other, address("bob"), ["team-store-empty", /no schema/, /database's owner/]);
  });

  test("missing rights", async () => {
    const address = server.address("bob", "team");
    const name = "A member of the team's store lacks rights";
    const cause = /INSERT on item, UPDATE on item, .*UPDATE on lease/;
    await found(name, address, ["team-store-rights", cause, /rights in docs\/team\.md/]);
  });

  test("a schema that is behind, and one that is ahead", async () => {
    const address = server.address("owner", "team");
    await asOwner("team", "UPDATE session_runtime.server SET version = 0");
    const behind = "The schema of the team's store is older than this version";
    await found(behind, address, ["team-store-version", /another version/, /memory push`/]);
    await asOwner("team", "UPDATE session_runtime.server SET version = 99");
    const ahead = "The schema of the team's store is newer than this version";
    await found(ahead, address, [
      "team-store-version",
      /another version/,
      /Update Session Runtime/,
    ]);
    await asOwner("team", "UPDATE session_runtime.server SET version = 2");
  });

  test("changes that wait though the store can be used, as the last attempts failed", async () => {
    const home = makeHome();
    const path = home.path("runtime.db");
    const { database } = await openRuntimeDatabase({ schema, path });
    const memories = database.store(createSqliteMemoryStore);
    const copy = database.store(createLocalCopy);
    const project = await findProject(home.root, memories);
    await memories.enter(project, 1);
    copy.share(project.id);
    const wording = { category: "NAMING", importance: 50, permanence: "ordinary" } as const;
    const change = { kind: "add", wording: { ...wording, text: "Tables are singular." } } as const;
    const by = { by: "user", sessionId: null, segment: null, nowMs: 1 } as const;
    await memories.apply(project.id, [change], by);
    copy.away(Date.now() - 3_600_000, "permission denied (42501)");
    database.close();
    // Node 20 has no SQLite: the host's own is used.
    const env = { ...home.env, OPENCODE_BIN: hostBinary() };
    const { out } = await runCli(["check-database", "--json", "--db", path], env);
    const { outbox } = JSON.parse(out);
    expect(outbox).toMatchObject({ waiting: 1, problem: "permission denied (42501)" });
    const sound = healthy();
    const sane = {
      soundness: { state: "sound", reason: "" },
      secrets: new Map(),
      sessions: null,
    };
    const file = { sizeBytes: 1, mode: 0o600, ...sane, outbox };
    const address = server.address("owner", "team");
    const set = { SESSION_RUNTIME_MEMORY_STORE: address };
    const team = await teamFacts(sound.settings.config, set);
    const facts = healthy({ team, database: { ...sound.database, file } });
    const [stuck, ...more] = collectFindings(diagnose(facts));
    note("Changes for the team's store are stuck", stuck === undefined ? [] : [stuck]);
    expect(more).toEqual([]);
    expect(stuck).toMatchObject({ code: "team-store-outbox" });
    expect(stuck?.what).toContain("1 change from this machine waits");
    expect(stuck?.cause).toContain("permission denied");
    expect(stuck?.fix).toContain("memory push`");
  });
});
