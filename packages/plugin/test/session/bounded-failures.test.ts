import { expect, test } from "bun:test";
import { collectBoundedTexts } from "../../src/session/call-deps.ts";
import type { SessionState } from "../../src/session/session-state.ts";
import type { EntryRecord } from "../../src/storage/ledger-table.ts";
import { assistant, failed, insert, replace } from "../ledger/history.ts";
import { entryRecord } from "../storage/records.ts";

const messages = [
  assistant("a1", failed("c1", "long one"), failed("c2", "short"), failed("c3", "long three")),
];

function stage(...entries: readonly EntryRecord[]) {
  const asked: unknown[] = [];
  const memory = { ledger: { epochs: [], entries }, boundedFailures: new Map() };
  const bound = (call: object, text: string) => {
    asked.push([call, text]);
    return text === "short" ? null : Promise.resolve(`${text}, cut`);
  };
  return {
    asked,
    texts: () => collectBoundedTexts(bound, memory as unknown as SessionState, messages),
  };
}

const entry = (partId: string, edit: EntryRecord["edit"]) => ({
  ...entryRecord(2, 1),
  partId,
  edit,
});

test("what is over the limit is bounded once, by its tool and call; the rest is left alone", async () => {
  const { asked, texts } = stage();
  const bounded = [
    ["a1.0", "long one, cut"],
    ["a1.2", "long three, cut"],
  ];
  expect([...(await texts())]).toEqual(bounded as never);
  expect(asked).toEqual([
    [{ tool: "bash", callId: "c1" }, "long one"],
    [{ tool: "bash", callId: "c2" }, "short"],
    [{ tool: "bash", callId: "c3" }, "long three"],
  ]);
  expect([...(await texts())]).toEqual(bounded as never);
  expect(asked.slice(3)).toEqual([[{ tool: "bash", callId: "c2" }, "short"]]);
});

test("a text that is on record for this very part stays; other edits and other parts say nothing", async () => {
  const { asked, texts } = stage(
    entry("a1.0", replace("a1.0", "on record")),
    entry("a1.2", insert("a1.2", "an update")),
    entry("a1.9", replace("a1.9", "of another part")),
  );
  expect([...(await texts())]).toEqual([
    ["a1.0", "on record"],
    ["a1.2", "long three, cut"],
  ]);
  expect(asked).toHaveLength(2);
});

test("what was put after the part since takes nothing from the text on record", async () => {
  const { texts } = stage(
    entry("a1.0", replace("a1.0", "on record")),
    entry("a1.0", insert("a1.0", "an update")),
  );
  expect((await texts()).get("a1.0")).toBe("on record");
});
