// The store of forms.
import * as z from "zod";
import type { Driver, SqlRow } from "./driver.ts";
import type { EntryForm, FormStore } from "./form-records.ts";
import { StorageError } from "./store.ts";

const SELECT_FORMS = `
  SELECT entry_seq, form FROM entry_form
  WHERE session_id = ? AND provider_id = ? AND model_id = ?`;

const DECIDE = `
  INSERT INTO entry_form (session_id, entry_seq, provider_id, model_id, form, cause, decided_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (session_id, entry_seq, provider_id, model_id) DO UPDATE
  SET form = excluded.form, cause = excluded.cause, decided_at_ms = excluded.decided_at_ms
  WHERE form = 'native' AND excluded.form = 'wrapped'`;

const SELECT_REFUSED = `
  SELECT 1 AS found FROM entry_form
  WHERE provider_id = ? AND model_id = ? AND cause = 'refused' AND decided_at_ms >= ? LIMIT 1`;

const formRow = z.object({ entry_seq: z.int(), form: z.enum(["native", "wrapped"]) });

export function formStore(driver: Driver): FormStore {
  return {
    of({ sessionId, providerId, modelId }) {
      const rows = driver.all(SELECT_FORMS, sessionId, providerId, modelId);
      return new Map(rows.map(formOf));
    },
    decide({ sessionId, providerId, modelId }, decisions, atMs) {
      driver.transaction(() => {
        for (const { entrySeq, form, cause } of decisions) {
          driver.run(DECIDE, sessionId, entrySeq, providerId, modelId, form, cause, atMs);
        }
      });
    },
    refusedSince: (providerId, modelId, sinceMs) =>
      driver.get(SELECT_REFUSED, providerId, modelId, sinceMs) !== null,
  };
}

function formOf(sql: SqlRow): readonly [number, EntryForm] {
  const row = formRow.safeParse(sql);
  if (!row.success)
    throw new StorageError("corrupt", "A stored form of an update does not decode.");
  return [row.data.entry_seq, row.data.form];
}
