// Merges layers key by key and validates the result; pure and total.
import * as z from "zod";
import {
  type ConfigLayer,
  collectClaims,
  listNames,
  toDottedKey,
  unwrapSection,
  unwrapTable,
} from "./layer.ts";
import type { Config } from "./schema.ts";
import { findSetting, type Setting } from "./setting.ts";
import { type ResolvedValue, resolveSetting, type SettingRequest } from "./settle.ts";
import { expandShortForms, renameFormerKeys } from "./short-form.ts";
import { listStructureWarnings } from "./strays.ts";
import type { ConfigWarning, EntryPlace } from "./warning.ts";
import { type ConfigSchema, parseConfig } from "./whole-schema.ts";

export interface ResolvedConfig {
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
  /** The entries of `sources` that a project's file gives, by key. */
  readonly projectSources: ReadonlyMap<string, EntryPlace>;
}

/**
 * Merges the layers key by key: later layers of the user win, and a project's layer can only restrict what
 * the user has. An invalid value affects no other key. Pure and total.
 */
export function resolveConfig(
  schema: ConfigSchema,
  layers: readonly ConfigLayer[],
): ResolvedConfig {
  return new Resolution(schema, layers).toResolvedConfig();
}

class Resolution {
  readonly #warnings: ConfigWarning[];
  readonly #layers: readonly ConfigLayer[];
  readonly #projectSources = new Map<string, EntryPlace>();

  constructor(
    private readonly schema: ConfigSchema,
    layers: readonly ConfigLayer[],
  ) {
    const renamed = layers.map((layer) => renameFormerKeys(schema.former, layer));
    this.#layers = renamed.map(({ layer }) => expandShortForms(schema.file, layer));
    this.#warnings = [
      ...renamed.flatMap(({ warnings }) => warnings),
      ...this.#layers.flatMap((layer) => listStructureWarnings(schema, layer)),
    ];
  }

  toResolvedConfig(): ResolvedConfig {
    const config = parseConfig(this.schema, this.#resolveSection(this.schema.effective, []));
    return { config, warnings: this.#warnings, projectSources: this.#projectSources };
  }

  /** Resolves a section's values. Names come from the schema, never from a file. */
  #resolveSection(
    section: z.ZodObject,
    prefix: readonly string[],
  ): Readonly<Record<string, unknown>> {
    const entries = Object.entries(section.shape).flatMap(([name, schema]) => {
      const path = [...prefix, name];
      const inner = unwrapSection(schema);
      if (inner !== null) return [[name, this.#resolveSection(inner, path)]];
      const setting = this.#requireSetting(path);
      const table = unwrapTable(schema);
      if (table !== null) return [[name, this.#resolveTable(table, path, setting)]];
      const check = (value: unknown) => findMisfit(schema, value);
      const found = this.#resolveValue({ path, setting, fallback: setting.default, check });
      return found === null ? [] : [[name, found.value]];
    });
    return Object.fromEntries(entries);
  }

  /** Resolves a table's entries, each one as a whole. */
  #resolveTable(
    { keyType, valueType }: z.ZodRecord,
    path: readonly string[],
    setting: Setting,
  ): Readonly<Record<string, unknown>> {
    const names = new Set(this.#layers.flatMap((layer) => listNames(path, layer)));
    const entries = [...names].flatMap((name): [string, unknown][] => {
      const own = [...path, name];
      const check = (value: unknown) => findMisfit(keyType, name) ?? findMisfit(valueType, value);
      const found = this.#resolveValue({ path: own, setting, fallback: undefined, check });
      if (found === null) return [];
      if (found.layer.scope === "project") this.#recordProjectSource(name, own, found.layer);
      return [[name, found.value]];
    });
    return Object.fromEntries(entries);
  }

  /** Finds a key's setting. @throws if the key has none, which a test would find. */
  #requireSetting(path: readonly string[]): Setting {
    const setting = findSetting(this.schema.settings, path);
    if (setting === null) throw new Error(`${toDottedKey(path)} has no default.`);
    return setting;
  }

  #resolveValue(asked: SettingRequest): ResolvedValue | null {
    const claims = collectClaims(asked.path, this.#layers);
    return resolveSetting(asked, claims, (found) => this.#warnings.push(found));
  }

  /** Records a project's entry so that it is confined; only `sources` accepts entries from a project. */
  #recordProjectSource(
    name: string,
    path: readonly string[],
    { file, findLine }: ConfigLayer,
  ): void {
    this.#projectSources.set(name, { file, line: findLine(path), key: toDottedKey(path) });
  }
}

function findMisfit(schema: z.core.$ZodType, value: unknown): ReturnType<SettingRequest["check"]> {
  const { success, error } = z.safeParse(schema, value);
  return success ? null : { schema, value, error };
}
