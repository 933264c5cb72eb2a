// Handles one model call of a host that gives rows and system prompt at once: decides, stores, calls features.
import type { HostMessage } from "../ledger/message.ts";
import type { SessionMessage } from "../session/history.ts";
import type { TextCall } from "../session/sender.ts";
import { hostsOwn } from "../sources/host-text.ts";
import { AFTER_SEND_MS } from "./compose-runtime.ts";
import type { Instance } from "./instance.ts";

interface RowsCall extends Omit<TextCall, "model"> {
  /** The call's tools by name; null where the host does not say. */
  readonly tools: ReadonlySet<string> | null;
  /** The history as the host has it. */
  readonly rows: readonly SessionMessage[];
  /** Returns the model when the call is decided, because its name may not be known earlier. */
  readonly model: () => TextCall["model"];
}

interface SentRows {
  readonly sent: readonly HostMessage[];
  readonly baseline: string;
}

/** Returns null where nothing of the call is on record, so that the host's own request goes out. */
export async function sendRows(
  { runtime, dispatch }: Pick<Instance, "runtime" | "dispatch">,
  { sessionId, rows, text, tools, model }: RowsCall,
): Promise<SentRows | null> {
  await dispatch("boundary", { sessionId, history: rows });
  if (text !== hostsOwn) runtime.recordHostText(sessionId, text);
  if (tools !== null) runtime.recordOfferedTools(sessionId, tools);
  const sent = await runtime.project(rows);
  const layers = runtime.composeText({ sessionId, model: model(), text });
  if (!layers) return null;
  setTimeout(() => void dispatch("sent", { sessionId, host: rows, sent }), AFTER_SEND_MS).unref();
  return { sent, baseline: layers.baseline };
}
