// Declares a feature's tool with plain values, and its arguments as JSON Schema without a schema library.
import type { SessionId } from "../storage/records.ts";

/** One named argument that the model may give. */
export type Argument = {
  /** A description of the argument for the model, in a few words; empty if the name says enough. */
  readonly says: string;
  /** An optional argument that is not given arrives as null. */
  readonly need: "required" | "optional";
} & (
  | { readonly kind: "text" }
  | { readonly kind: "texts" }
  | { readonly kind: "integer"; readonly atLeast: number; readonly atMost: number }
  /** A whole number from 1 on. */
  | { readonly kind: "count" }
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "flag" }
);

export type Arguments = Readonly<Record<string, Argument>>;

/**
 * Declares a tool in the plain values that the host needs at its start, which a schema library would delay.
 */
export interface ToolDeclaration<Args extends Arguments = Arguments> {
  /** The tool's name, by which permissions are given. */
  readonly name: string;
  readonly description: string;
  readonly args: Args;
}

type ArgumentValue<One extends Argument> = One extends { readonly kind: "text" }
  ? string
  : One extends { readonly kind: "texts" }
    ? readonly string[]
    : One extends { readonly kind: "integer" | "count" }
      ? number
      : One extends { readonly kind: "choice"; readonly of: readonly (infer Choice)[] }
        ? Choice
        : One extends { readonly kind: "flag" }
          ? boolean
          : never;

/** The arguments of a call, checked. */
export type ArgumentValues<Args extends Arguments> = {
  readonly [Name in keyof Args]: Args[Name]["need"] extends "required"
    ? ArgumentValue<Args[Name]>
    : ArgumentValue<Args[Name]> | null;
};

/** The session, message and agent of a tool call. */
export interface ToolCall {
  readonly sessionId: SessionId;
  readonly messageId: string;
  readonly agent: string;
  /** Fires when the user stops the turn. */
  readonly abort: AbortSignal;
}

export interface ToolAnswer {
  /** The title that the user sees next to the tool's name. */
  readonly title: string;
  /** The text that the model reads. */
  readonly text: string;
}

/** A tool that can be run. */
export interface OpenTool {
  readonly name: string;
  /** @throws UserFacingError if the arguments don't fit */
  readonly run: (given: unknown, call: ToolCall) => Promise<ToolAnswer>;
}

export function declareTool<const Args extends Arguments>(
  declaration: ToolDeclaration<Args>,
): ToolDeclaration<Args> {
  return declaration;
}

// A tool's arguments as JSON Schema, without a schema library.

/** One argument as the model sees it. */
interface ArgumentSchema {
  readonly [keyword: string]: unknown;
}

export function toArgumentSchemas(args: Arguments): Readonly<Record<string, ArgumentSchema>> {
  return Object.fromEntries(
    Object.entries(args).map(([name, argument]) => [
      name,
      // An argument's name and type may be enough to describe it: each word is paid for.
      {
        ...toArgumentSchema(argument),
        ...(argument.says === "" ? {} : { description: argument.says }),
      },
    ]),
  );
}

/** Lists the names of the arguments that a call must give. */
export function listRequiredNames(args: Arguments): readonly string[] {
  return Object.entries(args).flatMap(([name, { need }]) => (need === "required" ? [name] : []));
}

/** Builds the schema of all arguments, as one object. */
export function buildInputSchema(args: Arguments) {
  return {
    type: "object",
    properties: toArgumentSchemas(args),
    required: listRequiredNames(args),
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
