import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashText } from "@session-runtime/opencode/context/canonical";
import type { CallStatus } from "@session-runtime/opencode/status/cache";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import type { EntryRecord } from "@session-runtime/opencode/storage/ledger-table";
import type { LayerDigests } from "@session-runtime/opencode/storage/records";
import type { TurnRecord } from "@session-runtime/opencode/storage/turn-store";
import { entryRecord, epochRecord, turnRecord } from "../../../plugin/test/storage/records.ts";
import type { StoredMessage } from "../../src/host-history/messages.ts";
import { PLAIN } from "../../src/terminal/style.ts";
import { buildCallWire, type CallWire, type WireInput } from "../../src/wire/call-wire.ts";
import { classifyEntry } from "../../src/wire/entry-kind.ts";
import { renderWire } from "../../src/wire/render-wire.ts";
import { DataFolders, first, storeSession } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

const call: CallStatus = {
  sentAtMs: 20,
  model: "anthropic/claude-sonnet-4-5",
  agent: "build",
  epochNumber: 1,
  usage: null,
  hitRate: null,
  bust: null,
  gaveUp: null,
  newEpoch: null,
};

function turn(seq: number, sentAtMs: number, change: Partial<TurnRecord> = {}): TurnRecord {
  return { ...turnRecord(sentAtMs), seq, usage: null, cost: null, ...change };
}

function digests(change: Partial<LayerDigests>): LayerDigests {
  return { ...turnRecord(7).digests, ...change };
}

function wire(input: Partial<WireInput>): CallWire {
  const turn = input.turns?.at(-1);
  if (turn === undefined) throw new Error("no call");
  return buildCallWire(turn, {
    ledger: { epochs: [epochRecord(1)], entries: [] },
    turns: [],
    callCount: 2,
    call,
    forms: new Map(),
    rows: null,
    ...input,
  });
}

function placed(seq: number, messageId: string, change: Partial<EntryRecord> = {}): EntryRecord {
  return { ...entryRecord(seq, 1), messageId, partId: null, decidedAtMs: 10, ...change };
}

describe("the layers of a call", () => {
  const changes = (now: Partial<LayerDigests>, before: Partial<LayerDigests>) =>
    wire({
      turns: [turn(1, 10, { digests: digests(before) }), turn(2, 20, { digests: digests(now) })],
    }).layers.map(({ name, change }) => `${name} ${change}`);

  test("are the same as at the former call, or changed, or grown, or empty", () => {
    const empty = hashText("");
    const former = { history: "00000000000000aa", live: empty };
    expect(
      changes(
        {
          tools: "00000000000000ff",
          live: empty,
          history: "00000000000000bb",
          historyAtWatermark: "00000000000000aa",
        },
        former,
      ),
    ).toEqual(["tools changed", "preamble same", "baseline same", "live empty", "history grown"]);
    expect(
      changes({ history: "00000000000000bb", historyAtWatermark: "00000000000000cc" }, former),
    ).toContain("history changed");
  });

  test("are compared with the former call of the same model, and first without one", () => {
    const other = turn(1, 10, { modelId: "another" });
    const { layers } = wire({ turns: [other, turn(2, 20)] });
    expect(new Set(layers.map(({ change }) => change))).toEqual(new Set(["first"]));
  });
});

describe("the messages of a call", () => {
  const turns = [
    turn(1, 10, { newMessageIds: ["msg_1"] }),
    turn(2, 20, { newMessageIds: ["msg_2", "msg_3"] }),
  ];

  test("are those that this epoch's calls have sent so far, in order, the new ones marked", () => {
    const { messages } = wire({ turns });
    expect(messages.map(({ id, isNew }) => [id, isNew])).toEqual([
      ["msg_1", false],
      ["msg_2", true],
      ["msg_3", true],
    ]);
    expect(wire({ turns: turns.slice(0, 1) }).messages.map(({ id }) => id)).toEqual(["msg_1"]);
  });

  test("carry the edits that hang on them, as far as they were decided by then", () => {
    const entries = [
      placed(2, "msg_1"),
      placed(3, "msg_3", { decidedAtMs: 20 }),
      placed(4, "msg_3", { decidedAtMs: 30 }),
      placed(5, "msg_gone"),
    ];
    const ledger = { epochs: [epochRecord(1)], entries };
    const { messages, elsewhere } = wire({ turns, ledger, forms: new Map([[3, "native"]]) });
    expect(
      messages.map(({ edits }) => edits.map(({ seq, isNew, form }) => [seq, isNew, form])),
    ).toEqual([[[2, false, "wrapped"]], [], [[3, true, "native"]]]);
    expect(elsewhere.map(({ seq }) => seq)).toEqual([5]);
  });
});

test("every entry of the ledger is of one kind", () => {
  const at = { messageId: "msg_1", partId: "prt_1" };
  const kind = (change: Partial<EntryRecord>) => classifyEntry({ ...entryRecord(2, 1), ...change });
  const edit = { verb: "replace", at, text: "Short." } as const;
  expect(kind({})).toBe("update");
  expect(kind({ origin: "hold-reminders" })).toBe("reminder");
  expect(kind({ origin: "admit-prune", edit })).toBe("pruned");
  expect(kind({ origin: "bound-failures", edit })).toBe("replaced");
  expect(kind({ origin: "a-feature" })).toBe("inserted");
  expect(kind({ origin: "a-feature", edit: { verb: "omit", at } })).toBe("omitted");
  const fold = { verb: "fold", first: "a", last: "b", text: "All." } as const;
  expect(kind({ origin: "a-feature", edit: fold })).toBe("folded");
  expect(kind({ origin: "record-shown", edit: null })).toBe("witness");
  expect(kind({ origin: "record-undo", edit: null, partId: null })).toBe("undo");
});

describe("as text", () => {
  const row: StoredMessage = {
    id: "msg_1",
    role: "assistant",
    parts: [
      {
        id: "prt_t",
        kind: "tool",
        bytes: 2_000,
        label: "read (completed)",
        isPruned: true,
        isIgnored: false,
      },
      { id: "prt_i", kind: "text", bytes: 9, label: "A notice.", isPruned: false, isIgnored: true },
    ],
  };
  const view = { style: PLAIN, nowMs: 30_000, texts: "sizes", rowsMissing: null } as const;
  const turns = [turn(1, 10, { newMessageIds: ["msg_1", "msg_2"] })];
  const entries = [placed(2, "msg_1")];
  const ledger = { epochs: [epochRecord(1)], entries };

  test("names what was cleared since and what is not sent", () => {
    const text = renderWire(wire({ turns, ledger, rows: new Map([["msg_1", row]]) }), view);
    expect(text).toContain("read (completed)  [cleared since, but sent as it was]");
    expect(text).toContain("A notice.  [not sent: for the user alone]");
    expect(text).toContain("deleted    msg_2");
    expect(text).toContain("+ update (team/weather), wrapped, 40 bytes");
    expect(text).not.toContain("News 2.");
  });

  test("holds the texts when asked to, and says why there are no rows", () => {
    const full = { ...view, texts: "full", rowsMissing: "it does not exist" } as const;
    const text = renderWire(wire({ turns, ledger }), full);
    expect(text).toContain("News 2.");
    expect(text).toContain("│ It rains.");
    expect(text).toContain(
      "without texts, because OpenCode's database can't be read (it does not exist)",
    );
  });
});

describe("from the shell", () => {
  test("show lists the calls; --wire shows one with the edits that shaped it", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now() - 60_000);
    const { calls } = JSON.parse((await folder.run(["show", first, "--json"])).out);
    expect(calls.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3]);
    const { out } = await folder.run(["show", first, "--wire", "--call", "2", "--json"]);
    const shown: CallWire & { hostRows: string } = JSON.parse(out);
    expect(shown).toMatchObject({ number: 2, calls: 3, hostRows: "missing" });
    const edits = shown.messages.flatMap((message) => message.edits);
    expect(edits.map(({ kind, form }) => [kind, form])).toEqual([
      ["update", "native"],
      ["reminder", null],
    ]);
    expect(shown.elsewhere.map(({ kind }) => kind)).toEqual(["witness"]);
  });

  test("a database of the host's that is damaged, or not as we know it, is only told", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const host = join(folder.home, ".local/share/opencode/opencode.db");
    mkdirSync(dirname(host), { recursive: true });
    writeFileSync(host, "This is no database. ".repeat(400));
    const { out, exitCode } = await folder.run(["show", first, "--wire"]);
    expect(exitCode).toBe(0);
    expect(out).toContain(
      `without texts, because OpenCode's database can't be read (${host}: file is not`,
    );
    rmSync(host);
    openBunDriver(host).exec("CREATE TABLE session (id TEXT) STRICT");
    expect((await folder.run(["show", first, "--wire"])).out).toContain("no such column: title");
    expect((await folder.run(["sessions"])).exitCode).toBe(0);
  });

  test("a call that there is not ends with 4 and says how many there are", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const { err, exitCode } = await folder.run(["show", first, "--call", "9"]);
    expect(exitCode).toBe(4);
    expect(err).toContain("--call takes 1 to 3");
    expect((await folder.run(["show", first, "--call", "none"])).exitCode).toBe(2);
  });
});
