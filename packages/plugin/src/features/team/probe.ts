// Tests the team's server without changing it: whether it answers, its version, this role's rights.
import type { Address } from "../memory/store-address.ts";
import { describeProblem, type Sql, withServer } from "./connection.ts";
import { readServerVersion, SERVER_VERSION } from "./server-schema.ts";

/**
 * `tls`: the connection can't be secured as the address demands. `login`: the user or the password is wrong.
 * `database`: there is no such database.
 */
type AccessFault = "unreachable" | "tls" | "login" | "database" | "other";

export type ProbeResult =
  | { readonly kind: "away"; readonly fault: AccessFault; readonly problem: string }
  /** `release` is the version of PostgreSQL itself. */
  | { readonly kind: "too old"; readonly release: string }
  /** The server has no schema; `mayCreate` is true if this role can create it. */
  | { readonly kind: "empty"; readonly mayCreate: boolean }
  | { readonly kind: "other version"; readonly version: number; readonly known: number }
  | { readonly kind: "usable"; readonly version: number; readonly missing: readonly string[] };

/** The oldest release of PostgreSQL that is tested. */
const MIN_POSTGRES_RELEASE = 15;

/** The rights that a member's role needs, by table. */
const REQUIRED_RIGHTS: readonly (readonly [string, readonly string[]])[] = [
  ["item", ["SELECT", "INSERT", "UPDATE"]],
  ["project", ["SELECT", "INSERT", "UPDATE"]],
  ["lease", ["SELECT", "INSERT", "UPDATE"]],
  ["change", ["SELECT"]],
  ["server", ["SELECT"]],
];

export async function probeAddress(address: Address): Promise<ProbeResult> {
  try {
    return await withServer(address, ({ sql }) => probeServer(sql));
  } catch (error) {
    return { kind: "away", fault: classifyAccessFault(error), problem: describeProblem(error) };
  }
}

export async function probeServer(sql: Sql): Promise<ProbeResult> {
  const release = await findOldRelease(sql);
  if (release !== null) return { kind: "too old", release };
  const version = await readServerVersion(sql);
  if (version === null) {
    const [row] = await sql`
      SELECT has_database_privilege(current_database(), 'CREATE') AS allowed`;
    return { kind: "empty", mayCreate: row?.allowed === true };
  }
  if (version !== SERVER_VERSION) return { kind: "other version", version, known: SERVER_VERSION };
  const missing: string[] = [];
  for (const [table, rights] of REQUIRED_RIGHTS) {
    for (const right of rights) {
      const [row] = await sql`
        SELECT has_table_privilege(${`session_runtime.${table}`}, ${right}) AS allowed`;
      if (row?.allowed !== true) missing.push(`${right} on ${table}`);
    }
  }
  const [row] = await sql`
    SELECT has_sequence_privilege('session_runtime.change_number', 'USAGE') AS counts,
      has_column_privilege('session_runtime.change', 'id', 'INSERT') AS records`;
  if (row?.counts !== true) missing.push("USAGE on change_number");
  if (row?.records !== true) missing.push("INSERT on change");
  return { kind: "usable", version, missing };
}

/** Returns the server's release if it is too old; null otherwise. */
async function findOldRelease(sql: Sql): Promise<string | null> {
  const [row] = await sql`
    SELECT current_setting('server_version') AS name, current_setting('server_version_num')::int AS number`;
  return Number(row?.number) < MIN_POSTGRES_RELEASE * 10_000 ? String(row?.name) : null;
}

const NETWORK_CODE_PATTERN = /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENETUNREACH|EPIPE|ENOENT)/;
/**
 * Matches the SQLSTATEs for a wrong password, a missing role or a refused host; `SASL` begins the driver's
 * own error.
 */
const LOGIN_CODE_PATTERN = /^28/;
const NO_DATABASE_CODE = "3D000";
const TLS_CODE_PATTERN = /CERT|^ERR_TLS|^ERR_SSL|^EPROTO|^UNABLE_TO_/;

export function classifyAccessFault(error: unknown): AccessFault {
  if (!(error instanceof Error)) return "other";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // The only file that is opened is the one with certificates.
  const isOfFile = "syscall" in error && error.syscall === "open";
  if (isOfFile || TLS_CODE_PATTERN.test(code) || /SSL|certificate/.test(error.message))
    return "tls";
  if (LOGIN_CODE_PATTERN.test(code) || error.message.startsWith("SASL")) return "login";
  if (code === NO_DATABASE_CODE) return "database";
  if (NETWORK_CODE_PATTERN.test(code) || /timeout|terminated/.test(error.message))
    return "unreachable";
  return "other";
}
