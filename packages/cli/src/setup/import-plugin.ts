// Finds why the plugin can't be loaded, with the host's own Bun.
import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FoundHost } from "../host/find-host.ts";
import { START_PATIENCE_MS, withinWords } from "../host/patience.ts";
import type { Environment } from "../host/places.ts";
import { runProgram } from "../host/run-program.ts";
import { packageFolder } from "./fetch-package.ts";
import { isPathSpec, pathOfSpec, readManifest } from "./plugin-identity.ts";

const PROGRAM = `
  const plugin = (await import(process.argv.at(-1))).default;
  if (typeof plugin?.server !== "function") throw new Error("its default export is not a plugin");
`;

/** Returns why the host's own Bun can't import a plugin, since the host itself doesn't report it; null if it can. */
export async function importComplaint(
  host: FoundHost,
  spec: string,
  source: string,
  env: Environment,
): Promise<string | null> {
  const entry = resolveEntry(spec, source, env);
  if (entry.kind === "missing") return entry.reason;
  const words = ["-e", PROGRAM, pathToFileURL(entry.path).href];
  const { end, exitCode, err } = await runProgram(host.path, words, {
    // Bun takes .env and bunfig.toml, with code to run first, from the folder where it starts.
    cwd: tmpdir(),
    env: { ...env, BUN_BE_BUN: "1" },
    deadline: AbortSignal.timeout(START_PATIENCE_MS),
  });
  if (end === "out-of-time") return `it could not be imported ${withinWords(START_PATIENCE_MS)}`;
  return exitCode === 0 ? null : reasonIn(err);
}

type Entry =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "missing"; readonly reason: string };

function resolveEntry(spec: string, source: string, env: Environment): Entry {
  const isPath = isPathSpec(spec);
  const place = isPath ? pathOfSpec(spec, join(source, "opencode.json")) : packageFolder(spec, env);
  const status = statSync(place, { throwIfNoEntry: false });
  if (status === undefined) {
    const reason = isPath
      ? `there is nothing at ${place}`
      : "OpenCode has not fetched the package yet";
    return { kind: "missing", reason };
  }
  if (!status.isDirectory()) return { kind: "file", path: place };
  const manifest = readManifest(place);
  const main = findServerExport(manifest?.exports) ?? manifest?.main;
  if (typeof main !== "string")
    return { kind: "missing", reason: `${place} has no package.json that names an entry file` };
  const path = join(place, main);
  return existsSync(path)
    ? { kind: "file", path }
    : { kind: "missing", reason: `its package.json names ${path}, which does not exist` };
}

function findServerExport(exported: unknown): unknown {
  if (typeof exported !== "object" || exported === null) return undefined;
  const entry = Object.entries(exported).find(([key]) => key === "./server")?.[1];
  if (typeof entry !== "object" || entry === null) return entry;
  return Object.entries(entry).find(([key]) => ["import", "default"].includes(key))?.[1];
}

/** Returns the line with the error, without the code's location around it. */
function reasonIn(said: string): string {
  const lines = said.split("\n").map((line) => line.trim());
  const telling = lines.find((line) => /^(?:\w*Error|error):/i.test(line));
  return telling ?? lines.find((line) => line !== "") ?? "it did not say why";
}
