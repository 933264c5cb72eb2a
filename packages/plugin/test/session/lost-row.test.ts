import { expect, spyOn, test } from "bun:test";
import { TurnRecorder } from "../../src/session/turn-recorder.ts";
import { StorageError } from "../../src/storage/errors.ts";
import { assistant, text, user } from "../ledger/history.ts";
import { session } from "../storage/records.ts";
import { fresh, sentTurn } from "./recorder-stage.ts";

const talk = [user("u1", text("One.")), assistant("a1", text("I did.")), user("u2", text("Two."))];

function process(database = fresh()) {
  const failures: unknown[] = [];
  const recorder = new TurnRecorder({
    database: () => database,
    settings: { cacheTtlMs: 300_000 },
    toolTokens: new Map(),
    defer: (_session, work) => work(),
    storageWorks: () => undefined,
    storageFailed: (error) => void failures.push(error),
  });
  const send = (startedAtMs: number, messages: typeof talk, formerEnd: number) => {
    recorder.beginCall(session, []);
    recorder.record({ ...sentTurn(startedAtMs, { messages }), formerEnd });
  };
  const busts = () => database.turns.recent(session, 9).map(({ bust }) => bust);
  return { database, failures, send, busts };
}

/** Calls with one, two and three of the messages; the row of the second finds the disk full. */
function recorded(third: readonly (typeof talk)[number][]) {
  const { database, failures, send, busts } = process();
  send(1_000, talk.slice(0, 1), -1);
  const append = spyOn(database.turns, "append").mockImplementationOnce(() => {
    throw new StorageError("full", "The disk is full.");
  });
  send(2_000, talk.slice(0, 2), 0);
  append.mockRestore();
  send(3_000, [...third], 1);
  return { failures, busts: busts() };
}

test("K3: a turn whose row found the disk full has been sent: the next one is held against it", () => {
  const { failures, busts } = recorded(talk);
  expect(failures).toHaveLength(1);
  expect(busts).toEqual([null, null]);
});

test("K3: what was changed after such a turn is still found", () => {
  const other = assistant("a1", text("I did not do it."));
  const { busts } = recorded(talk.map((message) => (message.info.id === "a1" ? other : message)));
  expect(busts).toEqual(["sent history changed: an undo, another plugin, or the host", null]);
});

test("K3: so is the next one where the rows before it could not be read after a restart", () => {
  const { database, send: sendBefore } = process();
  sendBefore(1_000, talk.slice(0, 1), -1);
  const { failures, send, busts } = process(database);
  const read = spyOn(database.turns, "recent").mockImplementationOnce(() => {
    throw new StorageError("locked", "The database is locked.");
  });
  send(2_000, talk.slice(0, 2), 0);
  read.mockRestore();
  expect(failures).toHaveLength(1);
  send(3_000, talk, 1);
  expect(busts()).toEqual([null, null]);
});
