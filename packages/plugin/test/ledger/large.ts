import type { Edit, LedgerEdit } from "../../src/ledger/edit.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import {
  assistant,
  done,
  insert,
  ledger,
  omit,
  reasoning,
  replace,
  text,
  user,
} from "./history.ts";

/** A long session: a prompt, then nine steps with a tool call each, and so on. */
export function longHistory(messages: number): readonly HostMessage[] {
  return Array.from({ length: messages }, (_, index) => {
    const id = `msg_${index.toString().padStart(26, "0")}`;
    if (index % 10 === 0) return user(id, text("a prompt"), text("a file"));
    const call = done(`toolu_${index}`, "a line of output\n".repeat(20));
    return assistant(id, { type: "step-start" }, reasoning("hm"), text("so"), call, {
      type: "step-finish",
    });
  });
}

/** As many edits, spread evenly over the history, of the kinds that sessions have most. */
export function manyEdits(messages: readonly HostMessage[], edits: number): readonly LedgerEdit[] {
  const stride = Math.floor(messages.length / edits);
  const drafts = Array.from({ length: edits }, (_, rank): Edit => {
    const id = messages[rank * stride]?.info.id ?? "";
    if (rank % 2 === 0) return insert(id, `news ${rank}`);
    return rank % 4 === 1 ? replace(`${id}.3`, "[cleared]") : omit(`${id}.1`);
  });
  return ledger(...drafts);
}
