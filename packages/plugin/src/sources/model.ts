// `core/model`: the model that runs the session.
import * as z from "zod";
import { type SourceDefinition, toWellFormed } from "../context/source.ts";

const modelSchema = z.object({ providerID: z.string(), modelID: z.string() });

/**
 * Names the model as the host does to the model itself: `modelID` is `model.api.id`, not the catalogue's id.
 */
export type Model = z.infer<typeof modelSchema>;

export function createModelSource(load: () => Model): SourceDefinition<Model> {
  return {
    key: "core/model",
    schema: modelSchema,
    load: () => normalize(load()),
    baseline: (current) =>
      `You are powered by the model named ${current.modelID}. The exact model ID is ${renderExactId(current)}`,
    update: (_previous, current) =>
      `You are now powered by the model named ${current.modelID}. The exact model ID is now ${renderExactId(current)}`,
  };
}

/** Reads the model from a frozen environment block; null if it can't be read. */
export function parseModel(frozen: string): Model | null {
  const groups = modelPattern.exec(frozen)?.groups;
  if (groups?.model === undefined || groups.provider === undefined) return null;
  return normalize({ providerID: groups.provider, modelID: groups.model });
}

const modelPattern =
  /^You are powered by the model named (?<model>[^\n]*)\. The exact model ID is (?<provider>[^\n]*)\/\k<model>\n/;

function renderExactId(model: Model): string {
  return `${model.providerID}/${model.modelID}`;
}

function normalize(model: Model): Model {
  return { providerID: toWellFormed(model.providerID), modelID: toWellFormed(model.modelID) };
}
