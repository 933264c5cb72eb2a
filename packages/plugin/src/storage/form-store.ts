// The store of forms.
import { branded, integer, oneOf, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { FormDecision, FormOwner, FormStore } from "./form-records.ts";
import { table } from "./table.ts";

export const formTable = table<FormOwner & FormDecision & { readonly decidedAtMs: number }>(
  "entry_form",
  {
    sessionId: branded(),
    entrySeq: integer,
    providerId: text,
    modelId: text,
    form: oneOf(["native", "wrapped"]),
    cause: oneOf(["first", "place", "refused"]),
    decidedAtMs: integer,
  },
  {
    key: ["sessionId", "entrySeq", "providerId", "modelId"],
    sessionColumn: "session_id",
    exported: { kind: "in order", by: "entry_seq, provider_id, model_id" },
    activityColumn: null,
  },
);

const decided = formTable.pick("entrySeq", "form");

const SELECT_FORMS = `
  SELECT ${decided.columns} FROM entry_form
  WHERE session_id = ? AND provider_id = ? AND model_id = ?`;

const UNLESS_WRAPPED = `
  ON CONFLICT (session_id, entry_seq, provider_id, model_id) DO UPDATE
  SET form = excluded.form, cause = excluded.cause, decided_at_ms = excluded.decided_at_ms
  WHERE form = 'native' AND excluded.form = 'wrapped'`;

const SELECT_REFUSED = `
  SELECT 1 AS found FROM entry_form
  WHERE provider_id = ? AND model_id = ? AND cause = 'refused' AND decided_at_ms >= ? LIMIT 1`;

export function formStore(driver: Driver): FormStore {
  return {
    of({ sessionId, providerId, modelId }) {
      const rows = driver.all(SELECT_FORMS, sessionId, providerId, modelId).map(decided.read);
      return new Map(rows.map(({ entrySeq, form }) => [entrySeq, form]));
    },
    decide({ sessionId, providerId, modelId }, decisions, decidedAtMs) {
      const owner = { sessionId, providerId, modelId, decidedAtMs };
      driver.transaction(() => {
        for (const decision of decisions) {
          formTable.insert(driver, { ...owner, ...decision }, UNLESS_WRAPPED);
        }
      });
    },
    refusedSince: (providerId, modelId, sinceMs) =>
      driver.get(SELECT_REFUSED, providerId, modelId, sinceMs) !== null,
  };
}
