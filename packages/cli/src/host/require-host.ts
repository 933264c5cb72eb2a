// Finds OpenCode in a supported version, or reports what to install.
import pluginManifest from "../../../plugin/package.json" with { type: "json" };
import { CliError, EXIT } from "../cli-error.ts";
import { sentence } from "../sentence.ts";
import {
  type FoundHost,
  findHost,
  type HostProgram,
  type HostSearch,
  OPENCODE,
} from "./find-host.ts";
import type { Environment } from "./places.ts";
import { isInRange } from "./version-range.ts";

export const HOST_RANGE: string = pluginManifest.engines.opencode;

export const INSTALL_COMMAND = "npm install -g opencode-ai";
export const INSTALL_HOST = `Install OpenCode (https://opencode.ai/docs): ${INSTALL_COMMAND}`;

/** Returns OpenCode in a version that the plugin supports. @throws CliError that says what to install */
export async function requireHost(env: Environment): Promise<FoundHost> {
  const search = await findHost(env, OPENCODE);
  const { found } = search;
  if (found === null) {
    refuseUnseen(search, OPENCODE);
    throw new CliError(
      "host-missing",
      notFound(search, OPENCODE, env),
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

/** Reports a host that exists but did not answer in time, which is not a missing one. @throws CliError */
export function refuseUnseen({ broken }: HostSearch, { name, variable }: HostProgram): void {
  const late = broken.find(({ fault }) => fault === "hangs");
  if (late === undefined) return;
  throw new CliError(
    "host-unseen",
    `Could not check ${name} at ${late.path}: ${late.reason}.`,
    `Nothing was changed. Try again when this machine is less busy. If it still does not answer, reinstall ${name}, or set ${variable} to the path of another one.`,
    EXIT.missing,
  );
}

/** Says that a host was not found, and what stood in its place. */
export function notFound(
  { broken: [first] }: HostSearch,
  { name, variable }: HostProgram,
  env: Environment,
): string {
  const given = env[variable];
  const named = given ? ` ${variable} names ${given}, where there is no program.` : "";
  const seen =
    first === undefined ? named : ` ${first.path} does not work. ${sentence(first.reason)}`;
  return `${name} was not found.${seen}`;
}
