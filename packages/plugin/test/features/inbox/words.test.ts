import { describe, expect, test } from "bun:test";
import type { InterruptionCounts, Outcome, Step } from "../../../src/features/inbox/plan.ts";
import type { InputRecord } from "../../../src/features/inbox/records.ts";
import {
  describeFindings,
  describeHold,
  describeOutcome,
  QUEUE_USAGE,
  RESUME_HINT,
  renderQueue,
} from "../../../src/features/inbox/words.ts";

const none: InterruptionCounts = {
  unsaved: 0,
  unanswered: 0,
  swallowed: 0,
  waiting: 0,
  tools: [],
  unread: 0,
};

describe("what an interruption has left", () => {
  const rows: readonly (readonly [Partial<InterruptionCounts>, string])[] = [
    [{ unsaved: 1 }, "1 prompt never reached the conversation."],
    [{ unanswered: 2 }, "2 prompts without an answer."],
    [{ swallowed: 1 }, "1 prompt that a compaction marked as answered."],
    [{ waiting: 3 }, "3 prompts waiting in the queue."],
    [
      { unsaved: 2, waiting: 1 },
      "2 prompts never reached the conversation, 1 prompt waiting in the queue.",
    ],
    [
      { unanswered: 1, tools: ["bash", "edit"] },
      "1 prompt without an answer. Cut off in the middle: bash, edit; the model sees this, and their effects remain.",
    ],
  ];
  test.each(rows)("%j", (findings, words) => {
    expect(describeFindings({ ...none, ...findings })).toBe(words);
  });
});

describe("why nothing is sent by itself", () => {
  const rows = [
    [
      "interrupted",
      0,
      `The turn was interrupted: nothing more is sent automatically. ${RESUME_HINT}`,
    ],
    [
      "failed",
      1,
      `The last turn failed: nothing more is sent automatically. 1 prompt waits in the queue. ${RESUME_HINT}`,
    ],
    ["unfinished", 2, `A prompt is without an answer. 2 prompts wait in the queue. ${RESUME_HINT}`],
    ["unsent", 1, `1 prompt waiting in the queue. ${RESUME_HINT}`],
  ] as const;
  test.each(rows)("%s, and %d waiting", (why, waiting, words) => {
    expect(describeHold(why, { ...none, waiting })).toBe(words);
  });
});

describe("the queue as a list", () => {
  const row = (preview: string, state: InputRecord["state"] = "waiting") =>
    ({ preview, state }) as InputRecord;

  test("has places from 1 on, and says how many more there are", () => {
    expect(renderQueue([row("one"), row("two")], 3, [])).toBe(
      `3 prompts in the queue:\n   1  one\n   2  two\n      … and 1 more\n\n${QUEUE_USAGE}`,
    );
    expect(renderQueue([row("one")], 1, [])).toBe(
      `1 prompt in the queue:\n   1  one\n\n${QUEUE_USAGE}`,
    );
  });

  test("says that it is empty, and what was turned back", () => {
    const working = [row("a", "refused"), row("b", "handed")];
    expect(renderQueue([], 0, working)).toBe(
      `The queue is empty.\n1 prompt refused; /ctx-resume tries again.\n\n${QUEUE_USAGE}`,
    );
  });
});

describe("what going on came to", () => {
  const looked = (step: Step, findings: Partial<InterruptionCounts> = {}): Outcome => ({
    ...step,
    found: { ...none, ...findings },
  });
  const nothing = "Nothing to continue: every prompt of this session is answered, and none waits.";
  const underWay =
    "A prompt is already on its way into the session. Try again in a few seconds if nothing happens.";
  const rows: readonly (readonly [Outcome["kind"], Outcome, string])[] = [
    ["nothing", { kind: "nothing" }, nothing],
    ["rest", looked({ kind: "rest" }), nothing],
    ["rest", looked({ kind: "rest" }, { waiting: 1 }), underWay],
    ["rest", looked({ kind: "rest" }, { unsaved: 1 }), underWay],
    ["rest", looked({ kind: "rest" }, { unanswered: 1 }), underWay],
    ["rest", looked({ kind: "rest" }, { waiting: 1, unsaved: 1 }), underWay],
    ["rest", looked({ kind: "rest" }, { unsaved: 1, unanswered: 1 }), underWay],
    ["hold", looked({ kind: "hold", why: "failed" }), describeHold("failed", none)],
    [
      "promote",
      looked({ kind: "promote" }, { waiting: 2 }),
      "Continuing: the next of 2 prompts in the queue is sent now, the others follow one by one.",
    ],
    ...(["send", "replace"] as const).map(
      (kind) =>
        [
          kind,
          looked({ kind, inputs: [] }, { unsaved: 1 }),
          "Continuing: 1 prompt never reached the conversation. Nothing is sent twice.",
        ] as const,
    ),
  ];
  test.each(rows)("%s", (kind, drive, words) => {
    expect(describeOutcome(drive)).toBe(words);
    expect(drive.kind).toBe(kind);
  });

  test("an undo that can be taken back is said to be in the way", () => {
    expect(describeOutcome({ kind: "undone", found: none })).toContain(
      "The undone messages can still be redone",
    );
  });
});

test("the usage of /ctx-queue names every change", () => {
  for (const words of [
    "/ctx-queue TEXT ",
    "edit N TEXT",
    "drop N ",
    "drop all",
    "move N M",
    "-- TEXT",
  ])
    expect(QUEUE_USAGE).toContain(words);
});
