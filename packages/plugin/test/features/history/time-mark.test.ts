import { describe, expect, test } from "bun:test";
import { timeMarksFeature } from "../../../src/features/history/feature.ts";
import { createTimeMarksFeature } from "../../../src/features/history/time-mark.ts";
import type { Entry } from "../../../src/ledger/entry.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import type { BoundaryView } from "../../../src/ledger/policy.ts";
import { SimulatedSession } from "../../history/simulation.ts";
import { assistant, text, user } from "../../ledger/history.ts";
import { parseConfig } from "../../whole-config.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 23, 9, 0);

function at(message: HostMessage, time: object): HostMessage {
  return { ...message, info: { ...message.info, time } as HostMessage["info"] };
}

const asked = (id: string, atMs: number) => at(user(id, text("?")), { created: START + atMs });
const answered = (id: string, atMs: number, completed?: number) =>
  at(assistant(id, text("!")), {
    created: START + atMs,
    ...(completed !== undefined && { completed: START + completed }),
  });

function drafted(messages: readonly HostMessage[], standing: readonly Entry[] = []) {
  const config = parseConfig({ timeMarks: { enabled: true }, date: { timeZone: "Asia/Tokyo" } });
  const [policy] = createTimeMarksFeature({ config }).policies ?? [];
  const view: BoundaryView = { ...new SimulatedSession(null).view(), messages, standing };
  return policy?.draft(view) ?? [];
}

const said = (messages: readonly HostMessage[]) =>
  drafted(messages).map(({ edit }) => (edit?.verb === "insert" ? edit.text : ""));

describe("HT3: time marks", () => {
  test("they are off until they are asked for", () => {
    expect(timeMarksFeature.isOn?.(parseConfig({}))).toBe(false);
  });

  test("a prompt after a long pause gets one line, in the zone of the date", () => {
    const history = [asked("u1", 0), answered("a1", MINUTE, 2 * MINUTE), asked("u2", 5 * HOUR)];
    expect(said(history)).toEqual([
      "<system-update>\n4 hours passed before this message. It was sent at 23:00 on Mon Nov 23 2026.\n</system-update>",
    ]);
    expect(drafted(history)[0]?.anchor).toEqual({ messageId: "u2", partId: null });
  });

  test.each([
    [61 * MINUTE, "61 minutes passed"],
    [2 * HOUR, "2 hours passed"],
    [3 * HOUR, "3 hours passed"],
    [48 * HOUR, "2 days passed"],
    [50 * HOUR, "2 days passed"],
  ])("a pause of %d ms: %s", (pauseMs, words) => {
    expect(said([asked("u1", 0), answered("a1", 0, 0), asked("u2", pauseMs)])[0]).toContain(words);
  });

  test("the end of the answer counts, not its beginning, and not the last prompt", () => {
    const long = [asked("u1", 0), answered("a1", MINUTE, 4 * HOUR), asked("u2", 4 * HOUR + MINUTE)];
    expect(said(long)).toEqual([]);
    const open = [asked("u1", 0), answered("a1", MINUTE), asked("u2", 2 * HOUR)];
    expect(said(open)[0]).toContain("119 minutes passed");
  });

  test("an hour is long enough, a minute less is not", () => {
    const after = (pauseMs: number) => [asked("u1", 0), answered("a1", 0, 0), asked("u2", pauseMs)];
    expect(said(after(HOUR))).toHaveLength(1);
    expect(said(after(HOUR - MINUTE))).toEqual([]);
  });

  test("a call of a turn that took long is no prompt", () => {
    const history = [asked("u1", 0), answered("a1", 0, 0), answered("a2", 12 * HOUR)];
    expect(said(history)).toEqual([]);
  });

  test("neither another prompt's mark, nor another policy's line, nor a witness counts as its own", () => {
    const pause = [asked("u1", 0), answered("a1", 0, 0), asked("u2", 5 * HOUR)];
    const [mark] = drafted(pause);
    if (mark?.edit?.verb !== "insert") throw new Error("nothing was said");
    const place = { seq: 1, announced: [], delta: {}, messageId: "u2", partId: null };
    const { edit } = mark;
    const elsewhere = { ...edit, after: { messageId: "u1", partId: null } };
    for (const entry of [
      { ...place, origin: "time-marks", edit: elsewhere },
      { ...place, origin: "nudges", edit },
      { ...place, origin: "time-marks", edit: null },
    ]) {
      expect(drafted(pause, [entry as Entry])).toHaveLength(1);
    }
  });

  test("nothing is said at a first prompt, within a turn, twice, or without times", () => {
    const pause = [asked("u1", 0), answered("a1", 0, 0), asked("u2", 5 * HOUR)];
    expect(said([asked("u1", 0)])).toEqual([]);
    expect(said([...pause, answered("a2", 5 * HOUR)])).toEqual([]);
    const [first] = drafted(pause);
    if (!first) throw new Error("nothing was said");
    const entry = { seq: 1, origin: "time-marks", ...first, messageId: "u2", partId: null };
    expect(drafted(pause, [entry])).toEqual([]);
    expect(said([user("u1"), assistant("a1"), user("u2")])).toEqual([]);
    for (const none of [1e300, Number.POSITIVE_INFINITY]) {
      expect(said([asked("u1", 0), answered("a1", 0, 0), asked("u2", none)])).toEqual([]);
    }
  });
});
