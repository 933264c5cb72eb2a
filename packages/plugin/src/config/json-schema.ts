// The JSON Schema that editors use, as the text of `config.schema.json`.
import * as z from "zod";
import type { WholeSchema } from "./whole-schema.ts";

/** Builds the JSON Schema that editors use, as the text of `config.schema.json`. */
export function configJsonSchema({ file }: WholeSchema): string {
  const generated = z.toJSONSchema(file, { target: "draft-7", io: "input" });
  const { properties = {} } = generated;
  const schema = {
    ...generated,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, section]) => [name, withShortForm(section)]),
    ),
    title: "Session Runtime for OpenCode",
    // Configuration files are JSONC.
    allowComments: true,
    allowTrailingCommas: true,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** Lets a section with a switch take `true` and `false` as well. */
function withShortForm(section: z.core.JSONSchema._JSONSchema): object | boolean {
  if (typeof section === "boolean" || section.properties?.enabled === undefined) return section;
  return { ...section, type: ["object", "boolean"] };
}
