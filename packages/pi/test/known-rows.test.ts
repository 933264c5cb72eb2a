import { describe, expect, test } from "bun:test";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { KnownRows } from "../src/known-rows.ts";
import type { PiEntry, PiMessage } from "../src/pi.ts";
import { groupMessages, ownMessages } from "../src/rows.ts";

const prompt = (content: string, timestamp: number): PiMessage => ({
  role: "user",
  content,
  timestamp,
});
const entry = (id: string, message: PiMessage): PiEntry => ({
  sourceEntry: { id },
  messages: [message],
});

describe("the rows of former calls", () => {
  const known = new KnownRows();
  const model = { provider: "mock", id: "plain-1" };
  const entries = [entry("a", prompt("One.", 1)), entry("b", prompt("Two.", 2))];

  function buildRows(
    given: readonly PiEntry[],
    sent = structuredClone(ownMessages(given)),
    on = model,
  ) {
    const groups = groupMessages(given, sent, { sessionId: "s1" as SessionId, model: on, known });
    return groups?.flatMap((group) => (group.kind === "row" ? [group.row] : [])) ?? [];
  }

  test("are taken again in the next call, which has copies of the same messages", () => {
    const [one, two] = buildRows(entries);
    const again = buildRows([...entries, entry("c", prompt("Three.", 3))]);
    expect(again[0]).toBe(one as never);
    expect(again[1]).toBe(two as never);
  });

  test("are built again where Pi has replaced an entry's content", () => {
    const [one] = buildRows(entries);
    const [replaced] = buildRows([entry("a", prompt("Uno.", 1))]);
    expect(replaced?.parts).toMatchObject([{ text: "Uno." }]);
    expect(buildRows(entries)[0]).toEqual(one as never);
  });

  test("are not taken where another extension has changed a text, nor kept from there", () => {
    buildRows(entries);
    const [changed, two] = buildRows(entries, [prompt("O**.", 1), prompt("Two.", 2)]);
    expect(changed?.parts).toMatchObject([{ text: "O**." }]);
    expect(two?.parts).toMatchObject([{ text: "Two." }]);
    expect(buildRows(entries)[0]?.parts).toMatchObject([{ text: "One." }]);
  });

  test("are built again for another model, which a user's row names", () => {
    buildRows(entries);
    const [one] = buildRows(entries, undefined, { provider: "mock", id: "capable-1" });
    expect(one?.info.role === "user" && one.info.model.modelID).toBe("capable-1");
  });
});
