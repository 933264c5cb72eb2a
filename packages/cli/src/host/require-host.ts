// OpenCode in a supported version, or an error that says what to install.
import pluginManifest from "../../../plugin/package.json" with { type: "json" };
import { CliError, EXIT } from "../cli-error.ts";
import { sentence } from "../sentence.ts";
import { type FoundHost, findHost } from "./find-host.ts";
import type { Environment } from "./places.ts";
import { isInRange } from "./version-range.ts";

export const HOST_RANGE: string = pluginManifest.engines.opencode;

export const INSTALL_COMMAND = "npm install -g opencode-ai";
export const INSTALL_HOST = `Install OpenCode (https://opencode.ai/docs): ${INSTALL_COMMAND}`;

/** OpenCode, in a version that the plugin runs in, or an error that says what to install. */
export async function requireHost(env: Environment): Promise<FoundHost> {
  const { found, broken } = await findHost(env);
  if (found === null) {
    const [first] = broken;
    const named = env.OPENCODE_BIN
      ? ` OPENCODE_BIN names ${env.OPENCODE_BIN}, where there is no program.`
      : "";
    const seen =
      first === undefined ? named : ` ${first.path} does not work. ${sentence(first.reason)}`;
    throw new CliError(
      "host-missing",
      `OpenCode was not found.${seen}`,
      `${INSTALL_HOST}. If it is installed somewhere else, set OPENCODE_BIN to its path.`,
      EXIT.missing,
    );
  }
  if (!isInRange(found.version, HOST_RANGE)) {
    throw new CliError(
      "host-unsupported",
      `OpenCode ${found.version} at ${found.path} is not supported: the plugin needs ${HOST_RANGE}.`,
      "Update OpenCode: opencode upgrade",
      EXIT.missing,
    );
  }
  return found;
}
