// Bounds a result before the host does, which would keep the head alone instead of head and tail.
import type { DispatchHook } from "../runtime/dispatch-hooks.ts";
import type { V2Output, V2ToolEvent } from "./context.ts";
import { findFileLine } from "./file-line.ts";

/**
 * Returns null within the limit, or without a text. The host leaves a result alone that is marked as
 * truncated.
 */
export async function boundedOutput(
  { tool, id, status, result }: V2ToolEvent,
  dispatch: DispatchHook,
): Promise<V2Output | null> {
  if (status !== "completed" || result?.metadata?.truncated) return null;
  const { content, metadata = {} } = result ?? {};
  const line = result ? findFileLine(result) : null;
  const whole = line ? line.text : content;
  const own = typeof whole === "string" ? { output: whole, metadata } : { content, metadata };
  const settled: typeof own = { ...own };
  await dispatch("toolSettled", { tool, callId: id }, settled);
  const text = "output" in settled ? settled.output : settled.content;
  if (text === whole || text === undefined) return null;
  const sent =
    line && typeof text === "string" ? line.withText(text) : { ...result, content: text };
  return { ...sent, metadata: { ...settled.metadata, truncated: true } };
}
