// A feature that sees what an edge gives the kernel, and has the kernel change what is sent.
import type { Feature } from "../../src/feature-api/feature.ts";
import type { SessionEvent } from "../../src/feature-api/feature-hooks.ts";
import type { Edit } from "../../src/ledger/edit.ts";
import { createHistoryDraft } from "../../src/ledger/entry.ts";
import type { BoundaryView } from "../../src/ledger/policy.ts";
import type { SessionMessage } from "../../src/session/history.ts";

export interface SeenCall {
  /** At the newest boundary. */
  rows: readonly SessionMessage[];
  space: BoundaryView["space"] | null;
  readonly happenings: SessionEvent[];
  /** Drafted at each boundary at which they don't stand yet. */
  wanted: (rows: readonly SessionMessage[]) => readonly Edit[];
}

export const seen: SeenCall = { rows: [], space: null, happenings: [], wanted: () => [] };

export function forget(): void {
  Object.assign(seen, { rows: [], space: null, wanted: () => [] });
  seen.happenings.length = 0;
}

const probe: Feature = {
  name: "probe",
  open: async () => ({
    policies: [
      {
        name: "probe",
        scope: "epoch",
        draft(view) {
          seen.space = view.space;
          const hasDrafted = view.standing.some(({ origin }) => origin === "probe");
          return hasDrafted ? [] : seen.wanted(seen.rows).map(createHistoryDraft);
        },
      },
    ],
    hooks: {
      boundary({ history }) {
        seen.rows = history as readonly SessionMessage[];
      },
      onEvent: (happening) => void seen.happenings.push(happening),
    },
  }),
};

export default probe;
