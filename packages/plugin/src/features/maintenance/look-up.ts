// Finds what an answer names among what was asked. Pure.

import { readRef } from "../../ledger/ref.ts";
import type { Memory, MemoryId } from "../memory/record.ts";
import { cleanText, MAX_MEMORY_CHARS } from "../memory/text.ts";
import type { Batch, Rejection, RejectionCode } from "./task.ts";

export function toRejection(code: RejectionCode, ref: string): Rejection {
  return { code, ref };
}

/** Returns null for a memory that was not shown. */
export function memoryNamed({ memories }: Batch, written: string): Memory | null {
  const ref = readRef(written, "m");
  return memories.find((memory) => memory.ref === ref) ?? null;
}

/** Returns null when at least one memory was not shown, or is named twice. */
export function memoriesNamed(batch: Batch, written: readonly string[]): readonly Memory[] | null {
  const found = written.flatMap((one) => memoryNamed(batch, one) ?? []);
  return found.length === written.length && new Set(found).size === found.length ? found : null;
}

export function areInOneGroup({ groups }: Batch, ids: readonly MemoryId[]): boolean {
  return groups.some((group) => ids.every((id) => group.includes(id)));
}

/** The text as it would be stored. */
export function toStorable(written: string, ref: string): string | Rejection {
  const cleaned = cleanText(written, MAX_MEMORY_CHARS);
  return cleaned.kind === "clean" ? cleaned.text : toRejection(cleaned.why, ref);
}
