// Checks a project's own settings against the user's, which they may reduce and never extend.
import { isAbsolute, normalize } from "node:path";
import { expandBraces } from "../sources/glob-pattern.ts";
import type { ProjectPermission } from "./setting.ts";

type TrustDecision =
  | { readonly kind: "taken"; readonly value: unknown }
  /**
   * The reason follows the place's name in a message: "a project's file", or the name of the plugin's options.
   */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Decides on a project's value.
 * @param wanted a value that the schema accepts.
 * @param own the user's, or the default; undefined for an entry of a table that the user doesn't have.
 */
export function judgeTrust(may: ProjectPermission, wanted: unknown, own: unknown): TrustDecision {
  switch (may.kind) {
    case "set":
      return trustValue(wanted);
    case "switch-off":
      return wanted === false || own === true
        ? trustValue(wanted)
        : refused("can only switch it off");
    case "lower":
      return isAtMost(wanted, own)
        ? trustValue(wanted)
        : refused(`can only lower it, and it is ${String(own)}`);
    case "make-stricter":
      return isAsStrict(may.strictestFirst, wanted, own)
        ? trustValue(wanted)
        : refused(`can only make it stricter than "${String(own)}"`);
    case "add":
      return trustValue([...entries(own), ...entries(wanted)]);
    case "add-own-files":
      return ownFiles(wanted, own);
    case "nothing":
      return refused("can't set it");
  }
}

function trustValue(value: unknown): TrustDecision {
  return { kind: "taken", value };
}

function refused(reason: string): TrustDecision {
  return { kind: "refused", reason };
}

/** Compares limits; null stands for no limit at all. */
function isAtMost(wanted: unknown, own: unknown): boolean {
  if (own === null) return true;
  return typeof wanted === "number" && typeof own === "number" && wanted <= own;
}

function isAsStrict(strictestFirst: readonly string[], wanted: unknown, own: unknown): boolean {
  const rank = (word: unknown) => strictestFirst.indexOf(String(word));
  return rank(wanted) >= 0 && rank(wanted) <= rank(own);
}

function entries(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/**
 * Ensures that opening a cloned repository runs no command, reads no variable and reads nothing outside of it.
 */
function ownFiles(entry: unknown, own: unknown): TrustDecision {
  if (own !== undefined) return refused("can't replace an entry of yours");
  if (typeof entry !== "object" || entry === null) return trustValue(entry);
  if ("command" in entry) return refused("can't run commands");
  if ("env" in entry) return refused("can't read environment variables");
  const places = ["file", "glob"].map((kind): unknown => Reflect.get(entry, kind));
  return places.some(leadsOutside)
    ? refused("can only name the project's own files, by a relative path")
    : trustValue(entry);
}

/** Checks each pattern that braces expand to, also without its escapes. */
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
