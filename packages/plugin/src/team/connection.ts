// Connects to the team's PostgreSQL, as its address says.
import { readFileSync } from "node:fs";
import type { Sql } from "postgres";
import { withoutSecrets } from "../redaction/secrets.ts";

const CONNECT_TIMEOUT_S = 5;
/** Nothing that the store asks takes long; a server that hangs is away. */
const STATEMENT_TIMEOUT_MS = 20_000;

/** How the line to the server is kept from others. */
export type Privacy = "verified" | "encrypted" | "plain" | "local";

/** What the address says of it; the driver is told so. */
export function privacyOf(address: string): Privacy {
  const url = new URL(address);
  const mode = url.searchParams.get("sslmode") ?? "prefer";
  if (mode === "verify-full" || mode === "verify-ca") return "verified";
  if (mode === "require") return "encrypted";
  return isLocal(url) ? "local" : "plain";
}

function isLocal(url: URL): boolean {
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
  return (
    host === "" || host.startsWith("/") || /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host)
  );
}

/** The host and the database, for people; never the user's password. */
export function placeOf(address: string): string {
  const { hostname, port, pathname } = new URL(address);
  return `${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
}

/** Connects at the first query, by one connection. The library is loaded here, and nowhere else. */
export async function connect(address: string): Promise<Sql> {
  const { default: postgres } = await import("postgres");
  const url = new URL(address);
  const socket = url.searchParams.get("host");
  // What is left there goes to the server as its settings, and it refuses what it doesn't know.
  url.search = "";
  return postgres(url.href, {
    max: 1,
    ...(socket !== null && { host: socket }),
    ssl: tlsOf(address),
    connect_timeout: CONNECT_TIMEOUT_S,
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

function tlsOf(address: string) {
  const { searchParams, hostname } = new URL(address);
  const mode = searchParams.get("sslmode") ?? "prefer";
  const root = searchParams.get("sslrootcert");
  const ca = root === null ? {} : { ca: readFileSync(root) };
  switch (mode) {
    case "disable":
      return false;
    case "require":
      return { rejectUnauthorized: false };
    case "verify-ca":
      return { ...ca, checkServerIdentity: () => undefined };
    case "verify-full":
      return { ...ca, host: hostname };
    default:
      // Where the server offers none, it is left out, as psql does.
      return "prefer" as const;
  }
}

/** Why the server can't be used, without addresses' secrets. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return withoutSecrets(`${error.message || "no answer"} (${code})`).slice(0, 200);
}
