// Connects to the team's PostgreSQL, as its address says.
import { readFileSync } from "node:fs";
import type { Sql } from "postgres";
import { withoutSecrets } from "../redaction/secrets.ts";
import type { Address } from "./address.ts";

const CONNECT_TIMEOUT_S = 5;
/** Nothing that the store asks takes long; a server that hangs is away. */
const STATEMENT_TIMEOUT_MS = 20_000;
/** A host that has nothing to do holds no connection, but for the one that listens. */
const IDLE_TIMEOUT_S = 60;

/** Connects at the first query, by one connection. The library is loaded here, and nowhere else. */
export async function connect(address: Address): Promise<Sql> {
  const { default: postgres } = await import("postgres");
  return postgres(address.url, {
    max: 1,
    ...(address.socket !== null && { host: address.socket }),
    ssl: tlsOf(address),
    connect_timeout: CONNECT_TIMEOUT_S,
    idle_timeout: IDLE_TIMEOUT_S,
    // Poolers that hand each transaction another connection keep no prepared statements.
    prepare: false,
    fetch_types: false,
    onnotice: () => undefined,
    connection: {
      application_name: "session-runtime",
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    },
  });
}

/** As libpq has the modes. */
function tlsOf({ sslMode, rootFile, host, socket }: Address) {
  if (socket !== null) return false;
  const ca = rootFile === null ? {} : { ca: readFileSync(rootFile) };
  switch (sslMode) {
    case "disable":
      return false;
    case "allow":
    case "prefer":
      // Where the server offers none, it is left out.
      return "prefer" as const;
    case "require":
      return { rejectUnauthorized: false };
    case "verify-ca":
      return { ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case "verify-full":
      return { ...ca, rejectUnauthorized: true, host, servername: host };
  }
}

/** Why the server can't be used, without addresses' secrets. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const rights = code === "42501" ? "; docs/team.md has the rights that a member's role needs" : "";
  return withoutSecrets(`${error.message || "no answer"} (${code})${rights}`).slice(0, 300);
}
