import { describe, expect, test } from "bun:test";
import { parseAddress } from "../../../src/features/memory/store-address.ts";
import { isTeamSet } from "../../../src/features/team/is-set.ts";
import { resolveTeam } from "../../../src/features/team/team.ts";
import { resolveConfig } from "../../whole-config.ts";

const SECRET = ["hunter2", "hunter2"].join("");

const layer = (scope: "user" | "project", memory: object) =>
  ({ file: scope, scope, value: { memory }, findLine: () => null }) as const;

test("an address is read with its parameters, and shown without the password", () => {
  const url = `postgres://ann:${SECRET}@db.example.org:5433/team`;
  expect(parseAddress(`${url}?sslmode=verify-full&sslrootcert=/etc/ca.pem`)).toEqual({
    ...{ url, host: "db.example.org", socket: null, sslMode: "verify-full" },
    ...{ rootFile: "/etc/ca.pem", privacy: "verified", shown: "db.example.org:5433/team" },
  });
  expect(parseAddress("postgresql:///team?host=/run/postgresql")).toMatchObject({
    ...{ socket: "/run/postgresql", privacy: "local", shown: "/run/postgresql/team" },
  });
});

test("what is no address, or has a parameter that would not be followed, is refused", () => {
  for (const wrong of [
    ...["", "team", "mysql://db/team", "postgres://db/team?sslmode=always"],
    ...["postgres://db/team?sslMode=require", "postgres://db/team?connect_timeout=3"],
  ]) {
    expect(parseAddress(wrong)).toBe("other");
  }
});

test.each([
  ["postgres://db.example.org/team", "plain"],
  ["postgres://db.example.org/team?sslmode=prefer", "plain"],
  ["postgres://db.example.org/team?sslmode=disable", "plain"],
  ["postgres://db.example.org/team?sslmode=require", "encrypted"],
  ["postgres://db.example.org/team?sslmode=verify-ca", "verified"],
  ["postgres://localhost/team", "local"],
  ["postgres://127.0.0.1/team", "local"],
  ["postgres://[::1]/team", "local"],
  ["postgres://127.0.0.1.example.org/team", "plain"],
] as const)("the line to %s is %s", (address, privacy) => {
  expect(parseAddress(address)).toMatchObject({ privacy });
});

test("the store is the user's word, or the variable's, which comes first; none without memory", () => {
  const { config } = resolveConfig([
    layer("user", { enabled: true, store: "postgres://file/team" }),
  ]);
  expect(resolveTeam(config, {})).toMatchObject({ address: { host: "file" }, isShared: true });
  const env = { SESSION_RUNTIME_MEMORY_STORE: "postgres://variable/team" };
  expect(resolveTeam(config, env)).toMatchObject({ address: { host: "variable" } });
  expect(isTeamSet(config, {})).toBe(true);
  const without = resolveConfig([layer("user", { enabled: false, store: "postgres://file/team" })]);
  expect(resolveTeam(without.config, {})).toBeNull();
  expect(isTeamSet(without.config, env)).toBe(false);
  const broken = { SESSION_RUNTIME_MEMORY_STORE: "nonsense" };
  expect([resolveTeam(config, broken), isTeamSet(config, broken)]).toEqual(["other", true]);
  expect(isTeamSet(resolveConfig([layer("user", { enabled: true })]).config, {})).toBe(false);
});

test("TM3: a cloned project points nobody's memories to its own server, and takes nobody's name", () => {
  const { config, warnings } = resolveConfig([
    layer("user", { enabled: true, member: "ann" }),
    layer("project", { store: "postgres://stranger.example.org/loot", member: "mallory" }),
  ]);
  expect(resolveTeam(config, {})).toBeNull();
  expect(isTeamSet(config, {})).toBe(false);
  expect(warnings.map(({ key }) => key)).toEqual(["memory.store", "memory.member"]);
  const store = "postgres://db/team";
  expect(
    resolveTeam(resolveConfig([layer("user", { enabled: true, store, member: "ann" })]).config, {}),
  ).toMatchObject({ member: "ann" });
});

test("changes go under the configured name, else the account's, else the role's", () => {
  const store = "postgres://role@db/team";
  const named = (memory: object) =>
    resolveConfig([layer("user", { enabled: true, store, ...memory })]).config;
  const names = [
    resolveTeam(named({ member: "ann" }), { USER: "account" }),
    resolveTeam(named({}), { USER: "account" }),
    resolveTeam(named({}), {}),
    resolveTeam(named({ store: "postgres://db/team" }), {}),
  ];
  expect(names.map((team) => typeof team === "object" && team?.member)).toEqual([
    "ann",
    "account",
    "role",
    "unknown",
  ]);
});

test("a project's file can keep its memories from the team, and can't give them to it", () => {
  const own = { enabled: true, store: "postgres://db/team" };
  const kept = resolveConfig([layer("user", own), layer("project", { shared: false })]);
  expect(resolveTeam(kept.config, {})).toMatchObject({ isShared: false });
  expect(kept.warnings).toEqual([]);
  const given = resolveConfig([
    layer("user", { ...own, shared: false }),
    layer("project", { shared: true }),
  ]);
  expect(resolveTeam(given.config, {})).toMatchObject({ isShared: false });
  expect(given.warnings).toMatchObject([{ key: "memory.shared" }]);
});

test("an address that is wrong is not repeated in the warning: it has a password in it", () => {
  const wrong = `postgre://ann:${SECRET}@db/team`;
  const { warnings } = resolveConfig([layer("user", { store: wrong })]);
  expect(warnings).toHaveLength(1);
  expect(JSON.stringify(warnings)).not.toContain(SECRET);
});

describe("a password that is not percent-encoded", () => {
  const unencoded = ["p@ss", "p/ss", "p#ss", "p?ss", "12#ss", "p@s/s", "100%", "%zz", "%ff"];
  for (const password of unencoded) {
    test(`${password} is refused, and no part of the address is shown`, () => {
      const store = `postgres://ann:xyzzy${password}xyzzy@plugh.example.org/team`;
      expect(parseAddress(store)).toBe("unencoded");
      const { warnings, config } = resolveConfig([layer("user", { enabled: true, store })]);
      expect(warnings).toMatchObject([{ key: "memory.store" }]);
      expect(JSON.stringify(warnings)).toContain("percent-encoded");
      expect(JSON.stringify(warnings)).not.toMatch(/xyzzy|plugh|ann/);
      expect(resolveTeam(config, {})).toBeNull();
      expect(resolveTeam(config, { SESSION_RUNTIME_MEMORY_STORE: store })).toBe("unencoded");
    });
  }

  test("encoded, it is read, and a parameter may hold a path", () => {
    const store = "postgres://ann:p%40s%2Fs%23%3F%25@db/team?host=/run/postgresql";
    expect(parseAddress(store)).toMatchObject({ host: "db", socket: "/run/postgresql" });
  });
});
