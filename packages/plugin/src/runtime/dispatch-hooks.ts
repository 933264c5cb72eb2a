// Calls the hooks of rooms: in order, each under the one guard.

import type { FeatureHooks } from "../feature-api/feature-hooks.ts";
import type { OpenFeature } from "../feature-api/open-features.ts";
import type { FailureReporter } from "../log/fault.ts";
import { guard } from "./guard.ts";

type HookName = keyof FeatureHooks;
type HookArguments<Name extends HookName> = Parameters<NonNullable<FeatureHooks[Name]>>;

/** Calls one hook of every room that has it. Never rejects. */
export type DispatchHook = <Name extends HookName>(
  name: Name,
  ...given: HookArguments<Name>
) => Promise<void>;

export function dispatchHooks(
  featureInstances: readonly OpenFeature[],
  failures: FailureReporter,
  /** Hears of everything at once, before the rooms do. */
  own: FeatureHooks,
): DispatchHook {
  let state: "open" | "closed" = "open";
  return async (name, ...given) => {
    // A timer that comes after the end finds nothing open.
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
