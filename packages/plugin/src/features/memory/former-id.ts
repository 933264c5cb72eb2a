// The ids of memories' former wordings. Pure.
import { hashText } from "../../context/canonical.ts";
import type { MemoryId } from "./record.ts";

/** The same wherever it is made, so that machines that share a memory have each former wording once. */
export function formerId(memory: string, text: string): MemoryId {
  const digits = hashText(`former ${memory} ${text}`) + hashText(`${memory} had ${text}`);
  const parts = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ] as const;
  return parts.map(([from, to]) => digits.slice(from, to)).join("-") as MemoryId;
}
