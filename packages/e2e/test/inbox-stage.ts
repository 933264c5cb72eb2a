import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import { type Client, HostError, type MessageWithParts } from "../src/client/client.ts";
import type { HostSettings } from "../src/host/host.ts";
import type { JsonObject } from "../src/json.ts";
import { type Bench, openBench } from "../src/open.ts";

const PLUGIN = join(import.meta.dir, "../../plugin");

export interface InputRow {
  readonly id: string;
  readonly session_id: string;
  readonly delivery: string;
  readonly state: string;
  readonly message_id: string | null;
  readonly promoted_at_ms: number | null;
}

type Settings = Partial<Omit<HostSettings, "providerUrl">>;

/** The file's one host with the plugin; its script starts anew with each test. */
export function useInboxHost(settings: Settings = {}): () => Bench {
  setDefaultTimeout(600_000);
  let opened: Bench | undefined;
  beforeAll(async () => {
    opened = await openBench({ plugin: [PLUGIN], ...settings });
  }, 600_000);
  afterAll(() => opened?.close());
  beforeEach(() => opened?.provider.script.reset());
  return () => {
    if (!opened) throw new Error("The host starts before the first test");
    return opened;
  };
}

/** With the plugin's own settings. */
export function withConfig(config: JsonObject): Settings {
  return { plugin: [[PLUGIN, config]] };
}

/** What one of our commands came to; the host has no way to end one but an error. */
export async function run(client: Client, id: string, name: string, args = ""): Promise<string> {
  try {
    await client.command(id, name, args);
  } catch (error) {
    if (error instanceof HostError) return JSON.parse(error.body).data.message;
    throw error;
  }
  throw new Error(`/${name} went on to the model`);
}

/** The error that a request is refused with. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    if (error instanceof HostError) return `${error.status} ${JSON.parse(error.body).data.message}`;
    throw error;
  }
  throw new Error("the request was taken");
}

/** Our database or the host's; a host that was just killed or started may hold it for a moment. */
export function openReader(path: string): Database {
  const database = new Database(path, { readonly: true });
  database.run("PRAGMA busy_timeout = 10000");
  return database;
}

export function inputs({ host }: Bench, sessionId?: string): readonly InputRow[] {
  const database = openReader(host.home.database);
  try {
    const rows = database
      .query<InputRow, []>(
        "SELECT id, session_id, delivery, state, message_id, promoted_at_ms FROM session_input ORDER BY session_id, rank",
      )
      .all();
    return rows.filter((row) => sessionId === undefined || row.session_id === sessionId);
  } finally {
    database.close();
  }
}

export function states(bench: Bench, sessionId: string): readonly string[] {
  return inputs(bench, sessionId).map(({ state }) => state);
}

export function expectSound({ host }: Pick<Bench, "host">): void {
  const database = openReader(host.home.database);
  expect(database.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(database.query("PRAGMA foreign_key_check").all()).toEqual([]);
  database.close();
}

/** The user's own prompts; our notes to the user are not among them. */
export function userTexts(messages: readonly MessageWithParts[]): readonly string[] {
  return listBlockTexts(messages.filter((message) => !isNote(message)));
}

/** What we have written into the session for the user alone. */
export function noteTexts(messages: readonly MessageWithParts[]): readonly string[] {
  return listBlockTexts(messages.filter(isNote));
}

function isNote({ parts }: MessageWithParts): boolean {
  return parts.length > 0 && parts.every((part) => part.type === "text" && part.ignored === true);
}

function listBlockTexts(messages: readonly MessageWithParts[]): readonly string[] {
  return messages
    .filter(({ info }) => info.role === "user")
    .map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join("|"));
}

/** The texts of the user's that a call had, in order. */
export function sentTexts(bench: Bench, sessionId: string): readonly (readonly string[])[] {
  return bench.provider.listCalls(sessionId, "main").map(({ blocks }) =>
    blocks
      .filter(({ layer, role }) => layer === "messages" && role === "user")
      .map(({ bytes }) => String(JSON.parse(bytes).text ?? ""))
      .filter((text) => text !== ""),
  );
}

/** Until every prompt of the session is answered and nothing runs. */
export async function allAnswered(bench: Bench, sessionId: string): Promise<void> {
  await eventually("every prompt answered", () => {
    const rows = states(bench, sessionId);
    return rows.length > 0 && rows.every((state) => state === "answered" || state === "recorded");
  });
}
