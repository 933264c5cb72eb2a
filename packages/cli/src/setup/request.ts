// What a run of setup was asked for.
import type { Scope } from "../host/config-places.ts";
import type { LauncherWish } from "./launcher.ts";
import type { Mode } from "./mode.ts";
import type { Settings } from "./plan.ts";

/** The hosts that are meant: those that are there, or the one that was named. */
export type HostWish = "found" | "opencode" | "pi";

export interface SetupRequest {
  readonly scope: Scope;
  readonly hosts: HostWish;
  readonly mode: Mode;
  readonly directory: string;
  readonly output: "text" | "json";
  readonly spec: string | undefined;
  readonly settings: Settings;
  readonly check: "try" | "skip";
  /** Whether plugins that do the same work are taken out without a question. */
  readonly sameWork: "take-out" | "ask";
  readonly launcher: LauncherWish;
}
