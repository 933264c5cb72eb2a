// Declares the configuration sections of memory, the user's profile and smart notes.
import {
  allowSwitchOff,
  defineSettingsSection,
  markSecret,
  reserveForUser,
  type SettingsValues,
} from "../../feature-api/settings.ts";

const MIN_BUDGET_TOKENS = 100;
const MAX_BUDGET_TOKENS = 50_000;

export const memorySettings = defineSettingsSection({
  key: "memory",
  description: "What was learnt about a project, for each of its later sessions.",
  settings: {
    enabled: allowSwitchOff(true),
    budgetTokens: reserveForUser(1_200),
    // The address contains the user's password.
    store: markSecret(reserveForUser(null)),
    member: reserveForUser(null),
    shared: allowSwitchOff(true),
  },
  keys: async (z) => {
    const { describeFault, parseAddress } = await import("./store-address.ts");
    return {
      enabled: z
        .boolean()
        .describe(
          "Whether the model is given the project's memories and open notes, and offered `ctx_memory` and `ctx_note`.",
        ),
      budgetTokens: z
        .int()
        .min(MIN_BUDGET_TOKENS)
        .max(MAX_BUDGET_TOKENS)
        .describe(
          "How many tokens of the project's memories each session begins with, the most important ones first.",
        ),
      store: z
        .string()
        .refine((text) => parseAddress(text) !== "unencoded", describeFault("unencoded"))
        .refine((text) => parseAddress(text) !== "other", describeFault("other"))
        .nullable()
        .describe(
          "The address of a team's store in PostgreSQL, which shares memories, notes of projects and workspaces. null: everything stays on this machine. Read from the user's own config only; the variable SESSION_RUNTIME_MEMORY_STORE takes precedence.",
        ),
      member: z
        .string()
        .min(1)
        .max(80)
        .nullable()
        .describe(
          "The author of this machine's changes until it has reached the team's store, which names them after the role that it logs in with. null: the name of the user's account. Read from the user's own config only.",
        ),
      shared: z
        .boolean()
        .describe(
          "Whether the project's memories go to the team's store, if there is one. A project's own file can only say false.",
        ),
    };
  },
});

export const profileSettings = defineSettingsSection({
  key: "profile",
  description: "How you like to work, stored with your consent and on this machine only.",
  settings: { enabled: allowSwitchOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether the model may note how you like to work, with `ctx_profile`, and gets these notes in all your projects. Ignored in a project's file.",
      ),
  }),
});

export const smartNoteSettings = defineSettingsSection({
  key: "smartNotes",
  description: "Notes that come up when a condition holds.",
  settings: {
    enabled: allowSwitchOff(false),
    commands: reserveForUser([]),
    questions: allowSwitchOff(false),
  },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe("Whether the model is offered `ctx_remind`, and you `/ctx-remind`."),
    commands: z
      .array(z.string().min(1))
      .describe(
        "The exact command lines that a note may wait for; each runs in the background after a turn. Ignored in a project's file.",
      ),
    questions: z
      .boolean()
      .describe("Whether a note may wait for a question that a background job asks a model."),
  }),
});

export type SmartNoteSettings = SettingsValues<typeof smartNoteSettings>;
