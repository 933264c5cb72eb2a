// Says where a Location's instructions may be, derived as the host does it.
import { join } from "node:path";

/** Says whether files of a kind are searched at all. */
type FileReading = "read" | "ignored";

/** Says where one Location's instructions may be. */
export interface InstructionScope {
  readonly directory: string;
  /** The project's root; "/" if there is no project. */
  readonly worktree: string;
  readonly configDirectory: string;
  readonly homeDirectory: string;
  /** Says whether project files are read; the host ignores them with OPENCODE_DISABLE_PROJECT_CONFIG. */
  readonly projectFiles: FileReading;
  /**
   * Says whether CLAUDE.md files are read; the host ignores them with OPENCODE_DISABLE_CLAUDE_CODE or
   * _PROMPT.
   */
  readonly claudeFiles: FileReading;
  /** Returns the current `instructions` of the host's merged config. */
  readonly configured: () => readonly string[];
}

interface HostScopeInput {
  readonly directory: string;
  readonly worktree: string;
  readonly configured: () => readonly string[];
}

/** Derives the scope from the environment as the host does. `home` is `os.homedir()`. */
export function deriveHostScope(
  place: HostScopeInput,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): InstructionScope {
  // The host reads its two kinds of flags differently.
  const isOn = (name: string) => /^(?:true|1)$/i.test(env[name] ?? "");
  const isSet = (name: string) => /^(?:true|yes|on|1|y)$/.test(env[name] ?? "");
  const base = env.XDG_CONFIG_HOME || join(home, ".config");
  const claude = ["OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_CLAUDE_CODE_PROMPT"];
  return {
    ...place,
    configDirectory: env.OPENCODE_CONFIG_DIR ?? join(base, "opencode"),
    homeDirectory: env.OPENCODE_TEST_HOME ?? home,
    projectFiles: isOn("OPENCODE_DISABLE_PROJECT_CONFIG") ? "ignored" : "read",
    claudeFiles: claude.some(isSet) ? "ignored" : "read",
  };
}
