// The results of tool calls in a history, as values.
import { type HostMessage, type HostPart, isTool, type ToolPart } from "../projection/message.ts";
import { callFacts, type FactsOf, plainFacts } from "./measure.ts";
import type { Subject } from "./subject.ts";

export interface Result {
  /** Index of its message. */
  readonly at: number;
  readonly messageId: string;
  readonly partId: string;
  readonly tool: string;
  readonly subject: Subject;
  /** Equal for calls of one tool with equal arguments. */
  readonly key: string;
  readonly outcome: "done" | "failed" | "blanked";
  readonly text: string;
  readonly part: ToolPart;
}

/** A call that is over, by a tool of the host's: the provider's own keep their results. */
export type EndedCall = ToolPart & {
  readonly state: { readonly status: "completed" | "error" };
};

export function isEndedCall(part: HostPart): part is EndedCall {
  if (!isTool(part) || part.metadata?.providerExecuted) return false;
  return part.state.status === "completed" || part.state.status === "error";
}

export function resultsIn(
  messages: readonly HostMessage[],
  factsOf: FactsOf = plainFacts,
): readonly Result[] {
  return messages.flatMap(({ info, parts }, at) =>
    parts.filter(isEndedCall).map((part) => resultOf(part, { messageId: info.id, at }, factsOf)),
  );
}

function resultOf(
  part: EndedCall,
  { messageId, at }: Pick<Result, "messageId" | "at">,
  factsOf: FactsOf,
): Result {
  return {
    ...{ at, messageId, part, partId: part.id, tool: part.tool },
    ...(factsOf(part).call ?? callFacts(part)),
    ...sentResult(part),
  };
}

function sentResult({ state }: EndedCall): Pick<Result, "outcome" | "text"> {
  switch (state.status) {
    case "completed":
      return {
        outcome: state.time.compacted === undefined ? "done" : "blanked",
        text: state.output,
      };
    case "error": {
      const output = state.metadata?.output;
      return { outcome: "failed", text: typeof output === "string" ? output : state.error };
    }
  }
}
