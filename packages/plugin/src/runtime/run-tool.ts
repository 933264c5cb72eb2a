// Runs the tools of features under the one guard of tools.

import type { OpenTool, ToolAnswer, ToolCall } from "../feature-api/tool.ts";
import { UserFacingError } from "../feature-api/user-facing-error.ts";
import type { FailureReporter } from "../log/fault.ts";

/** Runs a tool of ours; rejects with a message for the model. */
export type RunTool = (name: string, given: unknown, call: ToolCall) => Promise<ToolAnswer>;

/**
 * Guards tools: a failure of ours is reported like any other, and the model reads a sentence about it. A
 * refusal, or a stop by the user, is not a failure.
 */
export function guardedTools(tools: () => readonly OpenTool[], failures: FailureReporter): RunTool {
  return async (name, given, call) => {
    const tool = tools().find((one) => one.name === name);
    if (!tool) throw new UserFacingError(`${name} is not available.`);
    try {
      const answer = await tool.run(given, call);
      failures.worked(name);
      return answer;
    } catch (error) {
      if (error instanceof UserFacingError) throw error;
      if (call.abort.aborted) throw new UserFacingError(`${name} was stopped.`);
      failures.failed(name, error);
      throw new UserFacingError(`${name} failed; the log says why. Continue without it.`);
    }
  };
}
