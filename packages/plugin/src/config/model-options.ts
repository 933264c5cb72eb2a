// Returns a model's configured settings, split into generation controls and request options.

// The options that each provider package is known to accept, with their types.

/** Names the type that a value must have, in as much detail as is checked. */
type OptionKind = "text" | "number" | "flag" | "list" | "object" | "any";

type KnownOptions = Readonly<Record<string, OptionKind>>;

const anthropicOptions: KnownOptions = {
  anthropicBeta: "list",
  cacheControl: "object",
  container: "object",
  contextManagement: "object",
  disableParallelToolUse: "flag",
  effort: "text",
  fallbacks: "any",
  inferenceGeo: "text",
  mcpServers: "list",
  metadata: "object",
  sendReasoning: "flag",
  speed: "text",
  structuredOutputMode: "text",
  taskBudget: "object",
  thinking: "object",
  toolStreaming: "flag",
};

const openaiOptions: KnownOptions = {
  conversation: "text",
  forceReasoning: "flag",
  include: "list",
  instructions: "text",
  logitBias: "object",
  logprobs: "any",
  maxCompletionTokens: "number",
  maxToolCalls: "number",
  metadata: "object",
  parallelToolCalls: "flag",
  prediction: "object",
  previousResponseId: "text",
  promptCacheKey: "text",
  promptCacheRetention: "text",
  reasoningEffort: "text",
  reasoningSummary: "text",
  safetyIdentifier: "text",
  serviceTier: "text",
  store: "flag",
  strictJsonSchema: "flag",
  systemMessageMode: "text",
  textVerbosity: "text",
  truncation: "text",
  user: "text",
};

const googleOptions: KnownOptions = {
  audioTimestamp: "flag",
  cachedContent: "text",
  imageConfig: "object",
  labels: "object",
  mediaResolution: "text",
  responseModalities: "list",
  retrievalConfig: "object",
  safetySettings: "list",
  serviceTier: "text",
  structuredOutputs: "flag",
  thinkingConfig: "object",
  threshold: "text",
};

const bedrockOptions: KnownOptions = {
  ...anthropicOptions,
  additionalModelRequestFields: "object",
  guardrailConfig: "object",
  reasoningConfig: "object",
  serviceTier: "text",
};

const optionsByPackage: Readonly<Record<string, KnownOptions>> = {
  "@ai-sdk/anthropic": anthropicOptions,
  "@ai-sdk/google-vertex/anthropic": anthropicOptions,
  "@ai-sdk/openai": openaiOptions,
  "@ai-sdk/azure": openaiOptions,
  "@ai-sdk/google": googleOptions,
  "@ai-sdk/google-vertex": googleOptions,
  "@ai-sdk/amazon-bedrock": bedrockOptions,
};

const allKnownOptions: KnownOptions = { ...googleOptions, ...openaiOptions, ...anthropicOptions };

/** Lists packages that pass every option on unchanged, so that no option name counts as unknown to them. */
const PACKAGES_WITH_OPEN_OPTIONS = new Set([
  "@ai-sdk/openai-compatible",
  "@openrouter/ai-sdk-provider",
]);

/** Returns the type that the provider's SDK package expects under a name; null if it has no such option. */
function findOptionKind(npm: string, name: string): OptionKind | null {
  const known = Object.hasOwn(optionsByPackage, npm) ? optionsByPackage[npm] : allKnownOptions;
  if (known && Object.hasOwn(known, name)) return known[name] ?? null;
  return PACKAGES_WITH_OPEN_OPTIONS.has(npm) ? "any" : null;
}

// Splits provider-shaped settings into generation controls and request options.

/** Holds provider-neutral sampling and output controls; for missing ones the host's value applies. */
interface GenerationSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxOutputTokens?: number;
}

/** A setting that the user should be warned about. Its value is never included. */
export type OptionFault =
  /** The setting is passed on nevertheless, because the provider may accept names that are unknown here. */
  | { readonly kind: "unknown"; readonly name: string }
  /** The setting is passed on, although the host's catalogue says that the model does not accept it. */
  | { readonly kind: "untaken"; readonly name: string }
  /** The setting is left out, because the provider would refuse a request with it. */
  | { readonly kind: "unfit"; readonly name: string; readonly expected: string };

/** Holds a model's settings in their two domains. */
interface Partition {
  readonly generation: GenerationSettings;
  /** The options in the provider's own terms. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly faults: readonly OptionFault[];
}

/** Holds settings as the AI SDK shapes them: `{temperature, topP, reasoningEffort, thinking: {…}}`. */
type Settings = Readonly<Record<string, unknown>>;

type Control = keyof GenerationSettings;

interface Range {
  readonly fits: (value: number) => boolean;
  readonly expected: string;
}

const positiveIntegerRange: Range = {
  fits: (value) => Number.isInteger(value) && value > 0,
  expected: "a whole number above 0",
};

const CONTROL_RANGES: Readonly<Record<Control, Range>> = {
  temperature: { fits: (value) => value >= 0 && value <= 2, expected: "a number from 0 to 2" },
  topP: { fits: (value) => value >= 0 && value <= 1, expected: "a number from 0 to 1" },
  topK: positiveIntegerRange,
  maxOutputTokens: positiveIntegerRange,
};

/**
 * Splits settings into generation controls and request options in the terms of the provider's SDK package.
 * Settings from every section of the configuration are split here and nowhere else.
 */
export function partitionSettings(settings: Settings, npm: string): Partition {
  const generation: Record<string, number> = {};
  const options: Record<string, unknown> = {};
  const faults: OptionFault[] = [];
  for (const [name, value] of Object.entries(settings)) {
    if (isControl(name)) {
      const { fits, expected } = CONTROL_RANGES[name];
      if (typeof value === "number" && fits(value)) generation[name] = value;
      else faults.push({ kind: "unfit", name, expected });
      continue;
    }
    const kind = findOptionKind(npm, name);
    if (kind === null) faults.push({ kind: "unknown", name });
    if (kind === null || isOfKind(value, kind)) setOwnProperty(options, name, value);
    else faults.push({ kind: "unfit", name, expected: EXPECTED_BY_KIND[kind] });
  }
  return { generation, options, faults };
}

function isControl(name: string): name is Control {
  return Object.hasOwn(CONTROL_RANGES, name);
}

/** Sets an own property, because a name from a file may be `__proto__`. */
function setOwnProperty(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

const EXPECTED_BY_KIND: Readonly<Record<OptionKind, string>> = {
  text: "a text",
  number: "a number",
  flag: "true or false",
  list: "a list",
  object: "an object",
  any: "a value",
};

function isOfKind(value: unknown, kind: OptionKind): boolean {
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

/** Holds settings by pattern of `provider/model`, as the configuration has them. */
type SettingsByPattern = Readonly<Record<string, Settings>>;

interface OptionModel {
  readonly providerId: string;
  readonly modelId: string;
  /** The provider's SDK package. */
  readonly npm: string;
  /** Says whether the model accepts a temperature, according to the host's catalogue. */
  readonly takesTemperature: boolean;
}

/**
 * Returns a model's configured settings. Of several matching patterns, the one with more literal characters
 * wins, name by name; `generation` wins over a control in `requestOptions`.
 */
export class ModelOptions {
  readonly #known = new Map<string, Partition>();

  constructor(
    private readonly input: {
      readonly requestOptions: SettingsByPattern;
      readonly generation: SettingsByPattern;
    },
  ) {}

  resolvePartition(model: OptionModel): Partition {
    const { npm, providerId, modelId, takesTemperature } = model;
    const key = JSON.stringify([npm, providerId, modelId, takesTemperature]);
    const known = this.#known.get(key) ?? this.#computePartition(model);
    this.#known.set(key, known);
    return known;
  }

  #computePartition({ providerId, modelId, npm, takesTemperature }: OptionModel): Partition {
    const name = `${providerId}/${modelId}`;
    const settings = [this.input.requestOptions, this.input.generation].flatMap((table) =>
      listMatchingSettings(table, name).flatMap((one) => Object.entries(one)),
    );
    const parts = partitionSettings(Object.fromEntries(settings), npm);
    if (takesTemperature || parts.generation.temperature === undefined) return parts;
    return { ...parts, faults: [...parts.faults, { kind: "untaken", name: "temperature" }] };
  }
}

/** Returns the settings whose pattern matches, the most specific last. */
function listMatchingSettings(table: SettingsByPattern, name: string): readonly Settings[] {
  return Object.entries(table)
    .filter(([pattern]) => matches(pattern, name))
    .sort(([left], [right]) => countLiterals(left) - countLiterals(right))
    .map(([, settings]) => settings);
}

function countLiterals(pattern: string): number {
  // A name without a star wins over every pattern, however long.
  return pattern.includes("*") ? pattern.replaceAll("*", "").length : Number.POSITIVE_INFINITY;
}

/**
 * Matches a name; `*` stands for any characters, including none. Takes time linear in the length of both;
 * each star adds at most one search of the name.
 */
function matches(pattern: string, name: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return pattern === name;
  if (!name.startsWith(head)) return false;
  let from = head.length;
  for (const piece of rest) {
    const at = name.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return name.length - tail.length >= from && name.endsWith(tail);
}
