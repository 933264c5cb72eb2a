// The JSON Schema that editors use, as the text of `config.schema.json`.
import * as z from "zod";
import type { WholeSchema } from "./whole-schema.ts";

/** The JSON Schema that editors use, as the text of `config.schema.json`. */
export function configJsonSchema({ file }: WholeSchema): string {
  const generated = z.toJSONSchema(file, { target: "draft-7", io: "input" });
  const schema = {
    ...generated,
    title: "Session Runtime for OpenCode",
    // The files are JSONC.
    allowComments: true,
    allowTrailingCommas: true,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
