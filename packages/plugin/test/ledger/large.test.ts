import { expect, test } from "bun:test";
import { digestContent } from "../../src/ledger/digest.ts";
import { project, replay } from "../../src/ledger/replay.ts";
import { MOST_FOR_FOURFOLD, timesAsLong } from "../processor-time.ts";
import { ledger } from "./history.ts";
import { longHistory, manyEdits } from "./large.ts";

const messages = longHistory(3000);
const edits = manyEdits(messages, 200);

test("I20: four times the messages and edits are replayed in at most eight times the time", async () => {
  expect(project(edits, messages).dormant.size).toBe(0);
  const fewer = longHistory(750);
  const fewerEdits = manyEdits(fewer, 50);
  const ratio = await timesAsLong(
    () => replay(edits, messages),
    () => replay(fewerEdits, fewer),
  );
  expect(ratio).toBeLessThan(MOST_FOR_FOURFOLD);
});

test("I20: remembered messages are digested in at most half the time of new ones", async () => {
  const half = 0.5;
  const known = new Map();
  const ratio = await timesAsLong(
    () => digestContent(messages, 999, known),
    () => digestContent(messages, 999, new Map()),
    half,
  );
  expect(ratio).toBeLessThan(half);
});

test("I20: of a message that no edit names, replay reads the id and the role alone", () => {
  const named = new Set(
    edits.map(({ edit }) => (edit.verb === "insert" ? edit.after.messageId : "")),
  );
  let read = 0;
  const watched = messages.map((message, index) =>
    index === 0 || named.has(message.info.id)
      ? message
      : {
          info: message.info,
          get parts() {
            read++;
            return message.parts;
          },
        },
  );
  const inserts = edits.filter(({ edit }) => edit.verb === "insert").map(({ edit }) => edit);
  replay(ledger(...inserts), watched);
  // Behind an assistant's message its successor is compared with the insert's text.
  expect(read).toBeLessThanOrEqual(inserts.length);
});
