// Schema of the `continuity` section, with custom workflows.
import * as z from "zod";

const sentence = z.string().min(1).max(400);

/** Accepts a path below the project by name, which may not lead out of it and is not a pattern. */
const inside = z
  .string()
  .regex(
    /^(?!.*(?:^|\/)\.\.(?:\/|$))[^/\\\p{Cc}][^\\\p{Cc}]{0,199}$/u,
    'expected a relative path without ".."',
  );

const stageName = z
  .string()
  .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/, 'expected a name like "rfc-draft"');

const artifact = z.strictObject({
  file: inside,
  role: z.enum(["document", "tasks", "log", "notes"]),
  stage: stageName,
});

const stage = z.strictObject({
  name: stageName,
  artifact: inside,
  objective: sentence,
  step: sentence,
  next: sentence,
  /** The step to state while a task is open. */
  taskStep: sentence.optional(),
  taskNext: sentence.optional(),
  gate: sentence,
  done: z.array(sentence).max(20),
});

const workflow = z
  .strictObject({
    type: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'expected a short name like "rfc"'),
    root: inside,
    artifacts: z.array(artifact).min(1).max(12),
    stages: z.array(stage).min(1).max(12),
  })
  .refine(
    ({ artifacts, stages }) =>
      artifacts.every((one) => stages.some(({ name }) => name === one.stage)) &&
      stages.every((one) => artifacts.some(({ file }) => file === one.artifact)),
    "expected each artifact's stage to be one of the stages, and each stage's artifact to be one of the artifacts",
  );

/** Validates the section `continuity`. */
export const continuitySchema = z.strictObject({
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
    .array(workflow)
    .max(12)
    .describe(
      "Your own workflows that keep their state in files, in addition to the built-in `spec` and `bug`. One of the same type replaces the built-in one. Sentences may contain {name}, {stage}, {task} and {batch}. See docs/continuity.md.",
    ),
});
