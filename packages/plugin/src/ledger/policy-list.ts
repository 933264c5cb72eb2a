// Lists all policies, in the order of the ledger, which is the order on the wire.
import { admitPrune } from "./admit-prune.ts";
import { announceUpdate } from "./announce-update.ts";
import { boundFailures } from "./bound-failures.ts";
import { holdReminders } from "./hold-reminders.ts";
import type { Policy } from "./policy.ts";
import { recordShown } from "./record-shown.ts";
import { recordUndo } from "./record-undo.ts";

/**
 * Adds the policies of features. They change the history, so they come after what the host pushed and before the
 * announcements.
 */
export function createPolicies(features: readonly Policy[]): readonly Policy[] {
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
