// Everything that the checks read.
import type { ConfigWarning } from "../../../../plugin/src/config/warning.ts";
import type { ConfigFile } from "../../config-file/read-file.ts";
import type { HostSearch } from "../../host/find-host.ts";
import type { ResolvedConfig } from "../../host/resolved-config.ts";
import type { TestedVersion } from "../../host/tested-versions.ts";
import type { Trial } from "../../live/trial.ts";
import type { DatabaseFacts } from "./database.ts";
import type { CachedPackage } from "./packages.ts";

/** A plugin that the host loads, with what is known of it from outside. */
export interface LoadedPlugin {
  readonly spec: string;
  /** The config that names it. */
  readonly source: string;
  readonly isOurs: boolean;
}

/** A plugin entry of ours in a config file, whether or not the host gets to see it. */
export interface WrittenEntry {
  readonly path: string;
  readonly spec: string;
}

/** Everything that checks read. They look at nothing else, so that each is a pure function. */
export interface Facts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly directory: string;
  readonly search: HostSearch;
  readonly testedHosts: readonly TestedVersion[];
  /** All config files that the host would read here, but for those that are not there. */
  readonly configFiles: readonly ConfigFile[];
  /** Our entries in the host's own and in the terminal UI's config files. */
  readonly written: readonly WrittenEntry[];
  readonly writtenTerminal: readonly WrittenEntry[];
  /** Null where there is no host to ask. */
  readonly resolved: ResolvedConfig | null;
  readonly plugins: readonly LoadedPlugin[];
  /** Whether our plugin, as the config names it, has a part for the terminal UI. */
  readonly bringsTerminalPart: boolean;
  /** What importing our plugin under the host's own Bun says; null: no complaint, or not tried. */
  readonly importError: string | null;
  /** Null where it was not tried: no host, or a config that it refuses. */
  readonly trial: Trial | null;
  /** Those that spoil a call when they are alone with ours; empty if nothing is spoilt. */
  readonly culprits: readonly string[];
  readonly settings: { readonly isEnabled: boolean; readonly warnings: readonly ConfigWarning[] };
  readonly packages: readonly CachedPackage[];
  readonly database: DatabaseFacts;
}
