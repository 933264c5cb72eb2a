import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { SyntheticWords } from "../../src/simulation/made-up.ts";
import {
  listTurns,
  type RecordedSession,
  type RecordedStep,
} from "../../src/simulation/recorded.ts";
import { SimulatedSession } from "../../src/simulation/session.ts";
import type { Model } from "../../src/simulation/settings.ts";

export function hostDatabasePath(home: string): string {
  return join(home, ".local/share/opencode/opencode.db");
}

/** The tables of OpenCode 1.18.33 that hold sessions, as its own database has them. */
export function openHostDatabase(home: string): Driver {
  const path = hostDatabasePath(home);
  mkdirSync(dirname(path), { recursive: true });
  const driver = openBunDriver(path);
  // What is thrown away needn't reach the disk.
  driver.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
  driver.exec(`CREATE TABLE IF NOT EXISTS session (
      id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text,
      slug text NOT NULL, directory text NOT NULL, path text, title text NOT NULL,
      version text NOT NULL, share_url text, summary_additions integer, summary_deletions integer,
      summary_files integer, summary_diffs text, metadata text, cost real DEFAULT 0 NOT NULL,
      tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL,
      tokens_reasoning integer DEFAULT 0 NOT NULL, tokens_cache_read integer DEFAULT 0 NOT NULL,
      tokens_cache_write integer DEFAULT 0 NOT NULL, revert text, permission text, agent text,
      model text, time_created integer NOT NULL, time_updated integer NOT NULL,
      time_compacting integer, time_archived integer);
    CREATE TABLE IF NOT EXISTS message (
      id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
      time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE IF NOT EXISTS part (
      id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
      time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE INDEX IF NOT EXISTS message_session ON message (session_id, time_created, id);
    CREATE INDEX IF NOT EXISTS part_session ON part (session_id)`);
  return driver;
}

export interface HostSessionRow {
  readonly id: string;
  readonly title: string;
  readonly directory: string;
  readonly updatedMs: number;
}

export function storeSessionRow(driver: Driver, row: HostSessionRow): void {
  driver.run(
    "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES (?, 'global', '', ?, ?, '1.18.33', ?, ?)",
    ...[row.id, row.directory, row.title, row.updatedMs, row.updatedMs],
  );
}

const BEGAN_MS = 1_750_000_000_000;

/** Message by message as the host stores them, for one session. */
export class HostRows {
  #ids = 0;

  constructor(
    private readonly driver: Driver,
    private readonly sessionId: string,
  ) {}

  add(data: object, parts: readonly object[], atMs = 0): void {
    const id = this.#id("msg");
    const time = { created: BEGAN_MS + atMs };
    this.driver.run(
      "INSERT INTO message VALUES (?, ?, ?, ?, ?)",
      ...[id, this.sessionId, time.created, time.created],
      JSON.stringify({ ...data, time }),
    );
    for (const part of parts) {
      this.driver.run(
        "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)",
        ...[this.#id("prt"), id, this.sessionId, time.created, time.created],
        JSON.stringify(part),
      );
    }
  }

  prompt(text: string): void {
    this.add({ role: "user" }, [{ type: "text", text }]);
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}_${this.sessionId}_${String(this.#ids).padStart(6, "0")}`;
  }
}

/** What OpenCode alone would have stored of this session, and been billed for it. */
export function storePlayed(
  driver: Driver,
  row: HostSessionRow,
  { recorded, model }: { readonly recorded: RecordedSession; readonly model: Model },
): number {
  storeSessionRow(driver, row);
  const rows = new HostRows(driver, row.id);
  const words = SyntheticWords.of(recorded);
  const session = new SimulatedSession(model, null);
  let number = 0;
  const answer = (step: RecordedStep) => {
    const atMs = (step.s ?? 0) * 1000;
    const said = words.createAnswer(step, number);
    const calls = step.calls.flatMap(({ result }) => words.findCall(result) ?? []);
    number += 1;
    session.send(atMs);
    session.answer({ said, calls });
    const { tokens, readTokens } = session.calls.at(-1) ?? { tokens: 0, readTokens: 0 };
    const cache = { read: readTokens, write: tokens - readTokens };
    const figures = { input: 0, output: 50, reasoning: 0, cache };
    const tools = calls.map(({ tool, input, outcome, text }) => {
      const time = { start: 1, end: 2 };
      const done = { status: "completed", input, output: text, title: "", metadata: {}, time };
      const failed = { status: "error", input, error: text, time };
      return { type: "tool", tool, callID: "c", state: outcome === "done" ? done : failed };
    });
    rows.add(
      { role: "assistant", providerID: "anthropic", modelID: "claude-made", tokens: figures },
      [
        { type: "step-start" },
        ...(said === "" ? [] : [{ type: "text", text: said }]),
        ...tools,
        { type: "step-finish" },
      ],
      atMs,
    );
  };
  for (const [turn, { chars, steps }] of listTurns(recorded).entries()) {
    session.prompt(words.createPrompt(chars, turn));
    rows.prompt(words.createPrompt(chars, turn));
    for (const step of steps) answer(step);
  }
  return session.calls.reduce((sum, { bill }) => sum + bill, 0);
}

/** So many sessions of so many calls, in a window that none fills. */
export function storeAlike(
  home: string,
  { sessions, calls }: { readonly sessions: number; readonly calls: number },
): void {
  const driver = openHostDatabase(home);
  const recorded = madeSession("made", calls);
  const model = { ...madeModel, windowTokens: 2_000_000, usableTokens: 2_000_000 };
  driver.exec("BEGIN");
  for (let at = 0; at < sessions; at += 1) {
    const row = { id: `ses_${at}`, title: `${at}`, directory: home, updatedMs: at };
    storePlayed(driver, row, { recorded, model });
  }
  driver.exec("COMMIT");
  driver.close();
}

/** A session of so many calls with results as large as recorded ones: reads, runs and edits, of which some are used later, and a pause. */
export function madeSession(name: string, calls: number): RecordedSession {
  const tools = ["read", "bash", "read", "grep", "edit"] as const;
  const steps: RecordedStep[] = Array.from({ length: calls - 1 }, (_, at) => ({
    s: at * 8 + (at > calls / 2 ? 400 : 0),
    chars: 120 + (at % 7) * 40,
    calls: [
      {
        tool: tools[at % tools.length] ?? "read",
        target: (at * 7) % 40,
        chars: 90 + (at % 5) * 60,
        result: at,
        resultChars: 400 + ((at * 2_311) % 5_000),
      },
    ],
    needs: at % 9 === 8 ? [at - 1, Math.floor(at / 2)] : at % 3 === 2 ? [at - 2] : [],
  }));
  const last: RecordedStep = { s: calls * 8 + 500, chars: 300, calls: [], needs: [] };
  const [model, harness] = ["none", "none"];
  return { session: name, model, harness, turns: [{ chars: 400, steps: [...steps, last] }] };
}

export const madeModel: Model = {
  windowTokens: 200_000,
  usableTokens: 168_000,
  frontTokens: 9_000,
  ttlMs: 300_000,
  rates: { read: 0.1, write: 1.25, lookBackBlocks: 20 },
};
