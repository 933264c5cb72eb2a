// Reads a model's answer: JSON, wherever it appears in the text. Pure.
import * as z from "zod";

const refSchema = z.string().min(1).max(40);
const textSchema = z.string().min(1).max(4_000);
const reasonSchema = z.string().max(2_000).default("");

const proposedActionSchema = z.discriminatedUnion("do", [
  z.object({
    do: z.literal("merge"),
    refs: z.array(refSchema).min(2).max(40),
    text: textSchema,
    why: reasonSchema,
  }),
  z.object({ do: z.literal("supersede"), ref: refSchema, by: refSchema, why: reasonSchema }),
  z.object({
    do: z.literal("archive"),
    ref: refSchema,
    why: reasonSchema,
    path: z.string().max(400).default(""),
    quote: z.string().max(2_000).default(""),
  }),
  z.object({
    do: z.literal("rewrite"),
    ref: refSchema,
    text: textSchema,
    why: reasonSchema,
    path: z.string().max(400).default(""),
    quote: z.string().max(2_000).default(""),
  }),
  z.object({ do: z.literal("checked"), ref: refSchema, why: reasonSchema }),
  z.object({
    do: z.literal("document"),
    path: z.string().max(400),
    find: textSchema,
    why: reasonSchema,
    replace: z.string().max(8_000),
  }),
]);

/** An action that a model proposes; only its form has been checked. */
export type ProposedAction = z.infer<typeof proposedActionSchema>;

type AnswerReading =
  | {
      readonly kind: "read";
      readonly said: readonly ProposedAction[];
      /** The number of items that were not in the required format. */
      readonly unreadable: number;
    }
  | { readonly kind: "unreadable"; readonly problem: string };

/** The longest answer that is read; a longer one is not what was asked for. */
const MAX_ANSWER_CHARS = 200_000;
const MAX_ACTIONS = 400;

const envelopeSchema = z.object({ proposals: z.array(z.unknown()).max(MAX_ACTIONS) });

export function parseAnswer(answer: string): AnswerReading {
  if (answer.length > MAX_ANSWER_CHARS) return createUnreadableAnswer("The answer is too long.");
  const [from, to] = [answer.indexOf("{"), answer.lastIndexOf("}")];
  if (from < 0 || to < from) return createUnreadableAnswer("There is no JSON object.");
  const parsed = envelopeSchema.safeParse(parseJson(answer.slice(from, to + 1)));
  if (!parsed.success)
    return createUnreadableAnswer('It is not JSON of the form {"proposals": […]}.');
  const things = parsed.data.proposals.map((one) => proposedActionSchema.safeParse(one));
  const read = things.flatMap((one) => (one.success ? [one.data] : []));
  return { kind: "read", said: read, unreadable: things.length - read.length };
}

function createUnreadableAnswer(problem: string): AnswerReading {
  return { kind: "unreadable", problem };
}

/** Parses a text as JSON; undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
