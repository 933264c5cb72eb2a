// Bounds a tool's result before it is stored, with the tool-output feature, where Pi has not bounded it.
import { homedir } from "node:os";
import { join } from "node:path";
import type {
  OutputLimits,
  OutputPlace,
} from "@session-runtime/opencode/feature-api/feature-context";
import { hostDefaultLimits } from "@session-runtime/opencode/features/tool-output/limits";
import type { DispatchHook } from "@session-runtime/opencode/runtime/dispatch-hooks";
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
