// Counts the tokens of our tools in each request that offers them.
import type { Feature } from "../feature-api/feature.ts";
import type { ToolDeclaration } from "../feature-api/tool.ts";
import { inputSchema } from "../feature-api/tool-schema.ts";
import { estimateTokens } from "../ledger/tokens.ts";

/** Counts tokens by tool name. */
export function toolTokens(features: readonly Feature[]): ReadonlyMap<string, number> {
  const declared = features.flatMap(({ tools }) => tools ?? []);
  return new Map(declared.map((tool) => [tool.name, countToolTokens(tool)]));
}

function countToolTokens({ name, description, args }: ToolDeclaration): number {
  // Anthropic's format of a tool is the longest of the four.
  const tool = { name, description, input_schema: inputSchema(args), eager_input_streaming: true };
  return estimateTokens(JSON.stringify(tool));
}
