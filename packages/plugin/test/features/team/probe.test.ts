import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { parseAddress } from "../../../src/features/memory/store-address.ts";
import { connect, type Sql } from "../../../src/features/team/connection.ts";
import { type ProbeResult, probeAddress, probeServer } from "../../../src/features/team/probe.ts";
import { missingPostgres, PostgresServer } from "./postgres-server.ts";

setDefaultTimeout(600_000);

const SECRET = ["hunter2", "hunter2"].join("");

async function probed(address: string): Promise<ProbeResult> {
  const read = parseAddress(address);
  if (typeof read === "string") throw new Error("no address");
  return probeAddress(read);
}

const away = (fault: string) => ({ kind: "away", fault });

test("a server that isn't there, or whose name isn't, is out of reach", async () => {
  expect(await probed("postgres://ann@127.0.0.1:1/team")).toMatchObject(away("unreachable"));
  expect(await probed("postgres://ann@store.invalid/team")).toMatchObject(away("unreachable"));
  expect(await probed("postgres://ann@localhost/team?host=/nowhere")).toMatchObject(
    away("unreachable"),
  );
});

test("a file of certificates that isn't there is a fault of the encrypted line", async () => {
  const given = "sslmode=verify-full&sslrootcert=/nowhere/root.pem";
  const found = await probed(`postgres://ann@127.0.0.1:1/team?${given}`);
  expect(found).toMatchObject(away("tls"));
});

test("a PostgreSQL before 15 is too old", async () => {
  const release = (name: string, number: number): Sql => {
    return async () => [{ name, number }];
  };
  expect(await probeServer(release("14.9 (Debian)", 140_009))).toEqual({
    kind: "too old",
    release: "14.9 (Debian)",
  });
  expect(await probeServer(release("15.0", 150_000))).not.toMatchObject({ kind: "too old" });
});

const title =
  missingPostgres === null ? "what the server refuses" : `what it refuses (${missingPostgres})`;

describe.skipIf(missingPostgres !== null)(title, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.start();
    const address = parseAddress(server.address());
    if (typeof address === "string") throw new Error("no address");
    const link = await connect(address);
    const [row] = await link.sql`SHOW hba_file`;
    // From now on one role needs its password, and one may not log in.
    await link.script(`
      CREATE ROLE ann LOGIN PASSWORD '${SECRET}';
      CREATE ROLE bob LOGIN;
      COPY (VALUES ('host all ann all scram-sha-256'), ('host all bob all reject'),
        ('host all all all trust')) TO '${String(row?.hba_file)}';
      SELECT pg_reload_conf()`);
    await link.close();
  }, 600_000);

  afterAll(async () => {
    await server.remove();
  }, 600_000);

  const as = (user: string, more = "/postgres") =>
    server.address().replace("owner@", `${user}@`).replace("/postgres", more);

  test("a wrong password, none, and a role that may not log in or isn't there are faults of the login", async () => {
    expect(await probed(as(`ann:${SECRET}`))).toMatchObject({ kind: "empty", mayCreate: false });
    for (const user of ["ann:wrong", "ann", "bob", "nobody"]) {
      const found = await probed(as(user));
      expect(found, user).toMatchObject(away("login"));
      expect(JSON.stringify(found)).not.toContain("wrong");
    }
  });

  test("a server that hangs is out of reach while it hangs, and holds up nobody who leaves it", async () => {
    const hanging = await PostgresServer.start();
    const address = parseAddress(hanging.address());
    if (typeof address === "string") throw new Error("no address");
    const link = await connect(address);
    hanging.hang();
    const [found] = await Promise.all([probeAddress(address), link.close()]);
    expect(found).toMatchObject(away("unreachable"));
    await hanging.remove();
  }, 600_000);

  test("a database that isn't there is named as that, and a line that can't be encrypted as this", async () => {
    expect(await probed(as("owner", "/tema"))).toMatchObject(away("database"));
    expect(await probed(as("owner", "/postgres?sslmode=require"))).toMatchObject(away("tls"));
  });
});
