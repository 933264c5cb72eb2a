// The section of the configuration for vectors.
import type { SettingsSection } from "../features/settings.ts";

export interface VectorSettings {
  /** Of an endpoint like OpenAI's, up to its `/v1`; none: there are no vectors. */
  readonly url: string;
  readonly model: string;
  /** The variable that holds the key; none: it needs none. */
  readonly apiKeyEnv: string;
  readonly timeoutMs: number;
}

export const vectorSettings: SettingsSection<VectorSettings> = {
  key: "vectors",
  defaults: { url: "", model: "", apiKeyEnv: "", timeoutMs: 30_000 },
  schema: async () => (await import("./settings-schema.ts")).vectorsSchema,
};
