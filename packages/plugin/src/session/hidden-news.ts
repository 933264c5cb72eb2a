// Checks whether folds would hide what was announced to the model.
import { emptySnapshot } from "../context/snapshot.ts";
import type { NamedDraft } from "../ledger/draft.ts";
import { activeEntries, type Entry } from "../ledger/entry.ts";
import type { HostMessage } from "../ledger/message.ts";

/** Returns true if they would. `standing` is in the order of the ledger; drafts come after it. */
export function hidesNews(
  standing: readonly Entry[],
  drafts: readonly Pick<NamedDraft, "origin" | "edit">[],
  messages: readonly HostMessage[],
): boolean {
  const announcing = standing.filter(
    ({ announced, delta }) => announced.length > 0 || Object.keys(delta).length > 0,
  );
  if (announcing.length === 0) return false;
  const lastSeq = standing.at(-1)?.seq ?? 0;
  const fresh = drafts.map(({ origin, edit }, index): Entry => {
    const seq = lastSeq + index + 1;
    return { seq, origin, edit, messageId: "", partId: null, announced: [], delta: emptySnapshot };
  });
  const { entries } = activeEntries([...standing, ...fresh], messages);
  const shown = new Set(entries.map(({ seq }) => seq));
  return announcing.some(({ seq }) => !shown.has(seq));
}
