// Decides one setting's value: the user's newest one, as far as a project may change it.
import { isDeepStrictEqual } from "node:util";
import type * as z from "zod";
import { type ConfigLayer, type LayerValue, warningAt } from "./layer.ts";
import type { Setting } from "./setting.ts";
import { shortenText } from "./shown.ts";
import { judgeTrust } from "./trust.ts";
import type { ConfigWarning } from "./warning.ts";
import { describeWrongValue, type Quoting } from "./wrong-value.ts";

export interface ResolvedValue {
  readonly value: unknown;
  /** The layer that the value comes from. */
  readonly layer: ConfigLayer;
}

/** Asks for one setting, or one entry of a table. */
export interface SettingRequest {
  readonly path: readonly string[];
  readonly setting: Setting;
  /** The value where no layer has one; undefined for an entry of a table. */
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
 * Decides a setting's value. Any layer's invalid value is ignored: it does not even restore the default, which
 * may be looser than the user's value. Null where no layer has a valid value.
 */
export function settled(
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
    standing = follow(asked, { own, claim }, report) ?? standing;
  }
  return standing;
}

/** Applies a claim that follows the user's own; null where it has no effect. */
function follow(
  asked: SettingRequest,
  { own, claim }: { readonly own: LayerValue | null; readonly claim: LayerValue },
  report: (found: ConfigWarning) => void,
): ResolvedValue | null {
  const { path, setting } = asked;
  const { layer, value } = claim;
  const standard = own === null ? asked.fallback : own.value;
  const refuse = (reason: string) => {
    report(
      warningAt(layer, path, { kind: "refused", reason: `${describeSubject(layer)} ${reason}` }),
    );
    return null;
  };
  if (layer.scope !== "user" && isDeepStrictEqual(value, standard)) return own ?? claim;
  const isReserved = layer.scope === "project" && setting.project.kind === "nothing";
  const misfit = isReserved ? null : asked.check(value);
  if (misfit !== null) {
    report(unfitWarning(asked, { layer, misfit, own }));
    return null;
  }
  if (layer.scope === "options" && own === null) return { value, layer };
  const verdict = judgeTrust(setting.project, value, standard);
  if (verdict.kind === "refused") return refuse(verdict.reason);
  // Both lists together may be too long.
  const excess = asked.check(verdict.value);
  if (excess === null) return { value: verdict.value, layer };
  report(unfitWarning(asked, { layer, misfit: excess, own }));
  return null;
}

function describeSubject({ scope }: ConfigLayer): string {
  return scope === "project"
    ? "a project's file"
    : "your own file takes precedence over the plugin's options: they";
}

function unfitWarning(
  { path, setting, fallback }: SettingRequest,
  {
    layer,
    misfit,
    own,
  }: { readonly layer: ConfigLayer; readonly misfit: SchemaFault; readonly own: LayerValue | null },
): ConfigWarning {
  const { schema, value, error } = misfit;
  const quoting: Quoting = setting.shown === "secret" ? "kept-secret" : "quoted";
  const { at, reason } = describeWrongValue(schema, value, error, quoting);
  const effect = describeEffect(fallback, own);
  const found = withEffect(shortenText(reason, MAX_REASON_CHARS), effect);
  const line = layer.findLine([...path, ...at]);
  return { ...warningAt(layer, path, { kind: "wrong", reason: found }), line };
}

const MAX_REASON_CHARS = 240;

function describeEffect(fallback: unknown, own: LayerValue | null): string {
  if (own !== null) return "your other value is used";
  return fallback === undefined ? "the entry is left out" : "the default is used";
}

/** Joins reason and effect; after a question mark the effect is a new sentence. */
function withEffect(reason: string, effect: string): string {
  if (!reason.endsWith("?")) return `${reason}; ${effect}`;
  return `${reason} ${effect.charAt(0).toUpperCase()}${effect.slice(1)}`;
}
