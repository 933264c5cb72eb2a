// The effects on rows: each one call of the store, and what happens next if that did it.
import { newSteer, putStored } from "./arrival.ts";
import { idsOf, type LiveParts } from "./facts.ts";
import type { EffectOf, Happening, RowEffect } from "./happenings.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import { withPartIds } from "./prompt.ts";

/** How long a lease lasts without being renewed: longer than any pause of a process that lives. */
const LEASE_MS = 120_000;

export interface EffectContext {
  readonly deps: InboxDeps;
  /** Parts of prompts on their way through this process, by message id. */
  readonly live: Map<string, LiveParts>;
  /** Lets something happen; gives the end of its effects where they take time. */
  readonly take: (happening: Happening) => Promise<void> | undefined;
}

/** @throws StorageError */
export function runOnRows(context: EffectContext, effect: RowEffect): Promise<void> | undefined {
  const { deps, take } = context;
  const { inbox } = deps.database();
  switch (effect.kind) {
    case "admit": {
      const { prompt } = effect;
      const { kind, record } = inbox.admit(newSteer(prompt, deps.directory, deps.now()));
      return take({ kind: "admission", outcome: kind, prompt, record });
    }
    case "admit again": {
      inbox.settle(effect.record.id, "undone", deps.now());
      inbox.forget(effect.record.id);
      const { prompt } = effect;
      const { record } = inbox.admit(newSteer(prompt, deps.directory, deps.now()));
      return take({ kind: "admission", outcome: "admitted", prompt, record });
    }
    case "complete":
      complete(deps, effect);
      return;
    case "settle":
      inbox.settle(effect.id, effect.state, deps.now());
      return;
    case "save":
      inbox.save(effect.ids);
      return;
    case "promote":
      inbox.promote(effect.messageIds, effect.foundAtMs);
      for (const id of effect.messageIds) context.live.delete(id);
      return take({ ...effect, kind: "promoted" });
    case "turn back":
      inbox.turnBack(effect.id);
      return;
    case "replace":
      replace(deps, effect);
      return;
    case "follow parts":
      followParts(context, effect.messageId);
      return;
    case "read rows": {
      const { sessionId } = effect;
      const open = inbox.working(sessionId).filter(({ promotedAtMs }) => promotedAtMs === null);
      const unpromoted = open.flatMap(({ messageId }) => messageId ?? []);
      return take({ kind: "rows read", sessionId, unpromoted });
    }
    case "acquire":
      return take({ ...effect, kind: "leased", answer: acquire(deps, effect) });
    case "release":
      deps.database().leases.release(effect.sessionId, deps.owner);
      return;
  }
}

function acquire(deps: InboxDeps, { sessionId }: EffectOf<"acquire">): "mine" | "held" {
  const { owner, isGone } = deps;
  const nowMs = deps.now();
  const lease = { sessionId, owner, isGone, nowMs, expiresAtMs: nowMs + LEASE_MS };
  return deps.database().leases.acquire(lease);
}

/** One that was turned back is tried again. */
function complete(deps: InboxDeps, { prompt, record, saved }: EffectOf<"complete">): void {
  const { inbox } = deps.database();
  const stored = inbox.prompt(record.id);
  if (stored && record.state === "refused") inbox.hand(record.id, prompt.message.id, stored);
  putStored(prompt, record, stored, saved);
}

function replace(deps: InboxDeps, { id, messageId }: EffectOf<"replace">): void {
  const { inbox } = deps.database();
  const stored = inbox.prompt(id);
  if (!stored) return;
  const prompt = { ...stored, parts: withPartIds(stored.parts, () => deps.ids.part()) };
  inbox.replace(id, { messageId, prompt, admittedAtMs: deps.now() });
}

function followParts({ deps, live }: EffectContext, messageId: string): void {
  const saving = live.get(messageId);
  const left = new Set(saving ? idsOf(saving.live) : []);
  const gone = new Set(saving?.ids.filter((id) => !left.has(id)));
  if (gone.size === 0) return;
  const { inbox } = deps.database();
  const input = inbox.find(messageId);
  const stored = input && inbox.prompt(input.id);
  if (!input || !stored) return;
  inbox.resolve(input.id, {
    ...stored,
    parts: stored.parts.filter(({ id }) => !gone.has(String(id))),
  });
}
