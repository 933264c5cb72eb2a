// Declares the configuration section for vectors.
import {
  type SettingsValues,
  secret,
  settingsSection,
  usersOwn,
} from "../../feature-api/settings.ts";

export const vectorSettings = settingsSection({
  key: "vectors",
  description: "Finding texts by what they mean, through an endpoint for embeddings.",
  settings: {
    // The address may hold a password.
    url: secret(usersOwn("")),
    model: usersOwn(""),
    apiKeyEnv: usersOwn(""),
    timeoutMs: usersOwn(30_000),
  },
  keys: (z) => ({
    url: z
      .union([z.literal(""), z.url({ protocol: /^https?$/ })])
      .describe(
        "Address of an OpenAI-compatible endpoint, up to its `/v1`. Texts are sent there, without what looks like a secret. If it is not set, texts are found by their words alone.",
      ),
    model: z
      .string()
      .max(200)
      .describe("The endpoint's model; answers of any other model are refused."),
    apiKeyEnv: z
      .string()
      .regex(
        /^(?:[A-Za-z_][A-Za-z0-9_]*)?$/,
        'expected the name of a variable, like "OPENAI_API_KEY"',
      )
      .describe("Name of the variable in OpenCode's environment that holds the endpoint's key."),
    timeoutMs: z
      .int()
      .min(100)
      .max(600_000)
      .describe(
        "How long a call in the background may take, in milliseconds. A look-up waits for two seconds at most.",
      ),
  }),
});

export type VectorSettings = SettingsValues<typeof vectorSettings>;
