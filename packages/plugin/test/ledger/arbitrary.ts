import fc from "fast-check";
import type { Edit } from "../../src/ledger/edit.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import {
  assistant,
  done,
  failed,
  fold,
  ignored,
  image,
  insert,
  interrupted,
  type LoosePart,
  omit,
  open,
  providerExecuted,
  pruned,
  reasoning,
  replace,
  restore,
  synthetic,
  text,
  user,
  withImage,
} from "./history.ts";

/** Few words, so that what is inserted often stands there already. */
export const words = fc.constantFrom("alpha", "beta", "gamma");

const userPart: fc.Arbitrary<LoosePart> = fc.oneof(
  { weight: 4, arbitrary: words.map(text) },
  { weight: 2, arbitrary: words.map(synthetic) },
  words.map(ignored),
  fc.constantFrom<LoosePart>(text(""), image("x"), { type: "compaction" }, { type: "subtask" }),
);

const results = [done, failed, pruned, withImage, interrupted, providerExecuted] as const;

const toolPart: fc.Arbitrary<LoosePart> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...results), fc.nat(99), words)
    .map(([make, call, word]) => make(`c${call}`, word)),
  fc.constantFrom(open("c1", "pending"), open("c2", "running")),
);

const assistantPart: fc.Arbitrary<LoosePart> = fc.oneof(
  { weight: 2, arbitrary: words.map(text) },
  { weight: 2, arbitrary: toolPart },
  words.map(reasoning),
);

const stepParts = fc
  .array(assistantPart, { minLength: 1, maxLength: 3 })
  .filter((parts) => parts.at(-1)?.type !== "reasoning")
  .map((parts): readonly LoosePart[] => [
    { type: "step-start" },
    ...parts,
    { type: "step-finish" },
  ]);

/** A message whose id is still to be given, as the host would append it. */
export type LooseEdit = (id: string) => HostMessage;

const userMessage: fc.Arbitrary<LooseEdit> = fc
  .array(userPart, { maxLength: 3 })
  .map((parts) => (id) => user(id, ...parts));

const assistantMessage: fc.Arbitrary<LooseEdit> = stepParts.map(
  (parts) => (id) => assistant(id, ...parts),
);

export const looseMessage = fc.oneof(userMessage, assistantMessage);

export function nameMessages(loose: readonly LooseEdit[], from = 0): readonly HostMessage[] {
  return loose.map((make, index) => make(`m${from + index}`));
}

/** A history as a provider takes it: the user's words come first. Ids say nothing about order. */
export const history: fc.Arbitrary<readonly HostMessage[]> = fc
  .tuple(
    fc.array(
      words.map(
        (word): LooseEdit =>
          (id) =>
            user(id, ignored(word)),
      ),
      { maxLength: 1 },
    ),
    fc.tuple(words, fc.array(userPart, { maxLength: 2 })),
    fc.array(looseMessage, { maxLength: 8 }),
    fc.nat(9),
  )
  .map(([hidden, [word, more], rest, turn]) => {
    const first: LooseEdit = (id) => user(id, text(word), ...more);
    const loose = [...hidden, first, ...rest];
    return loose.map((make, index) => make(`m${(index + turn) % loose.length}`));
  });

/** Places in and beside such histories. */
const messageId = fc.nat(11).map((rank) => `m${rank}`);
const partId = fc.tuple(messageId, fc.nat(5)).map(([message, rank]) => `${message}.${rank}`);

export const insertEdit: fc.Arbitrary<Edit> = fc
  .tuple(fc.oneof(messageId, partId), words)
  .map(([place, word]) => insert(place, word));

export const edit: fc.Arbitrary<Edit> = fc.oneof(
  insertEdit,
  fc.tuple(partId, words).map(([place, word]) => replace(place, word)),
  partId.map(omit),
  fc.tuple(messageId, messageId, words).map(([first, last, word]) => fold(first, last, word)),
  fc
    .tuple(messageId, messageId, words)
    .map(([first, last, word]) => ({ ...fold(first, last, word), joins: "prompt" }) as const),
  fc.tuple(partId, fc.constantFrom("kept", "free")).map(([place, hold]) => restore(place, hold)),
);
