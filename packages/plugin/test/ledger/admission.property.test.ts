import { expect, test } from "bun:test";
import fc from "fast-check";
import { isAdmissible } from "../../src/ledger/admission.ts";
import { type Boundary, findWatermark } from "../../src/ledger/boundary.ts";
import type { Edit, LedgerEdit } from "../../src/ledger/edit.ts";
import type { HostMessage } from "../../src/ledger/message.ts";
import { replay } from "../../src/ledger/replay.ts";
import { type LooseEdit, looseMessage, words } from "./arbitrary.ts";
import { fold, insert, omit, replace, synthetic, text, user } from "./history.ts";
import { wire } from "./wire.ts";

/** An edit at places counted from the end of the history, where most of what matters happens. */
const draft = fc.record({
  verb: fc.constantFrom("insert", "insert into message", "replace", "omit", "fold"),
  back: fc.nat(4),
  rank: fc.nat(4),
  word: words,
});

type Draft = typeof draft extends fc.Arbitrary<infer Value> ? Value : never;

function draftEdit({ verb, back, rank, word }: Draft, messages: readonly HostMessage[]): Edit {
  const messageId = messages.at(-1 - back)?.info.id ?? "none";
  const partId = `${messageId}.${rank}`;
  switch (verb) {
    case "insert":
      return insert(partId, word);
    case "replace":
      return replace(partId, word);
    case "omit":
      return omit(partId);
    case "fold":
      return fold(messages.at(-1 - back - rank)?.info.id ?? "none", messageId, word);
    default:
      return insert(messageId, word);
  }
}

interface Step {
  readonly appended: readonly LooseEdit[];
  /** Whether the host reminds the newest user message of this step, as long as it is the newest. */
  readonly reminder: string | null;
  readonly drafts: readonly Draft[];
  readonly boundary: Boundary;
}

// A user message of one synthetic text alone can be taken for an insert behind the assistant's
// message before it. These schedules have no such messages, because their few words would be equal.
const appended = looseMessage.filter((make) => {
  const [part] = make("m").parts;
  return part !== undefined && !("synthetic" in part);
});

const steps = fc.array(
  fc.record<Step>({
    appended: fc.array(appended, { maxLength: 3 }),
    reminder: fc.option(words),
    drafts: fc.array(draft, { maxLength: 4 }),
    boundary: fc.oneof(
      { weight: 4, arbitrary: fc.constant<Boundary>({ kind: "ordinary" }) },
      fc.constant<Boundary>({ kind: "command" }),
    ),
  }),
  { minLength: 1, maxLength: 10 },
);

interface Call {
  readonly boundary: Boundary;
  readonly blocks: readonly string[];
}

/** A session: the host appends, its reminder comes and goes, and admissible edits join the ledger. */
class Session {
  #stored: readonly HostMessage[] = [];
  #ledger: readonly LedgerEdit[] = [];
  readonly #sentIds = new Set<string>();
  /** What the newest user message is reminded of, in memory only. */
  #reminder: { readonly messageId: string; readonly text: string } | null = null;

  step({ appended, reminder, drafts, boundary }: Step): Call {
    this.#append(appended, reminder);
    const messages = this.#seen();
    const mark = findWatermark(messages, this.#sentIds);
    for (const edit of [...this.#held(), ...drafts.map((it) => draftEdit(it, this.#stored))]) {
      if (!isAdmissible(edit, { messages, watermark: mark, boundary })) continue;
      this.#ledger = [...this.#ledger, { seq: this.#ledger.length + 1, edit }];
    }
    for (const { info } of messages) this.#sentIds.add(info.id);
    return { boundary, blocks: wire(replay(this.#ledger, messages)) };
  }

  #append(appended: readonly LooseEdit[], reminder: string | null): void {
    const first: readonly LooseEdit[] =
      this.#stored.length > 0 ? [] : [(id) => user(id, text("go"))];
    const added = [...first, ...appended].map((make, index) =>
      make(`m${this.#stored.length + index}`),
    );
    this.#stored = [...this.#stored, ...added];
    const newest = added.findLast(({ info }) => info.role === "user");
    if (!newest) return;
    this.#reminder = reminder === null ? null : { messageId: newest.info.id, text: reminder };
  }

  /** What the host gives the hook: its reminder is another part each time. */
  #seen(): readonly HostMessage[] {
    return this.#stored.map((message) => {
      if (message.info.id !== this.#reminder?.messageId) return message;
      const [part] = user(message.info.id, synthetic(this.#reminder.text)).parts;
      const id = `random-${this.#sentIds.size}-${this.#ledger.length}`;
      return { ...message, parts: [...message.parts, ...(part ? [{ ...part, id }] : [])] };
    });
  }

  /** The reminder as an insert, when its message is first sent. */
  #held(): readonly Edit[] {
    if (this.#reminder === null || this.#sentIds.has(this.#reminder.messageId)) return [];
    const { messageId, text: words } = this.#reminder;
    const message = this.#stored.find(({ info }) => info.id === messageId);
    return [insert(message?.parts.at(-1)?.id ?? messageId, words)];
  }
}

test("I1: between boundaries each call begins with the one before, whatever admissible edits join", () => {
  let warm = 0;
  fc.assert(
    fc.property(steps, (schedule) => {
      const session = new Session();
      let before: readonly string[] = [];
      for (const step of schedule) {
        const { boundary, blocks } = session.step(step);
        if (boundary.kind === "ordinary") {
          warm++;
          expect(blocks.slice(0, before.length)).toEqual([...before]);
        }
        before = blocks;
      }
    }),
    { numRuns: 3000 },
  );
  expect(warm).toBeGreaterThan(3000);
});
