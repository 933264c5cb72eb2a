// The plugin's tools: declared to the host at the start, and run when the model calls one.
import type { Hooks, ToolContext } from "@opencode-ai/plugin";
import type { Feature } from "../feature-api/feature.ts";
import {
  listRequiredNames,
  type ToolCall,
  type ToolDeclaration,
  toArgumentSchemas,
} from "../feature-api/tool.ts";
import type { RunTool } from "../runtime/dispatch-hooks.ts";
import type { SessionId } from "../storage/records.ts";

type HostTools = NonNullable<Hooks["tool"]>;
type HostTool = HostTools[string];
type Definition = Parameters<NonNullable<Hooks["tool.definition"]>>[1];

/**
 * Declares the tools at the host's start. The host's types require zod schemas; any other argument object
 * counts as JSON Schema and is not checked (OpenCode 1.18.33, its tool registry).
 */
export function createHostTools(features: readonly Feature[], run: RunTool): HostTools {
  const declared = features.flatMap(({ tools }) => tools ?? []);
  return Object.fromEntries(declared.map((tool) => [tool.name, createHostTool(tool, run)]));
}

function createHostTool({ name, description, args }: ToolDeclaration, run: RunTool): HostTool {
  return {
    description,
    args: toArgumentSchemas(args) as unknown as HostTool["args"],
    async execute(given: unknown, context) {
      const { title, text } = await run(name, given, toToolCall(context));
      return { title, output: text };
    },
  };
}

function toToolCall({ sessionID, messageID, agent, abort }: ToolContext): ToolCall {
  return { sessionId: sessionID as SessionId, messageId: messageID, agent, abort };
}

/**
 * Marks optional arguments, because the host treats every argument as required; its definition hook decides
 * last.
 */
export function defineTool(features: readonly Feature[], toolId: string, output: Definition): void {
  const declared = features.flatMap(({ tools }) => tools ?? []);
  const tool = declared.find(({ name }) => name === toolId);
  if (!tool || !("jsonSchema" in output)) return;
  const { jsonSchema } = output;
  if (typeof jsonSchema !== "object" || jsonSchema === null) return;
  const { required: _, ...rest } = jsonSchema as { readonly required?: unknown };
  const required = listRequiredNames(tool.args);
  output.jsonSchema = required.length === 0 ? rest : { ...rest, required };
}
