// Schema of an entry of `sources`, and of the names of sources and variables.
import * as z from "zod";
import { customSourceDefaults as defaults } from "../sources/custom-spec.ts";

const SOURCE_KEY_PATTERN = /^(?!core\/)[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._/-]*$/;

/** Validates a source's key; `core/` belongs to the runtime. */
export const customSourceKeySchema = z
  .string()
  .regex(
    SOURCE_KEY_PATTERN,
    'expected a lower-case key with a namespace other than "core", like "team/oncall"',
  );

export const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of a variable, like "TEAM_ONCALL"');

const createTextSchema = (most: number) =>
  z
    .string()
    .max(most)
    .refine((value) => !value.includes("\0"), "expected a text without NUL");

const placeSchema = createTextSchema(4096).min(1);

const templateSchema = createTextSchema(65_536).refine(
  (value) => value.trim() !== "",
  "expected a text",
);

const commandSchema = z.union(
  [
    z.array(createTextSchema(65_536)).min(1),
    z.strictObject({ shell: createTextSchema(65_536).min(1) }),
  ],
  {
    error: 'expected a list of words, like ["oncall", "--today"], or {"shell": "oncall | head -1"}',
  },
);

const SOURCE_KINDS = ["file", "glob", "env", "command"] as const;

/**
 * Validates a user's own Context Source: one of `file`, `glob`, `env` and `command`, and how it is announced.
 */
export const customSourceEntrySchema = z
  .strictObject({
    file: placeSchema.optional().describe("Path of a file, relative to the project's directory."),
    glob: placeSchema.optional().describe("Pattern of files; each is announced under its path."),
    env: variableNameSchema.optional().describe("Name of a variable in OpenCode's environment."),
    command: commandSchema
      .optional()
      .describe(
        'A program and its arguments, started without a shell; or `{"shell": "…"}`, a command line for /bin/sh. It runs in the project\'s directory with PATH, HOME and LANG.',
      ),
    passEnv: z
      .array(variableNameSchema)
      .optional()
      .describe("Environment variables that the command gets in addition to PATH, HOME and LANG."),
    refreshMs: z
      .int()
      .min(0)
      .max(86_400_000)
      .optional()
      .describe(
        `How long a command's output stays current, in milliseconds (${defaults.refreshMs}). The next model call after that runs it again, and uses its last output meanwhile. 0: it runs at every call, and the call waits for it.`,
      ),
    timeoutMs: z
      .int()
      .min(10)
      .max(600_000)
      .optional()
      .describe(
        `After how long a command is killed with its children, in milliseconds (${defaults.commandTimeoutMs}). If it is set for another kind of source: after how long that source counts as unavailable for this call. No call waits longer than observation.timeoutMs, except that the first call of an epoch waits for files.`,
      ),
    maxBytes: z
      .int()
      .min(16)
      .max(1_048_576)
      .optional()
      .describe(
        `How much is sent, in bytes (${defaults.maxBytes}). The rest is left out, and a note says so.`,
      ),
    required: z
      .boolean()
      .optional()
      .describe(
        "Whether prompts are refused while this source can't load and onUnavailable is `block`. A missing value does not count as a failure to load.",
      ),
    baseline: templateSchema
      .optional()
      .describe("The text of the first value; `{value}` is the value."),
    update: templateSchema.optional().describe("The text of a new value; `{value}`, `{previous}`."),
    removed: templateSchema.optional().describe("The text when the value is gone; `{previous}`."),
  })
  .superRefine((entry, context) => {
    const kinds = SOURCE_KINDS.filter((kind) => entry[kind] !== undefined);
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    if (kinds.length !== 1) refuse("expected exactly one of file, glob, env and command");
    if (kinds[0] === "command") return;
    for (const name of ["passEnv", "refreshMs"] as const) {
      if (entry[name] !== undefined) refuse(`${name} is for commands only`);
    }
  });
