import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chownSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAddress } from "../../../src/features/memory/store-address.ts";
import { connect } from "../../../src/features/team/connection.ts";
import { classifyAccessFault } from "../../../src/features/team/probe.ts";
import { missingPostgres, PostgresServer, serverUser } from "./postgres-server.ts";

const missing = missingPostgres ?? (Bun.which("openssl") === null ? "needs openssl" : null);
const title = missing === null ? "the line to the server" : `the line to the server (${missing})`;

describe.skipIf(missing !== null)(title, () => {
  const home = mkdtempSync(join(tmpdir(), "session-runtime-tls-"));
  const file = (name: string) => join(home, name);
  let encrypted: PostgresServer;
  let plain: PostgresServer;

  function openssl(...words: readonly string[]): void {
    const { status, stderr } = spawnSync("openssl", words, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }

  /** A certificate of its own, for this name. */
  function certificate(name: string, subject: string): void {
    openssl(
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", `/CN=${subject}`],
      ...["-addext", `subjectAltName=DNS:${subject}`],
      ...["-keyout", file(`${name}.key`), "-out", file(`${name}.pem`)],
    );
  }

  beforeAll(async () => {
    certificate("server", "localhost");
    certificate("stranger", "localhost");
    const user = serverUser();
    copyFileSync(file("server.key"), file("private.key"));
    spawnSync("chmod", ["600", file("private.key")]);
    spawnSync("chmod", ["755", home]);
    if (user !== null) chownSync(file("private.key"), user.uid, user.gid);
    const settings = {
      ssl: "on",
      ssl_cert_file: file("server.pem"),
      ssl_key_file: file("private.key"),
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    encrypted = await PostgresServer.start(...options);
    plain = await PostgresServer.start();
  }, 600_000);

  afterAll(async () => {
    await encrypted.remove();
    await plain.remove();
    rmSync(home, { recursive: true, force: true });
  }, 600_000);

  /** Whether the line is encrypted, as the server sees it; rejects where there is none. */
  async function isEncrypted(
    server: PostgresServer,
    host: string,
    parameters: string,
  ): Promise<boolean> {
    const address = parseAddress(`${server.address().replace("127.0.0.1", host)}?${parameters}`);
    if (typeof address === "string") throw new Error("no address");
    const link = await connect(address);
    try {
      const [row] = await link.sql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
      return row?.ssl === true;
    } finally {
      await link.close();
    }
  }

  test("is encrypted where it can be, and as the address demands", async () => {
    expect(await isEncrypted(encrypted, "localhost", "")).toBe(true);
    expect(await isEncrypted(encrypted, "localhost", "sslmode=require")).toBe(true);
    expect(await isEncrypted(encrypted, "localhost", "sslmode=disable")).toBe(false);
    expect(await isEncrypted(plain, "localhost", "sslmode=prefer")).toBe(false);
  });

  test("is refused where the server can't encrypt, and the address demands it", async () => {
    for (const mode of ["require", "verify-ca", "verify-full"]) {
      await expect(isEncrypted(plain, "localhost", `sslmode=${mode}`)).rejects.toThrow("SSL");
    }
  });

  test("is refused with a stranger's certificate, and with the right one for another name", async () => {
    const own = `sslrootcert=${file("server.pem")}`;
    expect(await isEncrypted(encrypted, "localhost", `sslmode=verify-full&${own}`)).toBe(true);
    expect(await isEncrypted(encrypted, "127.0.0.1", `sslmode=verify-ca&${own}`)).toBe(true);
    const misnamed = isEncrypted(encrypted, "127.0.0.1", `sslmode=verify-full&${own}`);
    expect(await misnamed.catch(classifyAccessFault)).toBe("tls");
    for (const mode of ["verify-ca", "verify-full"]) {
      const other = `sslmode=${mode}&sslrootcert=${file("stranger.pem")}`;
      for (const parameters of [other, `sslmode=${mode}`]) {
        const refused = await isEncrypted(encrypted, "localhost", parameters).catch(
          classifyAccessFault,
        );
        expect(refused).toBe("tls");
      }
    }
  });
});
