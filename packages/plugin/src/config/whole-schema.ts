// The schema with the sections of features, its defaults, and its form for editors (`config.schema.json`).
import * as z from "zod";
import { coreSettings, defaults } from "./defaults.ts";
import { listKeys } from "./layer.ts";
import { type Config, coreKeySchemas } from "./schema.ts";
import type { SettingsSection, SettingsTree } from "./setting.ts";
import type { FormerKeys } from "./short-form.ts";

// Gives each key of the configuration its default, which is declared in one place only.

type KeySchemas = Readonly<Record<string, z.ZodType>>;

/**
 * Adds defaults to the schemas of keys.
 * @param values the defaults by key; for a section, the defaults of its keys
 */
function addDefaults(keys: KeySchemas, values: object): KeySchemas {
  return Object.fromEntries(
    Object.entries(keys).map(([key, schema]) => [
      key,
      addDefault(schema, Reflect.get(values, key)),
    ]),
  );
}

function addDefault(schema: z.ZodType, value: unknown): z.ZodType {
  const optional =
    schema instanceof z.ZodObject
      ? z.strictObject(addDefaults(schema.shape, Object(value))).prefault({})
      : schema.default(value);
  return schema.description === undefined ? optional : optional.describe(schema.description);
}

// The schema of one section of the configuration.

export async function buildSectionSchema<Settings extends object>({
  description,
  keys,
  defaults,
}: SettingsSection<Settings>): Promise<z.ZodObject & z.ZodType<Settings>> {
  const schema = z.strictObject(addDefaults(await keys(z), defaults)).describe(description);
  return schema as z.ZodObject & z.ZodType<Settings>;
}

export interface ConfigSchema {
  /** Validates the effective configuration. */
  readonly effective: z.ZodObject;
  /** Validates a file, which may also reference the schema for editors. */
  readonly file: z.ZodObject;
  /** All allowed keys, sections included, in dotted form. */
  readonly keys: readonly string[];
  /** Each key's default, what a project's file may do with it, and whether it is secret. */
  readonly settings: SettingsTree;
  readonly former: FormerKeys;
}

/**
 * Builds the schema of the whole configuration.
 * @param sections the sections of features
 */
export async function buildConfigSchema(
  sections: readonly SettingsSection[],
): Promise<ConfigSchema> {
  const schemas = await Promise.all(
    sections.map(async (one) => [one.key, (await buildSectionSchema(one)).prefault({})] as const),
  );
  const effective = z.strictObject({
    ...addDefaults(coreKeySchemas, defaults),
    ...Object.fromEntries(schemas),
  });
  const file = effective.extend({
    $schema: z.string().optional().describe("Where an editor finds this schema."),
  });
  return {
    effective,
    file,
    keys: listKeys(file),
    settings: {
      ...coreSettings,
      ...Object.fromEntries(sections.map(({ key, settings }) => [key, settings])),
    },
    former: new Map(
      sections.flatMap(({ key, formerKeys = {} }) =>
        Object.entries<string>(formerKeys).map(([before, now]) => [
          `${key}.${before}`,
          `${key}.${now}`,
        ]),
      ),
    ),
  };
}

/** Validates values once per start, without zod's compiled fast path, which costs more than it saves. */
export function parseConfig({ effective }: ConfigSchema, values: unknown): Config {
  return effective.parse(values, { jitless: true }) as Config;
}

/** Builds the JSON Schema that editors use, as the text of `config.schema.json`. */
export function renderConfigJsonSchema({ file }: ConfigSchema): string {
  const generated = z.toJSONSchema(file, { target: "draft-7", io: "input" });
  const { properties = {} } = generated;
  const schema = {
    ...generated,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, section]) => [name, allowShortForm(section)]),
    ),
    title: "Session Runtime for OpenCode",
    // Configuration files are JSONC.
    allowComments: true,
    allowTrailingCommas: true,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** Lets a section that can be switched off also accept `true` and `false`. */
function allowShortForm(section: z.core.JSONSchema._JSONSchema): object | boolean {
  if (typeof section === "boolean" || section.properties?.enabled === undefined) return section;
  return { ...section, type: ["object", "boolean"] };
}
