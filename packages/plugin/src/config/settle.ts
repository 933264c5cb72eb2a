// Decides one setting's value: the user's newest value, changed by a project only as far as it may.
import { isAbsolute, normalize } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type * as z from "zod";
import { expandBraces } from "../sources/glob-pattern.ts";
import { type ConfigLayer, createWarning, type LayerValue } from "./layer.ts";
import type { ProjectPermission, Setting } from "./setting.ts";
import { type ConfigWarning, shortenText } from "./warning.ts";
import { describeWrongValue, type QuotingMode } from "./wrong-value.ts";

// Checks a project's own settings against the user's: a project may restrict them and never extend them.

type TrustDecision =
  | { readonly kind: "taken"; readonly value: unknown }
  /**
   * The reason is shown after the place's name in a message: "a project's file", or the name of the plugin's
   * options.
   */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Decides on a project's value.
 * @param wanted a value that the schema accepts
 * @param own the user's value, or the default; undefined for an entry of a table that the user doesn't have
 */
export function judgeTrust(may: ProjectPermission, wanted: unknown, own: unknown): TrustDecision {
  switch (may.kind) {
    case "set":
      return acceptValue(wanted);
    case "switch-off":
      return wanted === false || own === true
        ? acceptValue(wanted)
        : rejectValue("can only switch it off");
    case "lower":
      return isAtMost(wanted, own)
        ? acceptValue(wanted)
        : rejectValue(`can only lower it, and it is ${String(own)}`);
    case "make-stricter":
      return isAsStrict(may.strictestFirst, wanted, own)
        ? acceptValue(wanted)
        : rejectValue(`can only make it stricter than "${String(own)}"`);
    case "add":
      return acceptValue([...toEntries(own), ...toEntries(wanted)]);
    case "add-own-files":
      return judgeOwnFiles(wanted, own);
    case "nothing":
      return rejectValue("can't set it");
  }
}

function acceptValue(value: unknown): TrustDecision {
  return { kind: "taken", value };
}

function rejectValue(reason: string): TrustDecision {
  return { kind: "refused", reason };
}

/** Compares limits; null stands for no limit. */
function isAtMost(wanted: unknown, own: unknown): boolean {
  if (own === null) return true;
  return typeof wanted === "number" && typeof own === "number" && wanted <= own;
}

function isAsStrict(strictestFirst: readonly string[], wanted: unknown, own: unknown): boolean {
  const rank = (word: unknown) => strictestFirst.indexOf(String(word));
  return rank(wanted) >= 0 && rank(wanted) <= rank(own);
}

function toEntries(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/**
 * Ensures that opening a cloned repository runs no command, reads no environment variable and reads no file
 * outside the repository.
 */
function judgeOwnFiles(entry: unknown, own: unknown): TrustDecision {
  if (own !== undefined) return rejectValue("can't replace an entry of yours");
  if (typeof entry !== "object" || entry === null) return acceptValue(entry);
  if ("command" in entry) return rejectValue("can't run commands");
  if ("env" in entry) return rejectValue("can't read environment variables");
  const places = ["file", "glob"].map((kind): unknown => Reflect.get(entry, kind));
  return places.some(pointsOutside)
    ? rejectValue("can only name the project's own files, by a relative path")
    : acceptValue(entry);
}

/** Checks every pattern that a path's braces expand to, both with and without its escapes. */
function pointsOutside(place: unknown): boolean {
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

export interface ResolvedValue {
  readonly value: unknown;
  /** The layer that the value comes from. */
  readonly layer: ConfigLayer;
}

/** Describes the setting, or the entry of a table, whose value is to be decided. */
export interface SettingRequest {
  readonly path: readonly string[];
  readonly setting: Setting;
  /** The value if no layer has one; undefined for an entry of a table. */
  readonly fallback: unknown;
  /** Checks a value; null means that it fits. */
  readonly check: (value: unknown) => SchemaFault | null;
}

interface SchemaFault {
  readonly schema: z.core.$ZodType;
  /** The part that doesn't fit: the value, or an entry's name. */
  readonly value: unknown;
  readonly error: z.core.$ZodError;
}

/**
 * Decides a setting's value; null if no layer has a valid one. An invalid value in any layer is ignored: it
 * does not even restore the default, which may be looser than the user's value.
 */
export function resolveSetting(
  asked: SettingRequest,
  claims: readonly LayerValue[],
  report: (found: ConfigWarning) => void,
): ResolvedValue | null {
  const newest = claims.findLastIndex(
    ({ layer, value }) => layer.scope === "user" && asked.check(value) === null,
  );
  const own = claims[newest] ?? null;
  let standing: ResolvedValue | null = own;
  for (const claim of claims.slice(newest + 1)) {
    standing = applyClaim(asked, { own, claim }, report) ?? standing;
  }
  return standing;
}

/** Applies a claim that follows the user's own value; null if the claim has no effect. */
function applyClaim(
  asked: SettingRequest,
  { own, claim }: { readonly own: LayerValue | null; readonly claim: LayerValue },
  report: (found: ConfigWarning) => void,
): ResolvedValue | null {
  const { path, setting } = asked;
  const { layer, value } = claim;
  const standard = own === null ? asked.fallback : own.value;
  const refuse = (reason: string) => {
    report(
      createWarning(layer, path, {
        kind: "refused",
        reason: `${describeSubject(layer)} ${reason}`,
      }),
    );
    return null;
  };
  if (layer.scope !== "user" && isDeepStrictEqual(value, standard)) return own ?? claim;
  const isReserved = layer.scope === "project" && setting.project.kind === "nothing";
  const misfit = isReserved ? null : asked.check(value);
  if (misfit !== null) {
    report(createMisfitWarning(asked, { layer, misfit, own }));
    return null;
  }
  if (layer.scope === "options" && own === null) return { value, layer };
  const verdict = judgeTrust(setting.project, value, standard);
  if (verdict.kind === "refused") return refuse(verdict.reason);
  // The two lists together may exceed the maximum length.
  const excess = asked.check(verdict.value);
  if (excess === null) return { value: verdict.value, layer };
  report(createMisfitWarning(asked, { layer, misfit: excess, own }));
  return null;
}

function describeSubject({ scope }: ConfigLayer): string {
  return scope === "project"
    ? "a project's file"
    : "your own file takes precedence over the plugin's options: they";
}

function createMisfitWarning(
  { path, setting, fallback }: SettingRequest,
  {
    layer,
    misfit,
    own,
  }: { readonly layer: ConfigLayer; readonly misfit: SchemaFault; readonly own: LayerValue | null },
): ConfigWarning {
  const { schema, value, error } = misfit;
  const quoting: QuotingMode = setting.shown === "secret" ? "kept-secret" : "quoted";
  const { at, reason } = describeWrongValue(schema, value, error, quoting);
  const effect = describeEffect(fallback, own);
  const found = appendEffect(shortenText(reason, MAX_REASON_CHARS), effect);
  const line = layer.findLine([...path, ...at]);
  return { ...createWarning(layer, path, { kind: "wrong", reason: found }), line };
}

const MAX_REASON_CHARS = 240;

function describeEffect(fallback: unknown, own: LayerValue | null): string {
  if (own !== null) return "your other value is used";
  return fallback === undefined ? "the entry is left out" : "the default is used";
}

/** Joins a reason and its effect; after a question mark, the effect becomes a sentence of its own. */
function appendEffect(reason: string, effect: string): string {
  if (!reason.endsWith("?")) return `${reason}; ${effect}`;
  return `${reason} ${effect.charAt(0).toUpperCase()}${effect.slice(1)}`;
}
