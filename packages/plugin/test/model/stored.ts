import { z } from "zod";
import { type Edit, editSchema } from "../../src/ledger/edit.ts";
import type { Driver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";

export interface StoredEpoch {
  readonly seq: number;
  readonly cause: string;
  readonly startMessageId: string | null;
  readonly directory: string;
  readonly baseline: string;
}

const epochRow = z.object({
  seq: z.int(),
  cause: z.string(),
  startMessageId: z.string().nullable(),
  directory: z.string(),
  baseline: z.string(),
});
/** What history features do: an edit that replaces, omits or folds. */
export interface StoredEdit {
  readonly seq: number;
  readonly epochSeq: number;
  readonly origin: string;
  readonly edit: Exclude<Edit, { readonly verb: "insert" }>;
}

/** An update or reminder on record, and the message that it follows. */
interface StoredInsert {
  readonly text: string;
  readonly messageId: string;
}

/** What a call's hooks wrote: decisions of the session, or something that none of them asked for. */
export type WrittenRow = "nothing" | "decisions" | "something else";

interface Mark {
  readonly version: number;
  readonly decisions: number;
}

export function writtenSince(before: Mark, after: Mark): WrittenRow {
  if (before.version === after.version) return "nothing";
  return before.decisions === after.decisions ? "something else" : "decisions";
}

/** What is on disk, by a connection of its own that sees committed rows only. */
export class StoredState {
  readonly #driver: Driver;

  constructor(path: string) {
    this.#driver = openBunDriver(path);
  }

  epochs(sessionId: string): readonly StoredEpoch[] {
    return this.#driver
      .all(
        `SELECT seq, cause, start_message_id AS startMessageId, directory,
          json_extract(baseline, '$') AS baseline
        FROM epoch WHERE session_id = ? ORDER BY seq`,
        sessionId,
      )
      .map((row) => epochRow.parse(row, { jitless: true }));
  }

  /** The texts that edits hold, also those of an epoch that is about to begin. */
  texts(sessionId: string): readonly string[] {
    const rows = [
      ...this.#driver.all(
        "SELECT edit FROM entry WHERE session_id = ? AND edit IS NOT NULL ORDER BY seq",
        sessionId,
      ),
      ...this.#driver.all("SELECT edit FROM prepared_edit WHERE session_id = ?", sessionId),
    ];
    return rows.flatMap(({ edit }) => {
      const decoded = editSchema.parse(JSON.parse(String(edit)), { jitless: true });
      return "text" in decoded ? [decoded.text] : [];
    });
  }

  /** In the order of the ledger. */
  edits(sessionId: string): readonly StoredEdit[] {
    const rows = this.#driver.all(
      `SELECT seq, epoch_seq AS epochSeq, origin, edit FROM entry
      WHERE session_id = ? AND edit IS NOT NULL AND json_extract(edit, '$.verb') <> 'insert'
      ORDER BY seq`,
      sessionId,
    );
    return rows.flatMap(({ seq, epochSeq, origin, edit }) => {
      const decoded = editSchema.parse(JSON.parse(String(edit)), { jitless: true });
      if (decoded.verb === "insert") return [];
      const place = { seq: Number(seq), epochSeq: Number(epochSeq), origin: String(origin) };
      return [{ ...place, edit: decoded }];
    });
  }

  inserts(sessionId: string): readonly StoredInsert[] {
    return this.#driver
      .all(
        `SELECT json_extract(edit, '$.text') AS text, message_id AS messageId FROM entry
        WHERE session_id = ? AND json_extract(edit, '$.verb') = 'insert'`,
        sessionId,
      )
      .map(({ text, messageId }) => ({ text: String(text), messageId: String(messageId) }));
  }

  /** Moves with each commit, and with each decision of the session; one of them is to take a proposal. */
  mark(sessionId: string): Mark {
    const decisions = this.#driver.get(
      `SELECT (SELECT count(*) FROM epoch WHERE session_id = ?)
        + (SELECT count(*) FROM entry WHERE session_id = ?)
        + (SELECT count(*) FROM prepared_edit WHERE session_id = ?)
        - (SELECT count(*) FROM proposal WHERE session_id = ?) AS n`,
      ...[sessionId, sessionId, sessionId, sessionId],
    );
    const version = this.#driver.get("PRAGMA data_version");
    return { version: Number(version?.data_version), decisions: Number(decisions?.n) };
  }

  /** Whether a command's proposal waits for a boundary. */
  hasCommand(sessionId: string): boolean {
    const sql = "SELECT 1 AS found FROM proposal WHERE session_id = ? AND urgency = 'command'";
    return this.#driver.get(sql, sessionId) !== null;
  }

  count(table: "session" | "epoch" | "entry" | "turn", sessionId: string): number {
    const column = table === "session" ? "id" : "session_id";
    const row = this.#driver.get(
      `SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`,
      sessionId,
    );
    return Number(row?.n);
  }

  close(): void {
    this.#driver.close();
  }
}
