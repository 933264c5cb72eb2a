// The schema with the sections of features, and the facts about each of its keys.
import * as z from "zod";
import { coreSettings, defaults } from "./defaults.ts";
import { listKeys } from "./keys.ts";
import { type Config, coreKeys } from "./schema.ts";
import type { SettingsSection } from "./section.ts";
import { sectionSchema } from "./section-schema.ts";
import type { SettingsTree } from "./setting.ts";
import type { FormerKeys } from "./short-form.ts";
import { withDefaults } from "./with-defaults.ts";

export interface WholeSchema {
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

/** Builds the schema. @param sections the sections of features */
export async function wholeSchema(sections: readonly SettingsSection[]): Promise<WholeSchema> {
  const schemas = await Promise.all(
    sections.map(async (one) => [one.key, (await sectionSchema(one)).prefault({})] as const),
  );
  const effective = z.strictObject({
    ...withDefaults(coreKeys, defaults),
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

/** Validates once per start, without zod's compiled fast path, which costs more than it saves. */
export function parseConfig({ effective }: WholeSchema, values: unknown): Config {
  return effective.parse(values, { jitless: true }) as Config;
}
