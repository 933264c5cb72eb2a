// Calls the hooks of features: in order, each under the one guard.

import type { FeatureHooks } from "../feature-api/feature-hooks.ts";
import type { OpenFeature } from "../feature-api/open-features.ts";
import type { FailureReporter } from "../log/fault.ts";
import { guard } from "./guard.ts";

type HookName = keyof FeatureHooks;
type HookArguments<Name extends HookName> = Parameters<NonNullable<FeatureHooks[Name]>>;

/** Calls one hook of every feature that has it. Never rejects. */
export type DispatchHook = <Name extends HookName>(
  name: Name,
  ...given: HookArguments<Name>
) => Promise<void>;

export function dispatchHooks(
  featureInstances: readonly OpenFeature[],
  failures: FailureReporter,
  /** The runtime's own hooks, which receive every event before the features do. */
  own: FeatureHooks,
): DispatchHook {
  let state: "open" | "closed" = "open";
  return async (name, ...given) => {
    // A timer that fires after the end finds nothing open.
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
