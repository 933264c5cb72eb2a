// A tool's result before it is stored: bounded by the tool-output room where Pi has not bounded it.
import { homedir } from "node:os";
import { join } from "node:path";
import type { OutputLimits, OutputPlace } from "../../plugin/src/feature-api/feature-context.ts";
import { hostDefaultLimits } from "../../plugin/src/features/tool-output/limits.ts";
import type { DispatchHook } from "../../plugin/src/runtime/dispatch-hooks.ts";
import type { PiEvents, PiPatch } from "./pi.ts";

/** Pi's own limit, which its tools exceed by the note that says so. */
export const PI_LIMITS: OutputLimits = {
  maxLines: hostDefaultLimits.maxLines + 8,
  maxBytes: hostDefaultLimits.maxBytes + 1_024,
};

/** Pi's tools may read anywhere. */
export function piOutputPlace(env: NodeJS.ProcessEnv): OutputPlace {
  const data = env.XDG_DATA_HOME || join(homedir(), ".local", "share");
  return {
    folder: join(data, "session-runtime", "tool-output"),
    howToRead: () => "search it with grep in bash, or read it with offset and limit",
  };
}

/** Null: it stays as it is. What a script has called is the script's, whole. */
export async function boundedResult(
  { toolName, toolCallId, content, details, structuredContent, parentToolCallId }: ToolResult,
  dispatch: DispatchHook,
): Promise<PiPatch | null> {
  if (parentToolCallId !== undefined) return null;
  const settled = { content, metadata: details, structuredContent };
  await dispatch("toolSettled", { tool: toolName, callId: toolCallId }, settled);
  if (settled.content === content) return null;
  // Its own renderer reads `details` in the form that the tool gave it.
  const isRecord = details === undefined || Object.getPrototypeOf(details) === Object.prototype;
  return {
    content: settled.content,
    details: isRecord ? settled.metadata : details,
    ...(structuredContent !== undefined && { structuredContent }),
  };
}

type ToolResult = PiEvents["tool_result"];
