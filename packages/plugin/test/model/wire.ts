import type { HostMessage, HostPart } from "../../src/ledger/message.ts";
import { wire } from "../ledger/wire.ts";

export type BlockKind = "system" | "host" | "ours" | "plugin";

/** One piece of a request, in the order of the wire. */
export interface Block {
  readonly kind: BlockKind;
  /** The host's message that it belongs to or stands behind; none for a system string. */
  readonly owner: string | null;
  /** The part that it is made of; none for a system string. */
  readonly part: string | null;
  readonly text: string;
}

/** What the host sends (toModelMessages of OpenCode 1.18.33), each block with where it comes from. */
export function buildBlocks(
  system: readonly string[],
  messages: readonly HostMessage[],
  pushedPartIds: ReadonlySet<string>,
): readonly Block[] {
  const blocks: Block[] = system.map((text) => ({ kind: "system", owner: null, part: null, text }));
  let owner: string | null = null;
  for (const message of messages) {
    const { info, parts } = message;
    if (!info.id.startsWith("msg_sr_")) owner = info.id;
    if (isSkipped(message)) continue;
    for (const part of parts) {
      const kind = classifyPart(part, pushedPartIds);
      for (const text of wire([{ info, parts: [part] }])) {
        const isAdded = text.startsWith("added: ");
        blocks.push({ kind: isAdded ? "ours" : kind, owner, part: part.id, text });
      }
    }
  }
  return blocks;
}

/** Of a call that failed nothing is sent; of one that was aborted, what came of it. */
function isSkipped({ info, parts }: HostMessage): boolean {
  if (!("error" in info) || !info.error) return false;
  return JSON.stringify(info.error).includes("Aborted") ? parts.length === 0 : true;
}

function classifyPart(part: HostPart, pushedPartIds: ReadonlySet<string>): BlockKind {
  if (part.id.startsWith("prt_sr_")) return "ours";
  return pushedPartIds.has(part.id) ? "plugin" : "host";
}

export function isUpdate({ text }: Block): boolean {
  return saidIn(text).startsWith("<system-update>\n");
}

/** A text of ours, without what says where it stands. */
export function saidIn(block: string): string {
  return block.replace(/^(?:user|added): /, "");
}

/** The system strings without the prompt's own, which the host puts at the end of the last one. */
export function withoutOwn(system: readonly string[], own: string | null): readonly string[] {
  const last = system.at(-1);
  if (own === null || last === undefined) return system;
  const before = system.slice(0, -1);
  if (last === own) return before;
  return last.endsWith(`\n${own}`) ? [...before, last.slice(0, -own.length - 1)] : system;
}
