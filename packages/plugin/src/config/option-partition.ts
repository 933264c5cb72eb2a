// Splits provider-shaped settings into generation controls and request options.
import { type Kind, kindOfOption } from "./known-options.ts";

/** Provider-neutral sampling and output controls; what is not set is the host's. */
interface Generation {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxOutputTokens?: number;
}

/** A setting that needs a word to the user. Values are never part of it. */
export type OptionFault =
  /** Passed on all the same: the provider may know more than we do. */
  | { readonly kind: "unknown"; readonly name: string }
  /** Passed on all the same: the host's catalogue says that the model does not take it. */
  | { readonly kind: "untaken"; readonly name: string }
  /** Left out: a request with it would be refused. */
  | { readonly kind: "unfit"; readonly name: string; readonly expected: string };

/** The two domains of a model's settings. */
export interface Partition {
  readonly generation: Generation;
  /** In the provider's own terms. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly faults: readonly OptionFault[];
}

/** Settings as the AI SDK shapes them: `{temperature, topP, reasoningEffort, thinking: {…}}`. */
export type Settings = Readonly<Record<string, unknown>>;

type Control = keyof Generation;

interface Range {
  readonly fits: (value: number) => boolean;
  readonly expected: string;
}

const whole: Range = {
  fits: (value) => Number.isInteger(value) && value > 0,
  expected: "a whole number above 0",
};

const CONTROLS: Readonly<Record<Control, Range>> = {
  temperature: { fits: (value) => value >= 0 && value <= 2, expected: "a number from 0 to 2" },
  topP: { fits: (value) => value >= 0 && value <= 1, expected: "a number from 0 to 1" },
  topK: whole,
  maxOutputTokens: whole,
};

/**
 * The one place where settings are distinguished, whichever section of the configuration they stand
 * in: generation controls, and request options in the terms of the provider's SDK package.
 */
export function partition(settings: Settings, npm: string): Partition {
  const generation: Record<string, number> = {};
  const options: Record<string, unknown> = {};
  const faults: OptionFault[] = [];
  for (const [name, value] of Object.entries(settings)) {
    if (isControl(name)) {
      const { fits, expected } = CONTROLS[name];
      if (typeof value === "number" && fits(value)) generation[name] = value;
      else faults.push({ kind: "unfit", name, expected });
      continue;
    }
    const kind = kindOfOption(npm, name);
    if (kind === null) faults.push({ kind: "unknown", name });
    if (kind === null || isOfKind(value, kind)) setOwn(options, name, value);
    else faults.push({ kind: "unfit", name, expected: EXPECTED[kind] });
  }
  return { generation, options, faults };
}

function isControl(name: string): name is Control {
  return Object.hasOwn(CONTROLS, name);
}

/** A name from a file may be `__proto__`. */
function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

const EXPECTED: Readonly<Record<Kind, string>> = {
  text: "a text",
  number: "a number",
  flag: "true or false",
  list: "a list",
  object: "an object",
  any: "a value",
};

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case "any":
      return true;
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "flag":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
  }
}
