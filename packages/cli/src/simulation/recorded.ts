// A recorded session: what a model did, by size, kind, time and use; no words.
// Folder: A recorded session played through history's policies without a host: what it would cost; pure.
import * as z from "zod";

const count = z.number().int().nonnegative();

const call = z.object({
  /** The host's name, or `other`. */
  tool: z.string(),
  /** Equal for calls about the same file, command, pattern or address. */
  target: count,
  /** A read's offset. */
  from: count.optional(),
  /** Characters of the arguments as JSON. */
  chars: count,
  /** Number of its result, counted over the session. */
  result: count,
  resultChars: count,
  failed: z.boolean().optional(),
});

const step = z.object({
  /** Seconds since the session's first step; not there: nobody knows. */
  s: z.number().nonnegative().optional(),
  /** Characters of the words said. */
  chars: count,
  /** Made at once. */
  calls: z.array(call),
  /** Numbers of the results that the step used. */
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
/** One call of the model. */
export type RecordedStep = z.infer<typeof step>;
export type RecordedCall = z.infer<typeof call>;

/** One session a line, as JSON. @throws ZodError, SyntaxError */
export function readRecorded(lines: string): readonly RecordedSession[] {
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => session.parse(JSON.parse(line)));
}

/** What the user says where the record goes on after a step that called nothing. */
const GO_ON_CHARS = 6;

/** As a host plays them: a step without calls ends its turn. */
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

/** By number. */
export function callsByResult(recorded: RecordedSession): ReadonlyMap<number, RecordedCall> {
  const calls = listSteps(recorded).flatMap((one) => one.calls);
  return new Map(calls.map((one) => [one.result, one]));
}
