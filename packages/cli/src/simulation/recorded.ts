// Defines a recorded session: what a model did, by size, kind, time and use, without words.
// Folder: Plays a recorded session through history's policies without a host, and computes its cost; pure.
import * as z from "zod";

const count = z.number().int().nonnegative();

const call = z.object({
  /** The host's name of the tool, or `other`. */
  tool: z.string(),
  /** Equal for calls about the same file, command, pattern or address. */
  target: count,
  /** A read's offset. */
  from: count.optional(),
  /** The number of characters of the arguments as JSON. */
  chars: count,
  /** The number of the call's result, counted over the session. */
  result: count,
  resultChars: count,
  failed: z.boolean().optional(),
});

const step = z.object({
  /** The seconds since the session's first step; missing where unknown. */
  s: z.number().nonnegative().optional(),
  /** The number of characters of the words said. */
  chars: count,
  /** The calls that the step made at once. */
  calls: z.array(call),
  /** The numbers of the results that the step used. */
  needs: z.array(count),
});

const session = z.object({
  session: z.string(),
  model: z.string(),
  harness: z.string(),
  turns: z.array(z.object({ chars: count, steps: z.array(step) })),
});

export type RecordedSession = z.infer<typeof session>;
export type RecordedTurn = RecordedSession["turns"][number];
/** Describes one call of the model: its words, its tool calls and the results that it used. */
export type RecordedStep = z.infer<typeof step>;
export type RecordedCall = z.infer<typeof call>;

/** Reads sessions from JSON, one per line. @throws ZodError, SyntaxError */
export function readRecorded(lines: string): readonly RecordedSession[] {
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => session.parse(JSON.parse(line)));
}

/** The length of the made-up prompt where the record continues after a step without calls. */
const GO_ON_CHARS = 6;

/** Returns the turns as a host plays them: a step without calls ends its turn. */
export function listTurns({ turns }: RecordedSession): readonly RecordedTurn[] {
  return turns.flatMap(({ chars, steps }) => {
    const ends = steps.flatMap(({ calls }, at) => (calls.length === 0 ? [at + 1] : []));
    const starts = [0, ...ends.filter((end) => end < steps.length)];
    return starts.map((from, at) => ({
      chars: at === 0 ? chars : GO_ON_CHARS,
      steps: steps.slice(from, starts[at + 1]),
    }));
  });
}

export function listSteps({ turns }: RecordedSession): readonly RecordedStep[] {
  return turns.flatMap(({ steps }) => steps);
}

/** Returns the calls by the number of their result. */
export function callsByResult(recorded: RecordedSession): ReadonlyMap<number, RecordedCall> {
  const calls = listSteps(recorded).flatMap((one) => one.calls);
  return new Map(calls.map((one) => [one.result, one]));
}
