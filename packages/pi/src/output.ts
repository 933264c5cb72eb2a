// Bounds a tool's result before it is stored, with the tool-output feature, where Pi has not bounded it.
import { homedir } from "node:os";
import { join } from "node:path";
import type { OutputLimits, OutputPlace } from "../../plugin/src/feature-api/feature-context.ts";
import { hostDefaultLimits } from "../../plugin/src/features/tool-output/limits.ts";
import type { DispatchHook } from "../../plugin/src/runtime/dispatch-hooks.ts";
import type { PiEvents, PiPatch } from "./pi.ts";

/** Pi's own limits, which its tools exceed by the note that says so. */
export const PI_LIMITS: OutputLimits = {
  maxLines: hostDefaultLimits.maxLines + 8,
  maxBytes: hostDefaultLimits.maxBytes + 1_024,
};

/** Says where output is stored; Pi's tools may read anywhere. */
export function piOutputPlace(env: NodeJS.ProcessEnv): OutputPlace {
  const data = env.XDG_DATA_HOME || join(homedir(), ".local", "share");
  return {
    folder: join(data, "session-runtime", "tool-output"),
    howToRead: () => "search it with grep in bash, or read it with offset and limit",
  };
}

/**
 * Returns null where the result stays as it is. The result of a script's own call stays whole for the script.
 */
export async function boundedResult(
  { toolName, toolCallId, content, details, structuredContent, parentToolCallId }: ToolResult,
  dispatch: DispatchHook,
): Promise<PiPatch | null> {
  if (parentToolCallId !== undefined) return null;
  const settled = { content, metadata: details, structuredContent };
  await dispatch("toolSettled", { tool: toolName, callId: toolCallId }, settled);
  if (settled.content === content) return null;
  // The tool's own renderer reads `details` in the form that the tool gave it.
  const isRecord = details === undefined || Object.getPrototypeOf(details) === Object.prototype;
  return {
    content: settled.content,
    details: isRecord ? settled.metadata : details,
    ...(structuredContent !== undefined && { structuredContent }),
  };
}

type ToolResult = PiEvents["tool_result"];
