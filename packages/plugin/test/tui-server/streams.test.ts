import { describe, expect, spyOn, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { createChannelClient } from "../../src/tui-server/client.ts";
import { parseQuestion, toQuestionPath } from "../../src/tui-server/protocol.ts";
import { ChangeStreams } from "../../src/tui-server/streams.ts";
import { ChannelStage, content, SESSION } from "./stage.ts";

const stage = new ChannelStage();

/** Counts the changes that a watcher hears of, and waits for them. */
function counter() {
  let count = 0;
  let wake: () => void = () => undefined;
  return {
    get count() {
      return count;
    },
    changed() {
      count += 1;
      wake();
    },
    async reaches(wanted: number) {
      while (count < wanted) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

test("a watcher hears of changes of its session, and of no other's", async () => {
  const { channel, address } = await stage.open(content);
  const heard = counter();
  const over = new AbortController();
  const watch = createChannelClient(address).watch(SESSION, () => heard.changed(), over.signal);
  await heard.reaches(1);
  expect(channel.watchers(SESSION)).toBe(1);
  expect(channel.watchers("ses_two")).toBe(0);
  channel.changed("ses_two");
  channel.changed(SESSION);
  await heard.reaches(2);
  over.abort();
  await expect(watch).rejects.toThrow();
  expect(heard.count).toBe(2);
});

test("changes that come close together are told once, a moment later, and what comes then once more", async () => {
  const { channel, address } = await stage.open(content);
  const heard = counter();
  const over = new AbortController();
  const watch = createChannelClient(address).watch(SESSION, () => heard.changed(), over.signal);
  await heard.reaches(1);
  for (let index = 0; index < 50; index += 1) channel.changed(SESSION);
  // A turn's model call is not to wait for what a terminal UI does with its beginning.
  await Bun.sleep(100);
  expect(heard.count).toBe(1);
  await heard.reaches(2);
  channel.changed(SESSION);
  await heard.reaches(3);
  await Bun.sleep(400);
  expect(heard.count).toBe(3);
  over.abort();
  await watch.catch(() => undefined);
});

test("fifty changes are one event on the wire, and one of a session that nobody watches waits for nothing", async () => {
  const { channel, address } = await stage.open(content);
  const over = new AbortController();
  const path = toQuestionPath({ kind: "changes", sessionId: SESSION });
  const { body } = await fetch(`http://127.0.0.1:${address.port}${path}`, {
    headers: { authorization: `Bearer ${address.token}` },
    signal: over.signal,
  });
  let text = "";
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) text += decoder.decode(chunk);
  })().catch(() => undefined);
  for (let index = 0; index < 50; index += 1) channel.changed(SESSION);
  while (!text.includes("event: changed")) await Bun.sleep(5);
  channel.changed(SESSION);
  while (text.split("event: changed").length < 3) await Bun.sleep(5);
  expect(text).toBe(`: here\n\n${"event: changed\ndata: {}\n\n".repeat(2)}`);
  const timers = spyOn(globalThis, "setTimeout");
  channel.changed("ses_two");
  expect(timers).not.toHaveBeenCalled();
  timers.mockRestore();
  over.abort();
  await read;
});

describe("a stream by itself", () => {
  /** A response of the host's, as far as streams use it. */
  function createResponse(unreadBytes: number) {
    const written: string[] = [];
    const response = {
      writableLength: unreadBytes,
      req: { socket: { on: () => undefined } },
      writeHead: () => undefined,
      write: (text: string) => void written.push(text),
      destroy: () => void written.push("dropped"),
    };
    return { written, response: response as unknown as ServerResponse };
  }

  test("hears every 15 seconds that the server is there; one that 16 kB wait for is dropped", () => {
    const beats: (() => void)[] = [];
    const timer = { unref: () => undefined };
    const every = spyOn(globalThis, "setInterval").mockImplementation(((beat: () => void) => {
      beats.push(beat);
      return timer;
    }) as never);
    const streams = new ChangeStreams();
    expect(every.mock.calls.map(([, ms]) => ms)).toEqual([15_000]);
    every.mockRestore();
    const [full, stuck] = [createResponse(16_384), createResponse(16_385)];
    streams.add(SESSION, full.response);
    streams.add("ses_two", stuck.response);
    for (const beat of beats) beat();
    expect(full.written).toEqual([": here\n\n", ": here\n\n"]);
    expect(stuck.written).toEqual([": here\n\n", "dropped"]);
    streams.close();
    expect(full.written).toEqual([": here\n\n", ": here\n\n", "dropped"]);
    expect([streams.countWatchers(SESSION), streams.countWatchers("ses_two")]).toEqual([0, 0]);
  });
});

test("the watch breaks when the channel closes", async () => {
  const { channel, address } = await stage.open(content);
  const heard = counter();
  const watch = createChannelClient(address).watch(
    SESSION,
    () => heard.changed(),
    new AbortController().signal,
  );
  await heard.reaches(1);
  const ended = watch.then(
    () => "ended",
    () => "broken",
  );
  channel.close();
  expect(["ended", "broken"]).toContain(await ended);
});

test("streams are bounded: one too many is refused, and a place that is given up is free again", async () => {
  const { channel, address } = await stage.open(content);
  const client = createChannelClient(address);
  const over = Array.from({ length: 16 }, () => new AbortController());
  const heard = counter();
  const watches = over.map(({ signal }) => client.watch(SESSION, () => heard.changed(), signal));
  const settled = Promise.allSettled(watches);
  await heard.reaches(16);
  const oneMore = () => client.watch(SESSION, () => heard.changed(), AbortSignal.timeout(60_000));
  await expect(oneMore()).rejects.toThrow("503");
  over[0]?.abort();
  while (channel.watchers(SESSION) === 16) await Bun.sleep(5);
  void oneMore().catch(() => undefined);
  await heard.reaches(17);
  for (const each of over) each.abort();
  await settled;
});

test("the queue comes as it is read, by the session that is asked for", async () => {
  const asked: string[] = [];
  const queue = {
    activity: "idle",
    waiting: [{ id: "a", text: "Two\nlines", files: 1 }],
    length: 3,
  } as const;
  const { address } = await stage.open({
    ...content,
    queue: async (sessionId) => {
      asked.push(sessionId);
      return queue;
    },
  });
  expect(await createChannelClient(address).queue(SESSION)).toEqual(queue);
  expect(asked).toEqual([SESSION]);
});

test("a report comes as it is written, and one that can't be made is an error with a line in the log", async () => {
  const { address, failures } = await stage.open({
    ...content,
    report: async ({ report }) => {
      if (report === "ctx-brief") throw new Error("no workspace");
      if (report === "ctx-off") return null;
      return { text: "line 1\nline 2" };
    },
  });
  const client = createChannelClient(address);
  const asked = { kind: "report", sessionId: SESSION } as const;
  expect(await client.report({ ...asked, report: "ctx-status" })).toEqual({
    text: "line 1\nline 2",
  });
  await expect(client.report({ ...asked, report: "ctx-brief" })).rejects.toThrow("500");
  await expect(client.report({ ...asked, report: "ctx-off" })).rejects.toThrow(
    "404: no such report here: its feature may be off",
  );
  await client.report({ ...asked, report: "ctx-status" });
  expect(failures.map(String)).toEqual(["Error: no workspace"]);
});

test("questions are bounded: those beyond eight at a time are turned away, and later ones answered", async () => {
  const slow = Promise.withResolvers<void>();
  const { address } = await stage.open({
    ...content,
    status: async (sessionId) => {
      await slow.promise;
      return { sessionId };
    },
  });
  const client = createChannelClient(address);
  const asked = Array.from({ length: 12 }, () => client.status(SESSION));
  const refused: string[] = [];
  const turnedAway = asked.map((each) =>
    each.then(
      () => "answered",
      (error: Error) => {
        refused.push(error.message);
        return error.message.includes("503") ? "turned away" : error.message;
      },
    ),
  );
  // All twelve have arrived then.
  while (refused.length < 4) await Bun.sleep(5);
  slow.resolve();
  const outcomes = await Promise.all(turnedAway);
  expect(outcomes.filter((each) => each === "answered")).toHaveLength(8);
  expect(outcomes.filter((each) => each === "turned away")).toHaveLength(4);
  expect(await client.status(SESSION)).toEqual({ sessionId: SESSION });
});

test("every question has a path that says it", () => {
  const questions = [
    { kind: "status", sessionId: SESSION },
    { kind: "changes", sessionId: SESSION },
    { kind: "report", sessionId: SESSION, report: "ctx-status" },
    { kind: "report", sessionId: SESSION, report: "ctx-brief" },
    { kind: "queue", sessionId: SESSION },
  ] as const;
  for (const question of questions)
    expect(parseQuestion(toQuestionPath(question))).toEqual(question);
});
