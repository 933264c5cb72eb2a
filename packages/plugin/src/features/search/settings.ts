// Declares the configuration sections of recall and the features beside it.
import {
  allowAdditions,
  allowSwitchOff,
  defineSettingsSection,
  markSecret,
  reserveForUser,
  type SettingsValues,
} from "../../feature-api/settings.ts";

export const recallSettings = defineSettingsSection({
  key: "recall",
  description: "Finding what was said and seen in sessions.",
  settings: { enabled: allowSwitchOff(true) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether sessions are indexed, in a file beside the database, and the model is offered `ctx_search`, `ctx_expand` and, where `history.rewrite` is on, `ctx_reduce`.",
      ),
  }),
});

export const augmentSettings = defineSettingsSection({
  key: "augment",
  description: "Prompts enriched by what recall finds.",
  settings: { enabled: allowSwitchOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether there is `/ctx-augment`, which sends a prompt together with what earlier work says about it; needs `recall.enabled`.",
      ),
  }),
});

const MAX_COMMITS = 10_000_000;

export const commitSettings = defineSettingsSection({
  key: "commits",
  description: "Finding what was committed.",
  settings: { enabled: allowSwitchOff(true), maxIndexed: reserveForUser(100_000) },
  formerKeys: { most: "maxIndexed" },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether `ctx_search` looks through the commits of HEAD, where `recall.enabled` is set.",
      ),
    maxIndexed: z
      .int()
      .min(1)
      .max(MAX_COMMITS)
      .describe("A history of more commits than this is not indexed; a notice says so."),
  }),
});

export const searchHintSettings = defineSettingsSection({
  key: "searchHints",
  description: "A pointer to earlier work after a prompt.",
  settings: { enabled: allowSwitchOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether a prompt is followed by a line that quotes earlier work on it, if that is not in the context; needs `recall.enabled`.",
      ),
  }),
});

/** The number of pinned paths is bounded: a project's file may list them, and each is checked as a session begins. */
const MAX_PATHS = 200;

export const keyFileSettings = defineSettingsSection({
  key: "keyFiles",
  description: "The files that a project keeps coming back to.",
  settings: {
    enabled: allowSwitchOff(false),
    pinned: allowAdditions([]),
    banned: allowAdditions([]),
  },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether the model gets the outlines of the files that sessions of the project keep coming back to; needs `recall.enabled`, whose index has them.",
      ),
    pinned: z
      .array(z.string().min(1))
      .max(MAX_PATHS)
      .describe("Files that come first, whether sessions use them or not; relative paths."),
    banned: z
      .array(z.string().min(1))
      .max(MAX_PATHS)
      .describe("Files and folders that are never listed; relative paths."),
  }),
});

export type KeyFileSettings = SettingsValues<typeof keyFileSettings>;

export const vectorSettings = defineSettingsSection({
  key: "vectors",
  description: "Finding texts by what they mean, through an endpoint for embeddings.",
  settings: {
    // The address may hold a password.
    url: markSecret(reserveForUser("")),
    model: reserveForUser(""),
    apiKeyEnv: reserveForUser(""),
    timeoutMs: reserveForUser(30_000),
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
