import { wrapUpdate } from "../../../src/context/frames.ts";
import { toSourceKey } from "../../../src/context/key.ts";
import { listEdits } from "../../../src/ledger/entry.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { replay } from "../../../src/ledger/replay.ts";
import type { EntryRecord } from "../../../src/storage/ledger-table.ts";
import { entryRecord, session } from "../../storage/records.ts";

export const wrapped = (news: string) => wrapUpdate(`News: ${news}.`);
export const plain = (news: string) => `News: ${news}.`;

export const words = (text: string) => ({ type: "text", text });
export const user = (...content: readonly object[]) => ({ role: "user", content });
export const assistant = (...content: readonly object[]) => ({ role: "assistant", content });
export const system = (...content: readonly object[]) => ({ role: "system", content });

/** Updates as a plan has them: the nth text of its kind, all native. */
export function standing(...news: readonly string[]) {
  const seen = new Map<string, number>();
  return news.map((name, index) => {
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    return { seq: index + 2, text: wrapped(name), place: "text" as const, nth };
  });
}

/** A message of the host's with one text. */
export function said(id: string, role: "user" | "assistant", text: string): HostMessage {
  const part = { id: `prt_${id}`, messageID: id, sessionID: session, type: "text", text };
  return { info: { id, sessionID: session, role }, parts: [part] };
}

/** An entry that tells news behind a message. */
export function told(seq: number, after: string, news: string, decidedAtMs = seq): EntryRecord {
  const anchor = { messageId: after, partId: null };
  return {
    ...entryRecord(seq, 1),
    ...anchor,
    edit: { verb: "insert", after: anchor, text: wrapped(news) },
    announced: [{ key: toSourceKey("core/date"), text: plain(news) }],
    decidedAtMs,
  };
}

export function projected(entries: readonly EntryRecord[], messages: readonly HostMessage[]) {
  return replay(listEdits(entries), messages);
}
