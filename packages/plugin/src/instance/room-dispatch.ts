// Calls the hooks of rooms: in order, each under the one guard.
import type { OpenRoom } from "../features/open-rooms.ts";
import type { RoomHooks } from "../features/room-hooks.ts";
import type { FailureReporter } from "../log/fault.ts";
import { guard } from "./guard.ts";

type HookName = keyof RoomHooks;
type HookArguments<Name extends HookName> = Parameters<NonNullable<RoomHooks[Name]>>;

/** Calls one hook of every room that has it. Never rejects. */
export type Dispatch = <Name extends HookName>(
  name: Name,
  ...given: HookArguments<Name>
) => Promise<void>;

export function roomDispatch(
  rooms: readonly OpenRoom[],
  failures: FailureReporter,
  /** Hears of everything at once, before the rooms do. */
  own: RoomHooks,
): Dispatch {
  let state: "open" | "closed" = "open";
  return async (name, ...given) => {
    // A timer that comes after the end finds nothing open.
    if (state === "closed") return;
    if (name === "closed") state = "closed";
    hookOf(own, name)?.(...given);
    for (const { feature, hooks } of rooms) {
      const hook = hookOf(hooks, name);
      if (hook)
        await guard(failures, `${feature}.${name}`, async () => void (await hook(...given)));
    }
  };
}

function hookOf(hooks: RoomHooks | undefined, name: HookName) {
  return hooks?.[name] as ((...given: readonly unknown[]) => unknown) | undefined;
}
