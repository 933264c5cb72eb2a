// Splits provider-shaped settings into generation controls and request options.
import { type Kind, kindOfOption } from "./known-options.ts";

/** Holds provider-neutral sampling and output controls; missing ones keep the host's value. */
interface Generation {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxOutputTokens?: number;
}

/** A setting that the user should be warned about. Its value is never included. */
export type OptionFault =
  /** The setting is passed on nevertheless: the provider may accept names unknown here. */
  | { readonly kind: "unknown"; readonly name: string }
  /** The setting is passed on, although the host's catalogue says that the model does not accept it. */
  | { readonly kind: "untaken"; readonly name: string }
  /** The setting is left out, because the provider would refuse a request with it. */
  | { readonly kind: "unfit"; readonly name: string; readonly expected: string };

/** Holds a model's settings in their two domains. */
export interface Partition {
  readonly generation: Generation;
  /** The options in the provider's own terms. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly faults: readonly OptionFault[];
}

/** Holds settings as the AI SDK shapes them: `{temperature, topP, reasoningEffort, thinking: {…}}`. */
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
 * Splits settings, in the only place that does, whichever section of the configuration they come from:
 * generation controls, and request options in the terms of the provider's SDK package.
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

/** Sets an own property, because a name from a file may be `__proto__`. */
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
