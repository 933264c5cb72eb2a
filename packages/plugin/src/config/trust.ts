// What a project's own file may not set, and why.
import { isAbsolute, normalize } from "node:path";
import { expandBraces } from "../sources/glob-pattern.ts";

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
    return `a project's file can't set environment variables: ${REMEDY}`;
  }
  if (section === "vectors") {
    return `a project's file can't send your texts anywhere: ${REMEDY}`;
  }
  if (section === "upkeep") {
    return `a project's file can't start tasks: ${REMEDY}`;
  }
  if (section === "memory" && name === "shared" && value !== false) {
    return `a project's file can only keep its memories from the team: ${REMEDY}`;
  }
  if (section !== "sources" || typeof value !== "object" || value === null) return null;
  if ("command" in value) return `a project's file can't run commands: ${REMEDY}`;
  if ("env" in value) return `a project's file can't read environment variables: ${REMEDY}`;
  const places = ["file", "glob"].map((kind): unknown => Reflect.get(value, kind));
  return places.some(leadsOutside)
    ? `a project's file can only name the project's own files, by a relative path: ${REMEDY}`
    : null;
}

/** Each pattern that braces stand for is looked at by itself, and so is what its escapes stand for. */
function leadsOutside(place: unknown): boolean {
  if (typeof place !== "string") return false;
  const alternatives = expandBraces(place);
  return alternatives === null || alternatives.some(isOutside);
}

function isOutside(place: string): boolean {
  const names = [place, place.replaceAll("\\", "")];
  return names.some(
    (name) =>
      isAbsolute(name) ||
      /^~|^[a-z][a-z0-9+.-]*:\/\//i.test(name) ||
      /^\.\.(?:[\\/]|$)/.test(normalize(name)),
  );
}
