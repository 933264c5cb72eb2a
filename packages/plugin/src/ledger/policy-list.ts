// All policies, in the order of the ledger, which is the order on the wire.
import { admitPrune } from "./admit-prune.ts";
import { announceUpdate } from "./announce-update.ts";
import { boundFailures } from "./bound-failures.ts";
import { holdReminders } from "./hold-reminders.ts";
import type { Policy } from "./policy.ts";
import { recordShown } from "./record-shown.ts";
import { recordUndo } from "./record-undo.ts";

/** Those of features change the history: they come after what the host pushed, and before the news. */
export function policiesWith(features: readonly Policy[]): readonly Policy[] {
  return [
    recordUndo,
    holdReminders,
    boundFailures,
    admitPrune,
    ...features,
    recordShown,
    announceUpdate,
  ];
}
