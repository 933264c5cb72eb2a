// Caches what was made of a message from call to call, as the host passes each history as new objects.
import { type HostMessage, type HostPart, isReasoning, isText, isTool } from "./message.ts";

/**
 * Wraps `make` in a cache that holds while the message says the same. It is keyed by message, since a part's id
 * is found in a fraction of the time where its place is known.
 */
export function rememberedByMessage<Made>(
  make: (message: HostMessage) => Made,
): (message: HostMessage) => Made {
  const remembered = new Map<string, CachedForm<Made>>();
  return (message) => {
    const known = remembered.get(message.info.id);
    if (known && isSame(known, message)) return known.made;
    if (known?.former && isSame(known.former, message)) return known.former.made;
    const made = make(message);
    const stamps = message.parts.map(stampPart);
    if (stamps.includes(null)) return made;
    if (remembered.size >= MAX_CACHED) remembered.clear();
    const ids = message.parts.map(({ id }) => id);
    remembered.set(message.info.id, { ids, stamps, made, former: known ?? null });
    if (known) known.former = null;
    return made;
  };
}

/** One remembered form of a message. The two seen last are kept: as the host has it and as it is sent. */
interface CachedForm<Made> {
  readonly ids: readonly string[];
  readonly stamps: readonly (number | null)[];
  readonly made: Made;
  former: CachedForm<Made> | null;
}

const MAX_CACHED = 20_000;

/** Uses a loop and no closure, since it runs for each message in each call. */
function isSame({ ids, stamps }: CachedForm<unknown>, { parts }: HostMessage): boolean {
  if (parts.length !== ids.length) return false;
  for (let index = 0; index < ids.length; index++) {
    const part = parts[index];
    if (!part || part.id !== ids[index] || stampPart(part) !== stamps[index]) return false;
  }
  return true;
}

/** Matches the host's notes of where a step begins or ends, which are half of all parts. */
function isNeverSent({ type }: HostPart): boolean {
  return type === "step-start" || type === "step-finish" || type === "patch";
}

/** Returns a number that differs when the part's text was changed; null if it may still change unnoticed. */
function stampPart(part: HostPart): number | null {
  if (isText(part)) return part.text.length * KINDS + (part.ignored === true ? 1 : 0);
  if (isReasoning(part)) return part.text.length * KINDS + 5;
  if (!isTool(part)) return isNeverSent(part) ? 6 : null;
  const { state } = part;
  switch (state.status) {
    case "completed":
      return state.output.length * KINDS + (state.time.compacted === undefined ? 2 : 3);
    case "error":
      return state.error.length * KINDS + 4;
    case "pending":
    case "running":
      return null;
  }
}

const KINDS = 8;
