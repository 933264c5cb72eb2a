import { expect, test } from "bun:test";
import fc from "fast-check";
import { isDialogue } from "../../src/history/results.ts";
import { listWork } from "../../src/history/work.ts";
import type { Edit } from "../../src/ledger/edit.ts";
import { type HostMessage, isSent } from "../../src/ledger/message.ts";
import { replay } from "../../src/ledger/replay.ts";
import { isSyntheticPart } from "../../src/ledger/revise.ts";
import { type LooseEdit, looseMessage, nameMessages, words } from "../ledger/arbitrary.ts";
import {
  assistant,
  done,
  fold,
  ignored,
  ledger,
  reasoning,
  text,
  user,
} from "../ledger/history.ts";

const work: fc.Arbitrary<LooseEdit> = words.map(
  (word) => (id) => assistant(id, text(word), done("c1", word)),
);
/** The answer of a call that failed: the host doesn't send it. */
const refused = ({ info, parts }: HostMessage) =>
  ({ parts, info: { ...info, error: { name: "APIError" } } }) as HostMessage;

/** Messages for which the host sends nothing. */
const silent = fc.constantFrom<LooseEdit>(
  (id) => assistant(id),
  (id) => assistant(id, { type: "step-start" }),
  (id) => assistant(id, reasoning("I think.")),
  (id) => refused(assistant(id, text("I look."))),
  (id) => refused(assistant(id, text("I look."), done("c1", "ok"))),
  (id) => user(id),
  (id) => user(id, ignored("a note")),
);
const closing: fc.Arbitrary<LooseEdit> = words.map((word) => (id) => assistant(id, text(word)));

const histories = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: work },
      { weight: 2, arbitrary: closing },
      {
        weight: 2,
        arbitrary: words.map(
          (word): LooseEdit =>
            (id) =>
              user(id, text(word)),
        ),
      },
      { weight: 2, arbitrary: silent },
      { weight: 1, arbitrary: looseMessage },
    ),
    { maxLength: 16 },
  )
  .map((loose) => [user("u", text("begin")), ...nameMessages(loose)]);

/** How often a user's message follows another in what a provider gets. */
function doubles(messages: readonly HostMessage[]): number {
  const roles = messages.filter(isSent).map(({ info }) => info.role);
  return roles.filter((role, at) => role === "user" && roles[at - 1] === "user").length;
}

/** A history, and which stretches of its work have a record. */
const folded = fc.tuple(
  histories,
  fc.infiniteStream(fc.boolean()),
  fc.nat(3),
  fc.integer({ min: 4, max: 20 }),
);

type FoldedHistory = typeof folded extends fc.Arbitrary<infer Value> ? Value : never;

function recordsIn([messages, chosen, first, last]: FoldedHistory): readonly Edit[] {
  const messageIdAt = (at: number) => messages[at]?.info.id ?? "";
  return listWork(messages, { first, last: Math.min(last, messages.length - 1) })
    .filter(() => chosen.next().value)
    .map((stretch) =>
      fold(messageIdAt(stretch.first), messageIdAt(stretch.last), `record of ${stretch.first}`),
    );
}

test("records of work put no user's message behind another that the host did not put there", () => {
  let records = 0;
  fc.assert(
    fc.property(folded, (some) => {
      const [messages] = some;
      const edits = recordsIn(some);
      records += edits.length;
      const sent = replay(ledger(...edits), messages);
      expect(doubles(sent)).toBeLessThanOrEqual(doubles(messages));
      const parts = sent.flatMap((message) => message.parts);
      expect(parts.filter(isSyntheticPart)).toHaveLength(edits.length);
    }),
    { numRuns: 3_000 },
  );
  expect(records).toBeGreaterThan(1_000);
});

test("the words stay in their order, in their own messages and as the same parts", () => {
  fc.assert(
    fc.property(folded, (some) => {
      const [messages] = some;
      const sent = replay(ledger(...recordsIn(some)), messages);
      const listSaidParts = (some: readonly HostMessage[]) =>
        some
          .filter(isDialogue)
          .map(({ info, parts }) => [info.id, ...parts.filter((part) => !isSyntheticPart(part))])
          .filter(([, ...parts]) => parts.length > 0);
      expect(listSaidParts(sent)).toEqual(listSaidParts(messages));
    }),
    { numRuns: 1_000 },
  );
});
