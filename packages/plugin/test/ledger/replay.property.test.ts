import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Edit, editSchema, type LedgerEdit } from "../../src/ledger/edit.ts";
import { type HostMessage, hasSentContent, isSent, isTool } from "../../src/ledger/message.ts";
import { holdPruned } from "../../src/ledger/prune.ts";
import { project, replay } from "../../src/ledger/replay.ts";
import { edit, history, insertEdit } from "./arbitrary.ts";
import { deepFreeze, insert, ledger } from "./history.ts";
import { wire } from "./wire.ts";

const edits = fc.array(edit, { maxLength: 10 }).map((drafts) => ledger(...drafts));
const runs = { numRuns: 2000 };

function check(property: (edits: readonly LedgerEdit[], messages: readonly HostMessage[]) => void) {
  fc.assert(fc.property(edits, history, property), runs);
}

test("replay is total, changes nothing that it is given, and gives the same each time", () => {
  check((ledgerEdits, messages) => {
    deepFreeze(ledgerEdits);
    deepFreeze(messages);
    expect(replay(ledgerEdits, messages)).toEqual(replay(ledgerEdits, structuredClone(messages)));
  });
});

test("a message that no standing edit names passes by reference", () => {
  check((ledgerEdits, messages) => {
    const named = new Set(ledgerEdits.flatMap((entry) => namedBy(entry.edit)));
    const sent = new Set(replay(ledgerEdits, messages));
    const isFolded = ledgerEdits.some((entry) => entry.edit.verb === "fold");
    const inserts = ledgerEdits.some((entry) => entry.edit.verb === "insert");
    for (const message of messages) {
      // What follows on an answer without a result is said with what the user says next.
      if (inserts && message.info.role === "user") continue;
      if (!named.has(message.info.id) && !isFolded) expect(sent.has(message)).toBe(true);
    }
  });
});

test("I18: edits whose places are missing give back the host's own array", () => {
  check((ledgerEdits, messages) => {
    const elsewhere = messages.map((message) => {
      return { ...message, info: { ...message.info, id: `${message.info.id}'` } };
    });
    const projection = project(ledgerEdits, elsewhere);
    expect(projection.messages).toBe(elsewhere);
    expect(projection.dormant.size).toBe(ledgerEdits.length);
  });
});

test("I18: dormant edits change nothing: those that stand give the same alone", () => {
  check((ledgerEdits, messages) => {
    const { dormant } = project(ledgerEdits, messages);
    const alone = ledgerEdits.filter(({ seq }) => !dormant.has(seq));
    expect(replay(alone, messages)).toEqual(replay(ledgerEdits, messages));
    expect(project(alone, messages).dormant.size).toBe(0);
  });
});

test("I19: calls keep their results, no message is emptied, the first is the user's", () => {
  check((ledgerEdits, messages) => {
    const sent = replay(ledgerEdits, messages);
    expect(wire(sent)[0]).toStartWith("user");
    const given = new Map(messages.map((message) => [message.info.id, message]));
    const states = new Map(messages.flatMap(toolStates));
    for (const message of sent) {
      for (const [id, status] of toolStates(message)) expect(status).toBe(states.get(id) ?? "none");
      expect(message.parts.at(-1)?.type).not.toBe("reasoning");
      const showed = given.get(message.info.id)?.parts.some(hasSentContent) ?? true;
      if (showed) expect(message.parts.some(hasSentContent)).toBe(true);
    }
  });
});

test("I19: no two of the user's messages stand in a row where the host has none", () => {
  const local = edit.filter(({ verb }) => verb === "insert" || verb === "replace");
  const drafted = fc.array(fc.oneof(insertEdit, local), { maxLength: 10 });
  fc.assert(
    fc.property(drafted, history, (drafts, messages) => {
      // What the host pushes into an empty message makes it one that is sent, and is held there.
      const empty = messages.filter(
        ({ info, parts }) => info.role === "user" && !parts.some(hasSentContent),
      );
      const ids = new Set(empty.map(({ info }) => info.id));
      const kept = drafts.filter((draft) => namedBy(draft).every((id) => !ids.has(id)));
      const ledgerEdits = ledger(...kept);
      expect(rowsOfUsers(replay(ledgerEdits, messages))).toBeLessThanOrEqual(rowsOfUsers(messages));
    }),
    runs,
  );
});

test("I4: an insert that stands is sent exactly once, one that is dormant never", () => {
  const distinct = fc.array(edit, { maxLength: 10 }).map((drafts) => {
    const named = drafts.map((draft, index) =>
      draft.verb === "insert" ? { ...draft, text: `note ${index + 1}` } : draft,
    );
    return ledger(...named);
  });
  fc.assert(
    fc.property(distinct, history, (ledgerEdits, messages) => {
      const { messages: sent, dormant } = project(ledgerEdits, messages);
      const blocks = wire(sent);
      for (const entry of ledgerEdits) {
        if (entry.edit.verb !== "insert") continue;
        const { text } = entry.edit;
        const count = blocks.filter(
          (it) => it === `user: ${text}` || it === `added: ${text}`,
        ).length;
        expect(count).toBe(dormant.has(entry.seq) ? 0 : 1);
      }
    }),
    runs,
  );
});

test("I4: inserts over a history where they stand already add nothing", () => {
  const inserts = fc.array(insertEdit, { maxLength: 10 }).map((drafts) => ledger(...drafts));
  fc.assert(
    fc.property(inserts, history, (ledgerEdits, messages) => {
      const once = replay(ledgerEdits, messages);
      expect(replay(ledgerEdits, once)).toEqual(once);
    }),
    runs,
  );
});

test("I1: a further insert moves no byte before its place", () => {
  fc.assert(
    fc.property(edits, insertEdit, history, (ledgerEdits, draft, messages) => {
      const seq = ledgerEdits.length + 1;
      const marked = { ...draft, text: "the new one" };
      const before = wire(replay(ledgerEdits, messages));
      const after = wire(replay([...ledgerEdits, { seq, edit: marked }], messages));
      expect(after.filter((block) => !block.endsWith(": the new one"))).toEqual([...before]);
    }),
    runs,
  );
});

test("pruning changes nothing that is sent while it is held", () => {
  check((ledgerEdits, messages) => {
    const pruned = messages.map((message) => ({ ...message, parts: message.parts.map(blanked) }));
    const held = replay(ledgerEdits, holdPruned(deepFreeze(pruned)));
    expect(wire(held)).toEqual(wire(replay(ledgerEdits, holdPruned(messages))));
  });
});

test("the schema of the stored form gives back each edit", () => {
  fc.assert(
    fc.property(edit, (draft) => {
      expect(editSchema.parse(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
    }),
  );
  expect(editSchema.safeParse(insert("m1", "")).success).toBe(false);
});

/** How often a message of the user's is sent right after another. */
function rowsOfUsers(messages: readonly HostMessage[]): number {
  const roles = messages.filter(isSent).map(({ info }) => info.role);
  return roles.filter((role, index) => role === "user" && roles[index - 1] === "user").length;
}

function namedBy(draft: Edit): readonly string[] {
  if (draft.verb === "fold") return [draft.first, draft.last];
  return [draft.verb === "insert" ? draft.after.messageId : draft.at.messageId];
}

function toolStates(message: HostMessage): readonly (readonly [string, string])[] {
  return message.parts.flatMap((part) =>
    isTool(part) ? [[`${message.info.id} ${part.id} ${part.callID}`, part.state.status]] : [],
  );
}

function blanked(part: HostMessage["parts"][number]): HostMessage["parts"][number] {
  if (!isTool(part) || part.state.status !== "completed") return part;
  const time = { ...part.state.time, compacted: 9 };
  return Object.assign({}, part, { state: { ...part.state, time } });
}
