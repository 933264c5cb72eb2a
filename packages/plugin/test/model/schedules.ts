import fc from "fast-check";
import type { Setting } from "./host-process.ts";
import type { Schedule } from "./run.ts";
import type { CallOptions, Fault, Slot, Step } from "./steps.ts";
import { type Change, places } from "./world.ts";

const slot = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Slot>(0) },
  { weight: 1, arbitrary: fc.constant<Slot>(1) },
);

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      of: fc.constant("file" as const),
      place: fc.constantFrom(...places),
      state: fc.constantFrom(1, 2, 3, 0, "missing" as const, "unreadable" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      of: fc.constantFrom("references" as const, "mcp" as const, "skills" as const),
      version: fc.constantFrom(1, 2, null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant("catalogue" as const),
      state: fc.constantFrom("up" as const, "down" as const),
    }),
  },
);

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("error" as const), atCall: fc.integer({ min: 1, max: 12 }) }),
  fc.record({
    kind: fc.constant("crash" as const),
    atCall: fc.integer({ min: 1, max: 16 }),
    strikes: fc.constantFrom("before" as const, "after" as const),
  }),
  fc.constant({ kind: "kill" as const }),
);

function seldom<T>(arbitrary: fc.Arbitrary<T>, otherwise: T, one = 6): fc.Arbitrary<T> {
  return fc.oneof({ weight: one - 1, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary });
}

const call: fc.Arbitrary<CallOptions> = fc.record({
  outcome: fc.constantFrom("answer", "bash", "sub", "deep", "fail", "abort"),
  retries: seldom(fc.constant(1), 0),
  title: seldom(fc.constant(true), false),
  pushed: seldom(fc.constant(true), false, 10),
  full: seldom(fc.constant(true), false),
  worth: seldom(fc.constant(true), false),
  meanwhile: seldom(change, null),
  fault: seldom<Fault | null>(fault, null, 8),
});

const HOUR_MS = 3_600_000;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant("prompt" as const),
      slot,
      agent: seldom(fc.constant("plan" as const), "build" as const, 3),
      model: seldom(fc.constant("gpt" as const), "opus" as const, 4),
      own: seldom(fc.constant("Be brief."), null),
      call,
    }),
  },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("go on" as const), slot, call }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("change" as const), change }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(60_000, 600_000, 24 * HOUR_MS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("other process" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("undo" as const),
      slot,
      prompts: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("compact" as const),
      slot,
      tail: fc.integer({ min: 0, max: 4 }),
      outcome: seldom(fc.constantFrom("fails" as const, "dies" as const), "done" as const, 3),
      goesOn: fc.boolean(),
      title: seldom(fc.constant(true), false),
      call,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("move" as const), slot }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fork" as const), slot }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("prune" as const), slot }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("propose" as const),
      slot,
      urgency: fc.constantFrom("command" as const, "waits" as const),
      result: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), slot }) },
);

const setting: fc.Arbitrary<Setting> = fc.record({
  onModelSwitch: seldom(fc.constant("fold" as const), "keep" as const, 4),
  hostPrune: fc.constantFrom("on" as const, "off" as const),
  history: fc.constantFrom(
    "nothing" as const,
    "drops" as const,
    "omits" as const,
    "folds" as const,
    "keeps" as const,
  ),
  loadOrder: fc.constant(0),
  configured: fc.constant([]),
});

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  setting,
  steps: fc.array(step, { minLength: 2, maxLength: 32, size: "max" }),
});
