// The store of forms: how an update appears in each model's history.
import { brandedText, integer, knownValue, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";
import { type RowOf, sessionRules, table } from "./table.ts";

export const formTable = table(
  "entry_form",
  {
    sessionId: brandedText<SessionId>(),
    entrySeq: integer,
    // Forms are kept per model, as prefixes are.
    providerId: text,
    modelId: text,
    /** `native` uses the model's own instruction role, `wrapped` a marked text. */
    form: knownValue(["native", "wrapped"]),
    /**
     * `first` marks the form of the first send; with `place` and `refused`, the update was wrapped because of
     * its place, or because the provider answered 400.
     */
    cause: knownValue(["first", "place", "refused"]),
    decidedAtMs: integer,
  },
  {
    key: ["sessionId", "entrySeq", "providerId", "modelId"],
    ...sessionRules({ by: "entry_seq, provider_id, model_id" }),
    sql: {
      constraints: [
        "FOREIGN KEY (session_id, entry_seq) REFERENCES entry (session_id, seq) ON DELETE CASCADE",
      ],
      extras: `
CREATE INDEX entry_form_refused ON entry_form (provider_id, model_id, decided_at_ms)
  WHERE cause = 'refused';
CREATE TRIGGER entry_form_once_wrapped_stays BEFORE UPDATE ON entry_form
WHEN OLD.form = 'wrapped' BEGIN
  SELECT RAISE(ABORT, 'what was sent wrapped stays wrapped');
END;`,
    },
  },
);

type FormRow = RowOf<typeof formTable>;

export type EntryForm = FormRow["form"];

export type FormCause = FormRow["cause"];

/** Names the session and the model whose history the forms belong to. */
export type FormOwner = Pick<FormRow, "sessionId" | "providerId" | "modelId">;

export type FormDecision = Pick<FormRow, "entrySeq" | "form" | "cause">;

const SELECT_RECENT_REFUSAL = `
  SELECT 1 AS found FROM entry_form
  WHERE provider_id = ? AND model_id = ? AND cause = 'refused' AND decided_at_ms >= ? LIMIT 1`;

export type FormStore = ReturnType<typeof createFormStore>;

/** Stores forms. A native form may become wrapped once; a wrapped one stays. */
export function createFormStore(driver: Driver) {
  const forms = formTable.in(driver);
  return {
    of({ sessionId, providerId, modelId }: FormOwner): ReadonlyMap<number, EntryForm> {
      const rows = forms.list({ sessionId, providerId, modelId });
      return new Map(rows.map(({ entrySeq, form }) => [entrySeq, form]));
    },
    /** Stores all forms or none; a form that is already wrapped stays as it is. */
    decide: (
      { sessionId, providerId, modelId }: FormOwner,
      decisions: readonly FormDecision[],
      decidedAtMs: number,
    ): void =>
      driver.transaction(() => {
        for (const { entrySeq, form, cause } of decisions) {
          const place = { sessionId, entrySeq, providerId, modelId };
          const isNew = forms.insertNew({ ...place, form, cause, decidedAtMs }) !== null;
          if (isNew || form === "native") continue;
          forms.update({ ...place, form: "native" }, { form, cause, decidedAtMs });
        }
      }),
    /** Says whether the provider has refused the native form for this model since `sinceMs`. */
    refusedSince: (providerId: string, modelId: string, sinceMs: number): boolean =>
      driver.get(SELECT_RECENT_REFUSAL, providerId, modelId, sinceMs) !== null,
  };
}
