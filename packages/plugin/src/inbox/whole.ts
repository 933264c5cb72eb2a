// Whether what the host holds of a stored prompt is all of it.
import type { HistoryPart } from "./host.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import { holdsAll, isWhole } from "./standing.ts";
import type { Underway } from "./underway.ts";

type Stored = Pick<InboxDeps, "database">;

/** What came to this process is known in memory: a boundary asks the store for the others only. */
export function standsWhole(
  { database }: Stored,
  underway: Underway,
  messageId: string,
  parts: readonly HistoryPart[],
): boolean {
  const saving = underway.savingIds(messageId);
  if (saving) return holdsAll(parts, saving);
  const { inbox } = database();
  const input = inbox.find(messageId);
  const prompt = input && inbox.prompt(input.id);
  return prompt === null || isWhole(parts, prompt);
}

/** Another plugin has taken these parts out of a prompt after us: it is whole without them. */
export function dropTakenOut(
  { database }: Stored,
  messageId: string,
  partIds: ReadonlySet<string>,
): void {
  if (partIds.size === 0) return;
  const { inbox } = database();
  const input = inbox.find(messageId);
  const prompt = input && inbox.prompt(input.id);
  if (!input || !prompt) return;
  const parts = prompt.parts.filter(({ id }) => !partIds.has(String(id)));
  inbox.resolve(input.id, { ...prompt, parts });
}
