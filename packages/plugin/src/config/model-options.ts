// Returns a model's configured settings, where the most specific pattern wins.
import { type Partition, partition, type Settings } from "./option-partition.ts";

/** Holds settings by pattern of `provider/model`, as the configuration has them. */
type PerModel = Readonly<Record<string, Settings>>;

interface OptionModel {
  readonly providerId: string;
  readonly modelId: string;
  /** The provider's SDK package. */
  readonly npm: string;
  /** Says whether the model accepts a temperature, by the host's catalogue. */
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
      readonly requestOptions: PerModel;
      readonly generation: PerModel;
    },
  ) {}

  of(model: OptionModel): Partition {
    const { npm, providerId, modelId, takesTemperature } = model;
    const key = JSON.stringify([npm, providerId, modelId, takesTemperature]);
    const known = this.#known.get(key) ?? this.#compute(model);
    this.#known.set(key, known);
    return known;
  }

  #compute({ providerId, modelId, npm, takesTemperature }: OptionModel): Partition {
    const name = `${providerId}/${modelId}`;
    const settings = [this.input.requestOptions, this.input.generation].flatMap((table) =>
      listMatching(table, name).flatMap((one) => Object.entries(one)),
    );
    const parts = partition(Object.fromEntries(settings), npm);
    if (takesTemperature || parts.generation.temperature === undefined) return parts;
    return { ...parts, faults: [...parts.faults, { kind: "untaken", name: "temperature" }] };
  }
}

/** Returns the settings whose pattern matches, the most specific last. */
function listMatching(table: PerModel, name: string): readonly Settings[] {
  return Object.entries(table)
    .filter(([pattern]) => matches(pattern, name))
    .sort(([left], [right]) => countLiterals(left) - countLiterals(right))
    .map(([, settings]) => settings);
}

function countLiterals(pattern: string): number {
  // A name without any star wins over all patterns, however long.
  return pattern.includes("*") ? pattern.replaceAll("*", "").length : Number.POSITIVE_INFINITY;
}

/**
 * Matches a name; `*` stands for any characters, including none. Takes time linear in both, except for the
 * stars.
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
