// What a feature's tool is: declared with plain values, run when the model calls it.
import type { SessionId } from "../storage/records.ts";

/** What the model may give under one name. */
export type Argument = {
  /** For the model, in a few words; empty: its name says it. */
  readonly says: string;
  /** What is optional and not given arrives as null. */
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

/** What the host learns at its start: values only, as a schema library would delay it. */
export interface ToolDeclaration<Args extends Arguments = Arguments> {
  /** Permissions go by it. */
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

/** Whose call it is. */
export interface ToolCall {
  readonly sessionId: SessionId;
  readonly messageId: string;
  readonly agent: string;
  /** Fires when the user stops the turn. */
  readonly abort: AbortSignal;
}

export interface ToolAnswer {
  /** What the user sees beside the tool's name. */
  readonly title: string;
  /** What the model reads. */
  readonly text: string;
}

/** A tool that can be run. */
export interface OpenTool {
  readonly name: string;
  /** @throws UserFacingError, for arguments that don't fit. */
  readonly run: (given: unknown, call: ToolCall) => Promise<ToolAnswer>;
}

export function declareTool<const Args extends Arguments>(
  declaration: ToolDeclaration<Args>,
): ToolDeclaration<Args> {
  return declaration;
}
