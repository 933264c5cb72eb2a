// Chooses a provider's small model for jobs if none is configured; models are returned as `provider/model`.

/** The facts of a model of the host's catalogue by which it is chosen. */
export interface ListedModel {
  readonly id: string;
  readonly family?: string | undefined;
  readonly release_date?: string | undefined;
}

/** A model from a catalogue that has no families. */
interface PricedModel {
  readonly id: string;
  /** The price in US dollars per million tokens. */
  readonly inputUsd: number;
}

/** OpenCode's families in its order (1.18.33); the first that a provider offers is used. */
const SMALL_FAMILIES: readonly string[] = ["gemini-flash", "gpt-nano", "claude-haiku"];

/** Matches the names of small models. */
const SMALL_MODEL_PATTERN = /haiku|flash|nano|mini/i;

/** Finds the newest model of the first family that the provider has; null if it has no such family. */
export function findSmallModel(providerId: string, models: readonly ListedModel[]): string | null {
  for (const family of listFamilies(providerId)) {
    const [newest] = models.filter((model) => model.family === family).sort(compareNewest);
    if (newest) return `${providerId}/${newest.id}`;
  }
  return null;
}

/** Finds the cheapest model whose name marks it as small; null if the provider has none. */
export function findSmallModelByName(
  providerId: string,
  models: readonly PricedModel[],
): string | null {
  const small = models.filter(({ id }) => SMALL_MODEL_PATTERN.test(id));
  const [cheapest] = small.sort((one, other) => one.inputUsd - other.inputUsd);
  return cheapest ? `${providerId}/${cheapest.id}` : null;
}

/** Splits `provider/model`; a model's name may hold further slashes. */
export function parseModelName(name: string): {
  readonly providerId: string;
  readonly modelId: string;
} {
  const [providerId = "", ...names] = name.split("/");
  return { providerId, modelId: names.join("/") };
}

function listFamilies(providerId: string): readonly string[] {
  if (providerId.startsWith("opencode")) return ["gpt-nano"];
  if (providerId.startsWith("github-copilot")) return ["gpt-mini", ...SMALL_FAMILIES];
  return SMALL_FAMILIES;
}

function compareNewest(a: ListedModel, b: ListedModel): number {
  const [dateA, dateB] = [a.release_date ?? "", b.release_date ?? ""];
  if (dateA !== dateB) return dateA < dateB ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
