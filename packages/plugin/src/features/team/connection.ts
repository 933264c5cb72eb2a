// Opens a connection to the team's PostgreSQL server, as the address requires.
import { readFileSync } from "node:fs";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { Client, ClientConfig } from "pg";
import { maskSecrets } from "../../log/secrets.ts";
import type { Address } from "../memory/store-address.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** No statement of the store takes long; a server that hangs counts as unreachable. */
const STATEMENT_TIMEOUT_MS = 20_000;

type Row = Readonly<Record<string, unknown>>;

/** Runs a statement. Each value is bound as a parameter; lists and objects are bound as JSON. */
export type Sql = (
  parts: TemplateStringsArray,
  ...values: readonly unknown[]
) => Promise<readonly Row[]>;

export interface Server {
  readonly sql: Sql;
  /** Runs all of the body's statements or none; no other statement may run in the meantime. */
  begin<Result>(body: () => Promise<Result>): Promise<Result>;
  /** Runs a text of any number of statements, which take no values. */
  script(text: string): Promise<void>;
  /** Calls back at each notification on the channel. */
  listen(channel: string, heard: () => void): Promise<void>;
  /** Calls back when the connection ends, whoever ends it, or at once if it has ended already. */
  ended(body: () => void): void;
  close(): Promise<void>;
}

/** Connects to the server. The PostgreSQL library is loaded here and nowhere else. */
export async function connect(address: Address): Promise<Server> {
  const { default: pg } = await import("pg");
  const connectWith = async (ssl: ClientConfig["ssl"]) => {
    const client = new pg.Client(toClientConfig(address, ssl));
    const server = createServer(client);
    await client.connect();
    return server;
  };
  const ssl = toTlsOptions(address);
  if (ssl !== "if it can") return connectWith(ssl);
  try {
    return await connectWith({ rejectUnauthorized: false });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("does not support SSL")) throw error;
    return connectWith(false);
  }
}

/** Runs the body on a connection of its own, which is closed afterwards. */
export async function withServer<Result>(
  address: Address,
  work: (server: Server) => Promise<Result>,
): Promise<Result> {
  const server = await connect(address);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

function toClientConfig({ url, socket }: Address, ssl: ClientConfig["ssl"]): ClientConfig {
  const { username, password, hostname, port, pathname } = new URL(url);
  return {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    host: socket ?? decodeURIComponent(hostname).replace(/^\[|\]$/g, ""),
    ...(port !== "" && { port: Number(port) }),
    database: decodeURIComponent(pathname.slice(1)),
    ssl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // The client applies this timeout itself, so that it also notices a server that vanishes silently.
    query_timeout: STATEMENT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    application_name: "session-runtime",
  };
}

function createServer(client: Client): Server {
  let isOver = false;
  const enders: (() => void)[] = [];
  const markEnded = () => {
    isOver = true;
    for (const body of enders.splice(0)) body();
  };
  // A caller that waits for an answer also gets the error.
  client.on("error", markEnded);
  client.on("end", markEnded);
  const sql: Sql = async (parts, ...values) => {
    const text = parts.reduce((before, part, at) => `${before}$${at}${part}`);
    const { rows } = await client.query<Row>(text, values.map(toBindable));
    return rows;
  };
  return {
    sql,
    async begin(body) {
      await sql`BEGIN`;
      try {
        const result = await body();
        await sql`COMMIT`;
        return result;
      } catch (error) {
        // If the connection is gone, the server has already rolled back by itself.
        if (!isOver) await sql`ROLLBACK`;
        throw error;
      }
    },
    script: async (text) => void (await client.query(text)),
    async listen(channel, heard) {
      client.on("notification", heard);
      await client.query(`LISTEN ${channel}`);
    },
    ended(body) {
      if (isOver) body();
      else enders.push(body);
    },
    close: () => client.end(),
  };
}

function toBindable(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** Maps the SSL modes as libpq does. */
function toTlsOptions({ sslMode, rootFile, host, socket }: Address) {
  if (socket !== null) return false;
  const ca = rootFile === null ? {} : { ca: readFileSync(rootFile) };
  switch (sslMode) {
    case "disable":
      return false;
    case "allow":
    case "prefer":
      return "if it can" as const;
    case "require":
      return { rejectUnauthorized: false };
    case "verify-ca":
      return { ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case "verify-full":
      return {
        ...ca,
        rejectUnauthorized: true,
        // We check the name ourselves, because for a numeric address the runtime would expect another name.
        checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
          checkServerIdentity(host, certificate),
      };
  }
}

/** Describes why the server can't be used, without the secrets of addresses. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const rights = code === "42501" ? "; docs/team.md has the rights that a member's role needs" : "";
  return maskSecrets(`${error.message || "no answer"} (${code})${rights}`).slice(0, 300);
}
