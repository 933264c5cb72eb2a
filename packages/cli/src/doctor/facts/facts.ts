// Everything that the checks read.
import type { ConfigFile } from "../../config-file/read-file.ts";
import type { HostSearch } from "../../host/find-host.ts";
import type { ResolvedConfig } from "../../host/resolved-config.ts";
import type { TestedVersion } from "../../host/tested-versions.ts";
import type { Trial } from "../../live/trial.ts";
import type { DatabaseFacts } from "./database.ts";
import type { WrongFolder } from "./folder-variables.ts";
import type { Hang } from "./hang.ts";
import type { NamedModel } from "./named-models.ts";
import type { CachedPackage } from "./packages.ts";
import type { PiFacts } from "./pi.ts";
import type { LoadedPlugin, MissingEntry } from "./plugins.ts";
import type { SettingsFacts } from "./settings.ts";
import type { TeamFacts } from "./team.ts";
import type { VectorsFacts } from "./vectors.ts";

/** A plugin entry of ours in a config file, whether or not the host gets to see it. */
export interface WrittenEntry {
  readonly path: string;
  readonly spec: string;
  /** The key of its list: `plugins` is OpenCode 2's own. */
  readonly list: string;
  /** Whether it names a file, and not a folder or a package. */
  readonly isFile: boolean;
}

/** Everything that checks read. They look at nothing else, so that each is a pure function. */
export interface Facts {
  /** The words that start the command line here, like `npx session-runtime`. */
  readonly command: string;
  /** The plugin of the clone that this command runs from; null where it does not run from one. */
  readonly clonePlugin: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly directory: string;
  /** Variables that should name a folder, and don't. */
  readonly wrongFolders: readonly WrongFolder[];
  readonly search: HostSearch;
  readonly testedHosts: readonly TestedVersion[];
  /** All config files that the host would read here, but for those that are not there. */
  readonly configFiles: readonly ConfigFile[];
  /** Our entries in the host's own and in the terminal UI's config files. */
  readonly written: readonly WrittenEntry[];
  readonly writtenTerminal: readonly WrittenEntry[];
  /** Plugin entries of both kinds of files that name a path where there is nothing. */
  readonly gone: readonly MissingEntry[];
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
  /** Null where the host answered, or was not asked. */
  readonly hang: Hang | null;
  readonly settings: SettingsFacts;
  /** The last lines of the runtime's log. */
  readonly log: readonly string[];
  readonly packages: readonly CachedPackage[];
  readonly database: DatabaseFacts;
  readonly team: TeamFacts;
  readonly models: {
    readonly named: readonly NamedModel[];
    /** Null where OpenCode was not asked, or gave no list. */
    readonly offered: readonly string[] | null;
  };
  readonly vectors: VectorsFacts;
  readonly pi: PiFacts;
}
