// Finds what npx runs this command line from: a registry's package, or an archive that `npm run pack` has made.
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseFields, toFields } from "@session-runtime/opencode/context/fields";
import { textAt } from "./launcher-file.ts";

const CACHE = `${sep}_npx${sep}`;

/**
 * Returns the archive's absolute path; null where npx fetched the package from a registry, or is not used.
 */
export function npxArchive(script: string): string | null {
  const at = script.indexOf(CACHE);
  if (at === -1) return null;
  const [hash = ""] = script.slice(at + CACHE.length).split(sep);
  const text = textAt(join(script.slice(0, at), "_npx", hash, "package.json"));
  const { packages } = toFields(parseFields(text ?? "")?._npx);
  const [named] = Array.isArray(packages) ? packages : [];
  if (typeof named !== "string" || !named.startsWith("file:")) return null;
  const path = named.startsWith("file:///") ? fileURLToPath(named) : named.slice("file:".length);
  return path.endsWith(".tgz") ? path : null;
}

/** Returns the folder of a package that was packed together with that archive. */
export function packedBeside(script: string, folder: string): string | null {
  const archive = npxArchive(script);
  return archive === null ? null : join(dirname(archive), folder);
}
