import { expect, test } from "bun:test";
import { digestContent } from "../../src/ledger/digest.ts";
import { project, replay } from "../../src/ledger/replay.ts";
import { processorNowMs } from "../processor-time.ts";
import { ledger } from "./history.ts";
import { longHistory, manyEdits } from "./large.ts";

/** The time of the least disturbed of many runs, in milliseconds. */
function fastestMs(run: () => void): number {
  const times = Array.from({ length: 300 }, () => {
    const from = processorNowMs();
    run();
    return processorNowMs() - from;
  });
  return Math.min(...times);
}

const messages = longHistory(3000);
const edits = manyEdits(messages, 200);

test("I20: 200 edits over 3000 messages are replayed in less than 2 ms", () => {
  expect(project(edits, messages).dormant.size).toBe(0);
  const took = fastestMs(() => replay(edits, messages));
  expect(took).toBeLessThan(2);
});

test("I20: 1000 remembered messages of 5 parts are digested in less than 4 ms", () => {
  const known = new Map();
  const took = fastestMs(() => digestContent(messages, 999, known));
  expect(took).toBeLessThan(4);
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
