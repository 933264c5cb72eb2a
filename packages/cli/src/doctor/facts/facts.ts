// Defines everything that the checks read.
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

/** Describes an entry of ours in a config file, whether or not the host reads it. */
export interface WrittenEntry {
  readonly path: string;
  readonly spec: string;
  /** The key of the list that holds the entry: `plugin`, `plugins` (OpenCode 2 only) or `packages` (Pi). */
  readonly list: string;
  /** Says whether the spec names a file, and not a folder or a package. */
  readonly isFile: boolean;
}

/** Holds everything that checks read. They read nothing else, so each is a pure function. */
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
  /** All existing config files that the host would read here. */
  readonly configFiles: readonly ConfigFile[];
  /** Our entries in the host's own and in the terminal UI's config files. */
  readonly written: readonly WrittenEntry[];
  readonly writtenTerminal: readonly WrittenEntry[];
  /** The plugin entries of both kinds of files whose path does not exist. */
  readonly gone: readonly MissingEntry[];
  /** The config that the host resolves; null where there is no host to ask. */
  readonly resolved: ResolvedConfig | null;
  readonly plugins: readonly LoadedPlugin[];
  /** Says whether our plugin, as the config names it, has a part for the terminal UI. */
  readonly bringsTerminalPart: boolean;
  /** The error of importing our plugin with the host's own Bun; null where there was none, or it was not tried. */
  readonly importError: string | null;
  /** The trial on the real host; null where there is no host, or it refuses its config. */
  readonly trial: Trial | null;
  /** The plugins that change sent text when only ours runs beside them; empty where none does. */
  readonly culprits: readonly string[];
  /** The explanation of a host that hangs; null where it answered, or was not asked. */
  readonly hang: Hang | null;
  readonly settings: SettingsFacts;
  /** The last lines of the runtime's log. */
  readonly log: readonly string[];
  readonly packages: readonly CachedPackage[];
  readonly database: DatabaseFacts;
  readonly team: TeamFacts;
  readonly models: {
    readonly named: readonly NamedModel[];
    /** The models that OpenCode offers; null where it was not asked, or gave no list. */
    readonly offered: readonly string[] | null;
  };
  readonly vectors: VectorsFacts;
  readonly pi: PiFacts;
}
