// Calls the hooks and tools of features, each under its guard.
import type { FeatureHooks } from "../feature-api/feature-hooks.ts";
import type { OpenFeature } from "../feature-api/open-features.ts";
import type { OpenTool, ToolAnswer, ToolCall } from "../feature-api/tool.ts";
import { UserFacingError } from "../feature-api/user-facing-error.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { Notices } from "../log/notices.ts";
import { createCommandRenamedNotice, toRenamedNoticeCode } from "../status/notices.ts";
import { guard } from "./guard.ts";

type HookName = keyof FeatureHooks;
type HookArguments<Name extends HookName> = Parameters<NonNullable<FeatureHooks[Name]>>;

/** Calls one hook of every feature that has it. Never rejects. */
export type DispatchHook = <Name extends HookName>(
  name: Name,
  ...given: HookArguments<Name>
) => Promise<void>;

export function createHookDispatcher(
  featureInstances: readonly OpenFeature[],
  failures: FailureReporter,
  /** The runtime's own hooks, which receive every event before the features do. */
  own: FeatureHooks,
): DispatchHook {
  let state: "open" | "closed" = "open";
  return async (name, ...given) => {
    // A timer may fire after the instance has closed, when no feature is open any more.
    if (state === "closed") return;
    if (name === "closed") state = "closed";
    findHook(own, name)?.(...given);
    for (const { feature, hooks } of featureInstances) {
      const hook = findHook(hooks, name);
      if (hook)
        await guard(failures, `${feature}.${name}`, async () => void (await hook(...given)));
    }
  };
}

function findHook(hooks: FeatureHooks | undefined, name: HookName) {
  return hooks?.[name] as ((...given: readonly unknown[]) => unknown) | undefined;
}

// Runs the tools of features under one guard for all tools.

/** Runs a tool of ours; rejects with a message for the model. */
export type RunTool = (name: string, given: unknown, call: ToolCall) => Promise<ToolAnswer>;

/**
 * Guards tools: one of our own failures is reported like any other, and the model reads a sentence about it.
 * A refusal, or a stop by the user, is not a failure.
 */
export function guardTools(tools: () => readonly OpenTool[], failures: FailureReporter): RunTool {
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

// Resolves the former names of commands to their present names.

/** Resolves former names of commands, and notifies the user when one is used. */
export class CommandNames {
  constructor(
    /** Maps each former name to the present one. */
    readonly former: ReadonlyMap<string, string>,
    private readonly notices: Pick<Notices, "notice" | "over">,
  ) {}

  /** Returns the present name of the command that the user has called. */
  resolve(called: string): string {
    const now = this.former.get(called);
    if (now === undefined) {
      this.notices.over(toRenamedNoticeCode(called));
      return called;
    }
    this.notices.notice(createCommandRenamedNotice(called, now));
    return now;
  }
}
