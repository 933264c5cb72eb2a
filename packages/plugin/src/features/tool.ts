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
);

export type Arguments = Readonly<Record<string, Argument>>;

/** What the host is told at its start: values only, as a schema library would delay it. */
export interface ToolDeclaration<Args extends Arguments = Arguments> {
  /** Permissions go by it. */
  readonly name: string;
  readonly description: string;
  readonly args: Args;
}

type ValueOf<One extends Argument> = One extends { readonly kind: "text" }
  ? string
  : One extends { readonly kind: "texts" }
    ? readonly string[]
    : One extends { readonly kind: "integer" | "count" }
      ? number
      : One extends { readonly kind: "choice"; readonly of: readonly (infer Choice)[] }
        ? Choice
        : never;

/** The arguments of a call, checked. */
export type Given<Args extends Arguments> = {
  readonly [Name in keyof Args]: Args[Name]["need"] extends "required"
    ? ValueOf<Args[Name]>
    : ValueOf<Args[Name]> | null;
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
  /** @throws ToolRefusal for arguments that don't fit. */
  readonly run: (given: unknown, call: ToolCall) => Promise<ToolAnswer>;
}

/** What the model is told in place of an answer; no failure of ours. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
}

export function declareTool<const Args extends Arguments>(
  declaration: ToolDeclaration<Args>,
): ToolDeclaration<Args> {
  return declaration;
}

/** The host doesn't check what the model gives: a call runs only with arguments that fit. */
export function openTool<Args extends Arguments>(
  { name, args }: ToolDeclaration<Args>,
  run: (given: Given<Args>, call: ToolCall) => Promise<ToolAnswer>,
): OpenTool {
  return { name, run: async (given, call) => run(checked(args, given), call) };
}

function checked<Args extends Arguments>(args: Args, given: unknown): Given<Args> {
  const values: object = typeof given === "object" && given !== null ? given : {};
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(args, name));
  if (unknown.length > 0) throw new ToolRefusal(`There is no argument ${quoted(unknown)}.`);
  const entries = Object.entries(args).map(([name, argument]) => [
    name,
    taken(name, argument, Reflect.get(values, name)),
  ]);
  return Object.fromEntries(entries) as Given<Args>;
}

function taken(name: string, argument: Argument, value: unknown): unknown {
  if (value === undefined || value === null) {
    if (argument.need === "optional") return null;
    const what = argument.says === "" ? expected(argument) : argument.says;
    throw new ToolRefusal(`The argument ${name} is missing: ${what}`);
  }
  if (fits(argument, value)) return value;
  throw new ToolRefusal(`The argument ${name} must be ${expected(argument)}.`);
}

function fits(argument: Argument, value: unknown): boolean {
  switch (argument.kind) {
    case "text":
      return typeof value === "string";
    case "texts":
      return Array.isArray(value) && value.every((one) => typeof one === "string");
    case "integer":
      return (
        Number.isSafeInteger(value) &&
        Number(value) >= argument.atLeast &&
        Number(value) <= argument.atMost
      );
    case "count":
      return Number.isSafeInteger(value) && Number(value) >= 1;
    case "choice":
      return argument.of.some((choice) => choice === value);
  }
}

function expected(argument: Argument): string {
  switch (argument.kind) {
    case "text":
      return "a string";
    case "texts":
      return "an array of strings";
    case "integer":
      return `a whole number from ${argument.atLeast} to ${argument.atMost}`;
    case "count":
      return "a whole number from 1 on";
    case "choice":
      return `one of ${quoted(argument.of)}`;
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}
