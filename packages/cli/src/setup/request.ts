// Defines what a run of setup was asked to do.
import type { Scope } from "../host/config-places.ts";
import type { LauncherWish } from "./launcher.ts";
import type { Mode } from "./mode.ts";
import type { Settings } from "./plan.ts";

/** Says which hosts are meant: those that are found, or the one that was named. */
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
  /** Says whether to take out plugins that do the same work without asking. */
  readonly sameWork: "take-out" | "ask";
  readonly launcher: LauncherWish;
}
