// A tool's arguments as JSON Schema, without a schema library.
import type { Argument, Arguments } from "./tool.ts";

/** One argument as the model sees it. */
interface ArgumentSchema {
  readonly [keyword: string]: unknown;
}

export function argumentSchemas(args: Arguments): Readonly<Record<string, ArgumentSchema>> {
  return Object.fromEntries(
    Object.entries(args).map(([name, argument]) => [
      name,
      // An argument may be said by its name and type alone: each word is paid for.
      {
        ...toArgumentSchema(argument),
        ...(argument.says === "" ? {} : { description: argument.says }),
      },
    ]),
  );
}

/** The names that a call must give. */
export function requiredNames(args: Arguments): readonly string[] {
  return Object.entries(args).flatMap(([name, { need }]) => (need === "required" ? [name] : []));
}

/** Builds the schema of all arguments, as one object. */
export function inputSchema(args: Arguments) {
  return {
    type: "object",
    properties: argumentSchemas(args),
    required: requiredNames(args),
  } as const;
}

function toArgumentSchema(argument: Argument): ArgumentSchema {
  switch (argument.kind) {
    case "text":
      return { type: "string" };
    case "texts":
      return { type: "array", items: { type: "string" } };
    case "integer":
      return { type: "integer", minimum: argument.atLeast, maximum: argument.atMost };
    case "count":
      return { type: "integer" };
    case "choice":
      return { type: "string", enum: argument.of };
    case "flag":
      return { type: "boolean" };
  }
}
