// What a project's own file may not set, and why.
import { isAbsolute, normalize, sep } from "node:path";

/** The remedy is the same for all: whoever may name plugins may run code anyway. */
const REMEDY = "set it in your own config, or in the plugin's options";

/**
 * Why a project's own file may not have this entry; null: it may. A cloned repository does not run
 * commands, read our environment, reach outside itself or set variables by being opened.
 */
export function refusedToProjects(path: readonly string[], value: unknown): string | null {
  const [section, name] = path;
  if (name === undefined) return null;
  if (section === "environment") {
    return `a project's file sets no environment variables: ${REMEDY}`;
  }
  if (section !== "sources" || typeof value !== "object" || value === null) return null;
  if ("command" in value) return `a project's file runs no commands: ${REMEDY}`;
  if ("env" in value) return `a project's file reads no environment variables: ${REMEDY}`;
  const places = ["file", "glob"].map((kind): unknown => Reflect.get(value, kind));
  return places.some(leadsOutside)
    ? `a project's file names files of the project only, by a relative path: ${REMEDY}`
    : null;
}

function leadsOutside(place: unknown): boolean {
  if (typeof place !== "string") return false;
  if (isAbsolute(place) || place.startsWith("~")) return true;
  return normalize(place).split(sep).includes("..") || /(?:^|[/,{])\.\.(?:[/,}]|$)/.test(place);
}
