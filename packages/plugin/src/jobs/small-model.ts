// Which small model of a provider jobs ask, where nobody has named one. All give `provider/model`.

/** A model of the host's catalogue, as far as the choice looks at it. */
export interface ListedModel {
  readonly id: string;
  readonly family?: string | undefined;
  readonly release_date?: string | undefined;
}

/** A model of a catalogue that knows no families. */
interface PricedModel {
  readonly id: string;
  /** In US dollars per million tokens. */
  readonly inputUsd: number;
}

/** As OpenCode 1.18.33 has them, the first of them that a provider offers. */
const FAMILIES: readonly string[] = ["gemini-flash", "gpt-nano", "claude-haiku"];

/** What small models have in their names. */
const SMALL = /haiku|flash|nano|mini/i;

/** The newest model of the first family that the provider has; null: it has none of them. */
export function findSmallModel(providerId: string, models: readonly ListedModel[]): string | null {
  for (const family of listFamilies(providerId)) {
    const [newest] = models.filter((model) => model.family === family).sort(newestFirst);
    if (newest) return `${providerId}/${newest.id}`;
  }
  return null;
}

/** The cheapest of those that are small by their names; null: the provider has none. */
export function smallModelByName(
  providerId: string,
  models: readonly PricedModel[],
): string | null {
  const small = models.filter(({ id }) => SMALL.test(id));
  const [cheapest] = small.sort((one, other) => one.inputUsd - other.inputUsd);
  return cheapest ? `${providerId}/${cheapest.id}` : null;
}

/** The parts of `provider/model`: a model's name may hold further slashes. */
export function modelNamed(name: string): {
  readonly providerId: string;
  readonly modelId: string;
} {
  const [providerId = "", ...names] = name.split("/");
  return { providerId, modelId: names.join("/") };
}

function listFamilies(providerId: string): readonly string[] {
  if (providerId.startsWith("opencode")) return ["gpt-nano"];
  if (providerId.startsWith("github-copilot")) return ["gpt-mini", ...FAMILIES];
  return FAMILIES;
}

function newestFirst(a: ListedModel, b: ListedModel): number {
  const [dateA, dateB] = [a.release_date ?? "", b.release_date ?? ""];
  if (dateA !== dateB) return dateA < dateB ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
