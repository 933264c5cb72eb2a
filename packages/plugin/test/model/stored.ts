import { z } from "zod";
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
const insertEdit = z.object({ text: z.string() });

/** What is on disk, by a connection of its own that sees committed rows only. */
export class Stored {
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

  /** The texts that edits hold, in the order of the ledger. */
  texts(sessionId: string): readonly string[] {
    const rows = this.#driver.all(
      "SELECT edit FROM entry WHERE session_id = ? AND edit IS NOT NULL ORDER BY seq",
      sessionId,
    );
    return rows.map((row) => insertEdit.parse(JSON.parse(String(row.edit))).text);
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
