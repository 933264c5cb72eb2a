// What the start of the host's array says about its compaction.
import { isText } from "../projection/message.ts";
import { headOf, type SessionMessage } from "./history.ts";

/** What the head of the host's array says of the compaction that the history stands on. */
export type HeadCompaction =
  | { readonly kind: "none" }
  /** It failed, or is not over: what was told of the one before it stands. */
  | { readonly kind: "unfinished" }
  | {
      readonly kind: "finished";
      /** The host's row that asked for it. */
      readonly compactionId: string;
      readonly summaryId: string;
      readonly summary: string;
    };

export function headCompaction(messages: readonly SessionMessage[]): HeadCompaction {
  const head = headOf(messages);
  const [row, summary] = messages;
  switch (head.kind) {
    case "whole":
      return { kind: "none" };
    case "broken":
      return { kind: "unfinished" };
    case "compacted":
      return {
        kind: "finished",
        compactionId: row?.info.id ?? "",
        summaryId: head.summaryId,
        summary: (summary?.parts ?? [])
          .filter(isText)
          .map(({ text }) => text)
          .join("\n"),
      };
  }
}
