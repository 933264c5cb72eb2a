// Every key of the core with its meaning and bounds.
import { isAbsolute } from "node:path";
import * as z from "zod";
import {
  customSourceEntrySchema,
  customSourceKeySchema,
  variableNameSchema,
} from "./custom-source-entry.ts";

// Schema of the `jobs` section.

const tokenCountSchema = z.int().min(0).max(1_000_000_000);

/** Validates the section `jobs`. */
const jobsSchema = z.strictObject({
  model: z
    .string()
    .regex(/^[^\s/]+\/\S+$/, 'expected "provider/model"')
    .nullable()
    .describe(
      "The model that background jobs call, as `provider/model`. null: OpenCode's small model. Without either, no job calls a model.",
    ),
  fallbacks: z
    .array(z.string().regex(/^[^\s/]+\/\S+$/, 'expected "provider/model"'))
    .max(8)
    .describe(
      "Models to try in turn when that model, or the one of an upkeep task, fails, as `provider/model`. If `historian.models` is set, the historian uses that list instead.",
    ),
  tokensPerDay: tokenCountSchema.describe(
    "How many tokens the jobs of one project may use within 24 hours, input and output together. 0: none.",
  ),
  tokensPerSession: tokenCountSchema.describe(
    "How many tokens the jobs of one session may use within 24 hours.",
  ),
});

// Schema of the `continuity` section, with custom workflows.

const sentenceSchema = z.string().min(1).max(400);

/** Accepts the name of a path below the project; the path may not lead out of it and is not a pattern. */
const relativePathSchema = z
  .string()
  .regex(
    /^(?!.*(?:^|\/)\.\.(?:\/|$))[^/\\\p{Cc}][^\\\p{Cc}]{0,199}$/u,
    'expected a relative path without ".."',
  );

const stageNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/, 'expected a name like "rfc-draft"');

const artifactSchema = z.strictObject({
  file: relativePathSchema,
  role: z.enum(["document", "tasks", "log", "notes"]),
  stage: stageNameSchema,
});

const stageSchema = z.strictObject({
  name: stageNameSchema,
  artifact: relativePathSchema,
  objective: sentenceSchema,
  step: sentenceSchema,
  next: sentenceSchema,
  /** The step to state while a task is open. */
  taskStep: sentenceSchema.optional(),
  taskNext: sentenceSchema.optional(),
  gate: sentenceSchema,
  done: z.array(sentenceSchema).max(20),
});

const workflowSchema = z
  .strictObject({
    type: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'expected a short name like "rfc"'),
    root: relativePathSchema,
    artifacts: z.array(artifactSchema).min(1).max(12),
    stages: z.array(stageSchema).min(1).max(12),
  })
  .refine(
    ({ artifacts, stages }) =>
      artifacts.every((one) => stages.some(({ name }) => name === one.stage)) &&
      stages.every((one) => artifacts.some(({ file }) => file === one.artifact)),
    "expected each artifact's stage to be one of the stages, and each stage's artifact to be one of the artifacts",
  );

/** Validates the section `continuity`. */
const continuitySchema = z.strictObject({
  enabled: z
    .boolean()
    .describe(
      "Whether a compaction gets a brief of the current work, and what its summary leaves out is added after it.",
    ),
  prompt: z
    .enum(["inject", "replace"])
    .describe(
      "`inject`: the brief is added to OpenCode's compaction prompt. `replace`: Session Runtime's own prompt, which contains the brief, replaces it.",
    ),
  workflows: z
    .array(workflowSchema)
    .max(12)
    .describe(
      "Your own workflows that keep their state in files, in addition to the built-in `spec` and `bug`. One of the same type replaces the built-in one. Sentences may contain {name}, {stage}, {task} and {batch}. See docs/continuity.md.",
    ),
});

/** A day in milliseconds. A timer holds at most 2^31 - 1 ms, and no setting needs longer than a day. */
const DAY_MS = 86_400_000;

const createDurationSchema = (atLeast: number, atMost: number) => z.int().min(atLeast).max(atMost);

/** Accepts absolute paths only, because the base of a relative one would be unclear. */
const absolutePathSchema = z
  .string()
  .refine(
    (path) => isAbsolute(path) || path.startsWith("~/"),
    'expected an absolute path, or one that begins with "~/"',
  )
  .nullable();

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const timeZoneSchema = z
  .string()
  .refine(isTimeZone, 'expected an IANA time zone, like "Europe/Lisbon"')
  .nullable();

/** Accepts `provider/model` as the host names them; `*` stands for any characters. */
const modelPatternSchema = z
  .string()
  .regex(/^[^\s/]+\/\S+$/, 'expected "provider/model", where * stands for any characters');

const perModelSchema = z.record(modelPatternSchema, z.record(z.string().min(1), z.unknown()));

const overlaySchema = z.record(
  variableNameSchema,
  z.string().refine((value) => !value.includes("\0"), "expected a text without NUL"),
);

/** The schema and description of every key; the defaults are in `defaults.ts`. */
export const coreKeySchemas = {
  enabled: z
    .boolean()
    .describe(
      "Whether Session Runtime does anything. When false, OpenCode's requests go out unchanged and nothing is stored.",
    ),
  epoch: z
    .strictObject({
      onModelSwitch: z
        .enum(["keep", "fold"])
        .describe(
          "What happens when the model is switched. `keep`: the Baseline and its updates stay, so that switching back finds the former model's cache. `fold`: a new Baseline begins, with the current context.",
        ),
    })
    .describe("When a session's frozen context is renewed."),
  recovery: z
    .enum(["ask", "auto", "off"])
    .describe(
      "What happens at startup to prompts that a crash or a kill left unsent or unanswered. `ask`: they are reported, and /ctx-resume continues. `auto`: the session continues by itself, unless a tool that may have changed something was interrupted. `off`: they are not looked for; /ctx-resume still works.",
    ),
  onUnavailable: z
    .enum(["omit", "block"])
    .describe(
      "What happens to a prompt while a required Context Source can't load. `omit`: it is sent without it. `block`: it is refused with an error, stays in the inbox and can be tried again.",
    ),
  date: z
    .strictObject({
      timeZone: timeZoneSchema.describe(
        "The IANA time zone that dates are given in, like `Europe/Lisbon`. null: the time zone of the machine.",
      ),
    })
    .describe("The date that the model gets."),
  observation: z
    .strictObject({
      timeoutMs: createDurationSchema(10, 60_000).describe(
        "How long a model call waits for a Context Source, in milliseconds. One that is late counts as unavailable: the model keeps what it knows, and the next call tries again.",
      ),
    })
    .describe("How Context Sources are observed."),
  sources: z
    .record(customSourceKeySchema, customSourceEntrySchema)
    .describe(
      "Context Sources of your own, by key, like `team/oncall`: a file, a glob, an environment variable or a command's output. In a project's file: files of the project only.",
    ),
  generation: perModelSchema.describe(
    "Generation controls by `provider/model` (`*` stands for any characters): temperature, topP, topK, maxOutputTokens.",
  ),
  requestOptions: perModelSchema.describe(
    "Request options in the provider's own terms by `provider/model` (`*` stands for any characters), like reasoningEffort or thinking.",
  ),
  environment: z
    .record(z.string().min(1).max(4096), overlaySchema)
    .describe(
      "Environment variables of shells and terminals, by directory or glob of directories. Read from the user's own config only.",
    ),
  instructions: z
    .strictObject({
      maxBytes: z
        .int()
        .min(1024)
        .max(16_777_216)
        .describe(
          "How much of one instruction file or URL is announced when it changes, in bytes. The rest of a larger one is left out, with a note in its place. A Baseline has all of it, as OpenCode renders it.",
        ),
      urlRefreshMs: createDurationSchema(1000, DAY_MS).describe(
        "How long a fetched instruction URL counts as current, in milliseconds. When fetching fails, the last good copy is kept.",
      ),
    })
    .describe("Instruction files and URLs."),
  continuity: continuitySchema.describe("What a compaction carries over of the current work."),
  jobs: jobsSchema.describe("Background jobs that call a model; no turn waits for them."),
  cache: z
    .strictObject({
      ttlMs: createDurationSchema(1000, DAY_MS).describe(
        "How long the provider keeps a cached prefix after its last use, in milliseconds. After a longer pause the cache counts as cold.",
      ),
      split: z
        .enum(["auto", "never"])
        .describe(
          "Whether the agent's own prompt and the Baseline are sent as two system texts. `auto`: where OpenCode gives each its own cache breakpoint. `never`: always as one text.",
        ),
    })
    .describe("The provider's prompt cache."),
  toolOutput: z
    .strictObject({
      enabled: z
        .boolean()
        .describe(
          "Whether oversized tool output is cut to its beginning and end, with its full text in a file. When false, OpenCode's own truncation applies.",
        ),
      maxLines: z
        .int()
        .min(16)
        .max(1_000_000)
        .nullable()
        .describe(
          "How many lines of one tool call's output go into history. null: OpenCode's `tool_output.max_lines`, which is also the upper limit.",
        ),
      maxBytes: z
        .int()
        .min(1024)
        .max(16_777_216)
        .nullable()
        .describe(
          "How much of one tool call's output goes into history, in UTF-8 bytes; whichever limit is reached first counts. null: OpenCode's `tool_output.max_bytes`, which is also the upper limit.",
        ),
    })
    .describe("The output of tools: what goes into history, and what is kept beside it."),
  notices: z
    .strictObject({
      toast: z
        .boolean()
        .describe(
          "Whether notices are shown in the terminal. When false, they are still in the log and in /ctx-status.",
        ),
    })
    .describe("Notices to the user when something goes wrong. Each one appears once."),
  log: z
    .strictObject({
      level: z
        .enum(["error", "warn", "info", "debug"])
        .describe("The least severe level that is written to the log."),
      path: absolutePathSchema.describe(
        "Absolute path of the log, or one that begins with `~/`. null: `runtime.log` beside the database. Read from the user's own config only.",
      ),
    })
    .describe("The log: JSON lines, without message texts or credentials."),
  lowering: z
    .enum(["wrapped", "native", "auto"])
    .describe(
      "How an update is sent. `auto`: in the provider's own instruction role at Anthropic's and OpenAI's own addresses, for models that accept it, else as text. `native`: the same at any address, and for OpenAI-compatible providers. `wrapped`: always as text after the user's input. What was sent keeps its form.",
    ),
  storage: z
    .strictObject({
      path: absolutePathSchema.describe(
        "Absolute path of the database, or one that begins with `~/`. null: `session-runtime/runtime.db` in the user's data folder. Read from the user's own config only.",
      ),
    })
    .describe("The database of epochs, updates and provider turns."),
};

type ConfigValues = z.output<z.ZodObject<typeof coreKeySchemas>>;

/** Holds the effective configuration; features read their own sections through `selectSettings`. */
export type Config = { readonly [Section in keyof ConfigValues]: Readonly<ConfigValues[Section]> };
