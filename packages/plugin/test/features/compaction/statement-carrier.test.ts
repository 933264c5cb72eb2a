import { describe, expect, test } from "bun:test";
import { type SessionRows, StatementCarrier } from "../../../src/features/compaction/statements.ts";
import type { Boundary } from "../../../src/ledger/boundary.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import type { BoundaryView } from "../../../src/ledger/policy.ts";
import type { Statement } from "../../../src/storage/brief-store.ts";
import { session } from "../../storage/records.ts";
import { answer, compaction, prompt, summary } from "./history.ts";

const whole = [
  prompt("u1", "Leave the migrations alone."),
  answer("u1", "stop", {
    ...{ id: "p1", messageID: "", sessionID: "ses", type: "text", text: "It is done." },
  } as never),
  prompt("u2", "Go on."),
  compaction("c1"),
  summary("c1", "What was done."),
];
const compacted = [compaction("c1"), summary("c1", "What was done."), prompt("u3", "And now?")];

interface GivenRows {
  readonly rows?: SessionRows | null;
  readonly stored?: readonly Statement[];
  readonly carried?: boolean;
}

function carrier({
  rows = { rows: whole, extent: "whole" },
  stored = [],
  carried = false,
}: GivenRows) {
  let asked = 0;
  const made = new StatementCarrier({
    wayBack: "none",
    stored: () => stored,
    rows: async () => {
      asked += 1;
      return rows;
    },
    isCarried: () => carried,
  });
  return { made, asked: () => asked };
}

const view = (
  messages: readonly HostMessage[],
  kind: Exclude<Boundary["kind"], "idle"> = "compacted",
  standing: readonly object[] = [],
) =>
  ({
    ...{ messages, boundary: { kind }, standing },
    space: { usableTokens: 100_000 },
  }) as unknown as BoundaryView;

async function drafted(given: GivenRows, messages: readonly HostMessage[] = compacted) {
  const { made } = carrier(given);
  await made.prepare({ sessionId: session, history: messages });
  return made.policy.draft(view(messages)).map(({ edit }) => edit);
}

const earlier = (text: string, saidAtMs = 0): Statement => ({
  ...{ kind: "prompt", messageId: `m ${text}`, saidAtMs, text },
});

describe("I31 Said: after a compaction", () => {
  test("what was said before it stands after the row that asked for it", async () => {
    const [edit, ...others] = await drafted({});
    expect(others).toEqual([]);
    expect(edit).toMatchObject({ verb: "insert", after: { messageId: "c1", partId: null } });
    const text = edit?.verb === "insert" ? edit.text : "";
    expect(text).toContain("> Leave the migrations alone.\nThe answer:\n> It is done.");
    expect(text).toContain("> Go on.");
    expect(text).not.toContain("What was done.");
  });

  test("what still stands is not said twice: not its own message, nor the host's copy of it", async () => {
    const [copied] = await drafted({}, [...compacted.slice(0, 2), prompt("u9", "Go on.")]);
    expect(JSON.stringify(copied)).not.toContain("Go on.");
    const tail = [...compacted.slice(0, 2), ...whole.slice(2, 3)];
    expect(JSON.stringify((await drafted({}, tail))[0])).not.toContain("Go on.");
  });

  test("nothing is said where nothing was, and in a history without a compaction", async () => {
    expect(await drafted({ rows: { rows: compacted, extent: "whole" } })).toEqual([]);
    expect(await drafted({}, whole.slice(0, 3))).toEqual([]);
  });

  test("it is decided where the cache is dead alone, and once", async () => {
    const { made } = carrier({});
    await made.prepare({ sessionId: session, history: compacted });
    expect(made.policy.draft(view(compacted, "ordinary"))).toEqual([]);
    const standing = [{ origin: "earlier-words", messageId: "c1" }];
    expect(made.policy.draft(view(compacted, "moved", standing))).toEqual([]);
    const other = [{ origin: "earlier-words", messageId: "c0" }];
    expect(made.policy.draft(view(compacted, "moved", other))).toHaveLength(1);
  });

  test("the host is asked once, again where it did not answer, and not where it stands on record", async () => {
    const once = carrier({});
    const call = { sessionId: session, history: compacted };
    await once.made.prepare(call);
    await once.made.prepare(call);
    expect(once.asked()).toBe(1);
    const mute = carrier({ rows: null });
    await mute.made.prepare(call);
    await mute.made.prepare(call);
    expect(mute.asked()).toBe(2);
    expect(mute.made.policy.draft(view(compacted))).toEqual([]);
    const known = carrier({ carried: true });
    await known.made.prepare(call);
    expect(known.asked()).toBe(0);
    expect(known.made.policy.draft(view(compacted))).toEqual([]);
  });
});

describe("words of before", () => {
  const createRows = (rows: readonly HostMessage[], extent: SessionRows["extent"] = "whole") => ({
    ...{ rows, extent },
  });
  const texts = (given: readonly Statement[]) => given.map(({ text }) => text);

  test("are the rows' own where the host gives them from the beginning: what was undone is none", () => {
    const { made } = carrier({ stored: [earlier("Undone.")] });
    expect(texts(made.collect(session, createRows(whole)))).toEqual([
      ...["Leave the migrations alone.", "It is done.", "Go on."],
    ]);
  });

  test("are the brief's where the host gives what came after a compaction alone, or not all, or nothing", () => {
    const { made } = carrier({ stored: [earlier("Before.")] });
    for (const found of [createRows(compacted), createRows(whole.slice(2), "cut"), null]) {
      expect(texts(made.collect(session, found))[0]).toBe("Before.");
    }
  });

  test("are none of what was said after that compaction: another branch of the session said it", () => {
    const [asked, ...others] = compacted;
    const timed = { ...asked, info: { ...asked?.info, time: { created: 50 } } } as HostMessage;
    const { made } = carrier({ stored: [earlier("Before.", 40), earlier("Undone.", 60)] });
    expect(texts(made.collect(session, createRows([timed, ...others])))).toEqual([
      ...["Before.", "And now?"],
    ]);
  });
});
