// Which of our own tools a call is left without, as a room says it.
import type { FailureReporter } from "../log/fault.ts";
import type { ToolsAside } from "./offered-call.ts";
import type { OpenRoom } from "./open-rooms.ts";

/** What can't be found out costs no call: its tools are offered as they are. */
export function roomToolsAside(rooms: readonly OpenRoom[], failures: FailureReporter): ToolsAside {
  return (call) => {
    for (const { feature, toolsAside } of rooms) {
      if (!toolsAside) continue;
      const where = `${feature}.toolsAside`;
      try {
        const names = toolsAside(call);
        failures.worked(where);
        return names;
      } catch (error) {
        failures.failed(where, error);
      }
    }
    return [];
  };
}
