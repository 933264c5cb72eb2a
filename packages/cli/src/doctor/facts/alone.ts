// A config of the host with some plugins and nothing else, for as long as it is looked at.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onEarlyEnd } from "../../host/early-end.ts";
import type { Environment } from "../../host/places.ts";
import { settleFolder } from "../../setup/settle-folder.ts";
import type { LoadedPlugin } from "./loaded-plugin.ts";

interface Alone {
  readonly directory: string;
  readonly env: Environment;
}

export async function withPluginsAlone<T>(
  plugins: readonly LoadedPlugin[],
  env: Environment,
  use: (alone: Alone) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-alone-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const settled = onEarlyEnd(removeFolder);
  try {
    const config = join(folder, "config/opencode");
    const directory = join(folder, "project");
    // A folder with .git is a project of its own: no config above it counts.
    mkdirSync(join(directory, ".git"), { recursive: true });
    settleFolder(config);
    const list = plugins.map(({ spec, options }) =>
      options === undefined ? spec : [spec, options],
    );
    writeFileSync(join(config, "opencode.json"), JSON.stringify({ plugin: list }), { mode: 0o600 });
    return await use({
      directory,
      env: {
        ...env,
        XDG_CONFIG_HOME: join(folder, "config"),
        OPENCODE_CONFIG: undefined,
        OPENCODE_CONFIG_DIR: undefined,
        OPENCODE_CONFIG_CONTENT: undefined,
      },
    });
  } finally {
    settled();
    removeFolder();
  }
}
