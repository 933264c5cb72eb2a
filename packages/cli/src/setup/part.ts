// What setup does for one host.
import type { FoundHost } from "../host/find-host.ts";
import type { FileChange } from "./file-change.ts";
import type { TryOut } from "./try-out.ts";

/** One host's share of a set-up. */
export interface Part {
  readonly host: FoundHost;
  readonly name: "OpenCode" | "Pi";
  readonly spec: string;
  /** What a user reads where there is nothing to change. */
  readonly unchanged: string;
  /** Before any config names it: throws where the host can't get or load what the spec names. */
  makeSureItLoads(): Promise<void>;
  /** May ask the user. */
  plan(): Promise<PartPlan>;
  /** Once the config is written; null: that can't be seen here. */
  tryOut(): Promise<TryOut | null>;
}

export interface PartPlan {
  readonly changes: readonly FileChange[];
  /** A sentence or two each. */
  readonly notes: readonly string[];
  readonly asked: "something" | "nothing";
}
